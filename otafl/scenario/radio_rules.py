"""Rules between keys of channel, cell and uplink."""

import math
import warnings

from otafl import uplinks
from otafl.algorithms import Method
from otafl.algorithms.method import EVERYBODY
from otafl.channels import fading
from otafl.channels.errors import ParameterError
from otafl.channels.grid import most_symbols
from otafl.compressors.floating_point import FRACTIONS
from otafl.errors import OtaflError, Remark
from otafl.settings import user_keys
from otafl.settings.keys import BOUNDS, Settings
from otafl.settings.part_keys import of_package
from otafl.uplinks import Uplink, chain, requirements
from otafl.uplinks.digital import unrounded_bits
from otafl.uplinks.physical_layer import cell, imperfections, power_w
from otafl.user_code import plugins

LEAST, MOST = 1e-36, 1e37
"""Bounds on quantities of the radio, well within the range of single precision."""
MOST_BLOCKS = 2**53
"""Largest number of coherence blocks: double precision holds all whole numbers up to it."""
ROUNDING = 1e-9
"""Share by which a slot may be shorter than a symbol, as both are rounded."""


def check(settings: Settings, method: Method, factor: int) -> None:
    """Refuse contradictory settings of channel, cell and uplink; warn of surprising ones."""
    carrier = uplinks.uplink(uplinks.kind(settings))
    _uplink(settings, method, factor)
    _downlink(settings, method, carrier)
    _outage(settings, method)
    _number_bits(settings, method, carrier)
    _bounds(settings, method)
    _deadline(settings, carrier)
    _radio(settings)
    _slot(settings)
    _coherence(settings, method)
    _fading(settings)
    _cell(settings)
    _knowledge(settings)
    _antennas(settings)
    _noise(settings)
    _hostile(settings)
    _cuts(settings, method, carrier)
    _surface(settings, carrier)
    requirements.check(settings, method, carrier.parts)
    _selection(settings, carrier)
    _energy(settings, carrier)


def _refuse(settings: Settings, key: str, *cases: tuple[object, str]) -> None:
    """Refuse the value of a key by the first rule that is broken, of pairs of what breaks it and the rule in words."""
    for broken, rule in cases:
        if broken:
            raise settings.refusal(key, rule)


def _uplink(settings: Settings, method: Method, factor: int) -> None:
    kind, one_slot = uplinks.kind(settings), settings.uplink.subcarriers == "one_slot"
    if not uplinks.carries(kind, method):
        carried = f"{settings.method} is carried by the {' or '.join(method.uplinks)} uplink"
        noisy = not uplinks.uplink(kind).exact
        reason = f", not by the {kind} one: {method.uplink_reason}" if method.uplink_reason and noisy else ""
        raise OtaflError("uplink.kind", kind, carried + reason)
    if factor > 1 and one_slot:
        raise OtaflError("method", settings.method, 'contradicts uplink.subcarriers = "one_slot"')
    rule = 'contradicts uplink.subcarriers = "one_slot", with which the total power has no fixed spread'
    _refuse(settings, "uplink.power_reference", (settings.uplink.power_reference == "total" and one_slot, rule))


def _downlink(settings: Settings, method: Method, carrier: type[Uplink]) -> None:
    """Refuse an analog downlink that some worker does not hear or cannot use."""
    if settings.uplink.downlink == "digital":
        return
    scheduled = next((f"{key}_schedule" for key in method.scheduled if settings.value(f"{key}_schedule")), "")
    _refuse(
        settings,
        "uplink.downlink",
        (not carrier.superposes, f"can be used only with the analog uplink, not the {carrier.kinds[0]} one"),
        (settings.partial, "needs all workers in every round: idle workers do not receive it"),
        (scheduled, f"contradicts {scheduled}: where parameters change, the model must arrive as it is"),
        (settings.blind, f"contradicts {_combiner(settings)}, with which workers know no gain to divide by"),
    )


def _outage(settings: Settings, method: Method) -> None:
    """Refuse outage where all workers are needed, or where there is no band to share."""
    if not settings.uplink.outage:
        return
    drawn, pilots = settings.drawn, settings.channel.pilots
    _refuse(
        settings,
        "uplink.outage",
        (EVERYBODY in method.limits, f"must be 0: with {settings.method} all workers take part"),
        (pilots, f"contradicts channel.pilots = {pilots}: the slowest workers would be known without pilots"),
        (settings.subcarriers == "one_slot", 'contradicts uplink.subcarriers = "one_slot"'),
        (drawn > 1 and drawn * settings.uplink.outage > drawn - 1, f"leaves none of {drawn} workers"),
    )


def _number_bits(settings: Settings, method: Method, carrier: type[Uplink]) -> None:
    """Refuse bits of elements that are none of a floating-point number, or not those of what is sent."""
    if not (carrier.splits and chain.chain(settings).compressor.floats):
        return
    bits, name, most = settings.uplink.bits_per_element, settings.method, unrounded_bits(method)
    widths = ", ".join(str(width) for width in FRACTIONS if width < most)
    floating = f"must be {widths} or {most}, of a floating-point number; uplink.compressor = 'qsgd' has 2 to 32"
    _refuse(
        settings,
        "uplink.bits_per_element",
        (bits not in FRACTIONS, floating),
        (bits > most, f"must be at most 32: {name} computes in single precision"),
        (bits < 32 and method.further_sums, f"must be 32: {name} forms sums of multiples of what is sent"),
    )


def _bounds(settings: Settings, method: Method) -> None:
    """Refuse bounds that leave out workers where all of them are needed."""
    rule = f"must be left out: with {settings.method} all workers take part in every round"
    for key in BOUNDS:
        _refuse(settings, key, (settings.value(key) and EVERYBODY in method.limits, rule))


def _deadline(settings: Settings, carrier: type[Uplink]) -> None:
    """Refuse a deadline that all workers miss, and one where nobody can know beforehand who is late."""
    deadline_s, pilots, compute_s = settings.federation.deadline_s, settings.channel.pilots, settings.local.compute_s
    if not deadline_s:
        return
    least_s = settings.uplink.slot_s + (0.0 if isinstance(compute_s, str) else compute_s)
    early = carrier.wireless and deadline_s < least_s
    _refuse(
        settings,
        "federation.deadline_s",
        (early, f"must be at least {least_s:g}, the time of local training and of one slot"),
        (carrier.splits and pilots, f"contradicts channel.pilots = {pilots}: late workers would be known without them"),
    )


def _radio(settings: Settings) -> None:
    """Refuse quantities of the radio that single precision does not hold."""
    uplink, snr_db = settings.uplink, settings.channel.snr_db
    spacing, slot, density = uplink.subcarrier_spacing_hz, uplink.slot_s, uplink.noise_psd_w_per_hz
    power = 1.0 if snr_db == math.inf else power_w(settings)
    for key, meaning, value in (
        ("channel.snr_db", "transmit power SNR·W·N0 [W]", power),
        ("uplink.noise_psd_w_per_hz", "noise power N0/T [W]", density / slot),
        ("uplink.slot_s", "number of symbols W·T", spacing * slot),
    ):
        rule = f"must make a {meaning} from {LEAST:g} to {MOST:g}, and makes {value:.1g}"
        _refuse(settings, key, (not LEAST <= value <= MOST, rule))


def _slot(settings: Settings) -> None:
    """Refuse slots shorter than a symbol, and more symbols in one than the band carries."""
    uplink = settings.uplink
    shortest_s = 1 / uplink.subcarrier_spacing_hz
    if uplink.slot_s < shortest_s * (1 - ROUNDING):
        rule = f"must be at least 1/uplink.subcarrier_spacing_hz = {shortest_s:.6g} s, the length of a symbol"
        raise settings.refusal("uplink.slot_s", rule)
    symbols, most = uplink.symbols_per_slot, most_symbols(uplink.subcarrier_spacing_hz, uplink.slot_s)
    if symbols != "as_printed" and symbols > most:
        rule = f"must be at most the {most} complex symbols that fit in a slot with their cyclic prefixes, W·T/1.07"
        raise settings.refusal("uplink.symbols_per_slot", rule)


def require_countable(settings: Settings, blocks: float) -> None:
    """Refuse more coherence blocks (times with one channel) than can be counted."""
    if not blocks <= MOST_BLOCKS:
        rule = f"makes {blocks:.0e} or more blocks in a run, but at most {MOST_BLOCKS:.0e} can be counted"
        raise settings.refusal("channel.coherence_s", rule)


def _coherence(settings: Settings, method: Method) -> None:
    """Refuse more coherence blocks than can be counted; warn of a channel in which no worker trains."""
    channel, compute_s = settings.channel, settings.local.compute_s
    if channel.coherence_s:
        by_clock = settings.energy.cycles_per_sample / settings.energy.clock_hz
        least_s = by_clock if compute_s == "by_clock" else compute_s
        require_countable(settings, settings.run.iterations * (least_s + settings.uplink.slot_s) / channel.coherence_s)
    flips = method.flips(settings) and not fading.FADING[channel.fading].static
    if flips and channel.coherence_iterations == 1 and settings.run.iterations > 1:
        why = f"{settings.method} solves for duals after every change, and so never trains"
        warnings.warn(f"channel.coherence_iterations = 1: {why}", Remark, stacklevel=2)


def _fading(settings: Settings) -> None:
    """Refuse a fading model that fails; warn of gains with a mean square other than 1."""
    name = settings.channel.fading
    try:
        model = fading.FADING.make(name, **settings.channel.model_dump())
        if model.costly:
            return
        fading.require_sound(model)
        mean = fading.mean_square(model)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a user's model may even end the process
        of_user = name not in of_package(fading.FADING)
        if of_user and _fails_by_default(name):
            user_keys.forget(fading.FADING, name)
        why = f"its model fails: {plugins.why(error)}" if of_user else str(error)
        raise settings.refusal("channel.fading", why) from None
    if mean is not None:
        rule = f"gains of {name} fading have a mean square of {mean:.3g}, which adds to channel.snr_db"
        warnings.warn(rule, Remark, stacklevel=2)


def _fails_by_default(name: str) -> bool:
    """Return True for a fading model that fails with its defaults, and not for some parameters alone."""
    try:
        model = fading.FADING.make(name)
        fading.require_sound(model)
        fading.mean_square(model)
    except Exception:
        return True
    return False


def _cell(settings: Settings) -> None:
    """Refuse a ring of no area, a ring for workers that have places already, and what neighbours do not fit."""
    name, noise_free = settings.channel.fading, settings.channel.snr_db == math.inf
    placed = settings.cell.radius_m and fading.FADING[name].placed
    _refuse(settings, "cell.radius_m", (placed, f"contradicts channel.fading = {name!r}, which places workers"))
    cell(settings)
    if not settings.cell.neighbours:
        return
    for key in ("cell.antennas", "cell.worker_antennas"):
        rule = "contradicts cell.neighbours, whose interference is not white over antennas"
        _refuse(settings, key, (settings.value(key) > 1, rule))
    rule = "needs a finite channel.snr_db, as interference is relative to a worker's power"
    _refuse(settings, "cell.neighbours", (noise_free, rule))
    rule = "contradicts cell.neighbours, whose workers are all around"
    _refuse(settings, "cell.sector_deg", (settings.cell.sector_deg != 360, rule))


def _knowledge(settings: Settings) -> None:
    """Refuse imperfect channel knowledge where uplink or downlink need it perfect."""
    channel, uplink = settings.channel, settings.uplink
    try:
        imperfections(settings)
    except ParameterError as error:
        raise settings.refusal("channel.timing_error_s", error.rule) from None
    least_squares = channel.pilots and channel.estimator != "mmse"
    rule = "belongs to analog uploads; digital codes need an error that is independent of the estimate"
    split = uplinks.uplink(uplinks.kind(settings)).splits
    _refuse(settings, "channel.estimator", (least_squares and split, rule))
    both_parts = "contradicts uplink.elements_per_symbol = 2, whose two parts would leak into each other"
    for key in ("channel.pilots", "channel.phase_error_rad", "channel.timing_error_s"):
        _refuse(
            settings,
            key,
            (settings.value(key) and uplink.elements_per_symbol == 2, both_parts),
            (
                settings.value(key) and uplink.downlink == "analog",
                'contradicts uplink.downlink = "analog", which divides by gains',
            ),
        )


def _noise(settings: Settings) -> None:
    """Refuse heavy-tailed noise beside what is computed for normal noise or for its variance."""
    if settings.channel.noise == "gaussian":
        return
    control, name = chain.chain(settings).power_control, _named(settings, "power_control")
    _refuse(
        settings,
        "channel.noise",
        (control.by_snr, f"contradicts {name}: the variance is infinite"),
        (control.edges > 1, f"contradicts {name}: variances do not add up over edges"),
        (settings.cell.neighbours, "contradicts cell.neighbours: their interference is normal"),
        (settings.channel.pilots, f"contradicts channel.pilots = {settings.channel.pilots}: their noise is normal"),
        (settings.uplink.downlink == "analog", 'contradicts uplink.downlink = "analog": its noise is normal'),
        (settings.uplink.peak_backoff_db < math.inf, "contradicts uplink.peak_backoff_db: distortion is normal"),
        (imperfections(settings).mixes, "contradicts channel.timing_error_s: interference is normal"),
    )


def _hostile(settings: Settings) -> None:
    """Refuse attacks and bounds on the length of vectors of which signs alone are sent."""
    if not chain.chain(settings).compressor.unit:
        return
    rule, federation = f"contradicts {_named(settings, 'compressor')}: signs have no length", settings.federation
    _refuse(settings, "federation.attack", (federation.hostile and federation.attack == "norm", rule))
    _refuse(settings, "uplink.clip_norm", (settings.uplink.clip_norm, rule))


def _cuts(settings: Settings, method: Method, carrier: type[Uplink]) -> None:
    """Refuse uploads that are lost where all workers are needed; over the air they arrive in part."""
    if not settings.federation.cut_chance or carrier.superposes:
        return
    lost = f"must be 0 with the {carrier.kinds[0]} uplink, which loses a cut upload:"
    receiver = chain.chain(settings).receiver
    _refuse(
        settings,
        "federation.cut_chance",
        (EVERYBODY in method.limits, f"{lost} with {settings.method} all workers take part in every round"),
        (receiver.needs_all, f"{lost} {_named(settings, 'receiver')} needs all workers in every round"),
    )


def _antennas(settings: Settings) -> None:
    """Refuse antennas on both sides, and at a server that all workers see in one direction."""
    antennas, name = settings.cell.antennas, settings.channel.fading
    both, aligned = settings.cell.worker_antennas > 1, fading.FADING[name].one_direction
    rule = f"contradicts cell.antennas = {antennas}: several antennas are either at workers or at the server"
    _refuse(settings, "cell.worker_antennas", (antennas > 1 and both, rule))
    rule = f"contradicts channel.fading = {name!r}, whose workers are all in the same direction"
    _refuse(settings, "cell.antennas", (antennas > 1 and aligned, rule))


def _surface(settings: Settings, carrier: type[Uplink]) -> None:
    """Refuse a surface without places of workers, without a common upload, or with knowledge that nobody has of it."""
    cell, channel = settings.cell, settings.channel
    if not cell.surface_elements:
        return
    reports = settings.uplink.charge_side_information or settings.by_channel
    behind = 'needs channel.estimator = "least_squares": nobody knows mean gains behind optimised phases'
    endless = 'contradicts uplink.subcarriers = "one_slot": reports need a band without end, which has no common phases'
    _refuse(
        settings,
        "cell.surface_elements",
        (not carrier.superposes, "needs an analog upload, in which one choice of phases serves all workers at once"),
        (not cell.radius_m, "needs cell.radius_m, as path losses over the surface follow from places"),
        (cell.worker_antennas > 1, f"contradicts cell.worker_antennas = {cell.worker_antennas}: workers have one"),
        (channel.pilots and channel.estimator == "mmse", behind),
        (reports and settings.subcarriers == "one_slot", endless),
    )


def _selection(settings: Settings, carrier: type[Uplink]) -> None:
    """Refuse selection of workers by their channels where there are none, or where nobody knows them."""
    if settings.federation.sampling == "channel":
        _refuse(
            settings,
            "federation.sampling",
            (not carrier.wireless, f"needs a channel, but the {carrier.kinds[0]} uplink has none"),
            (settings.blind, f"contradicts {_combiner(settings)}, with which workers do not know their channels"),
        )


def _energy(settings: Settings, carrier: type[Uplink]) -> None:
    """Refuse all energy of a run without a radio or without noise; warn of infinite energies."""
    noise_free = settings.channel.snr_db == math.inf and carrier.wireless
    if settings.energy.whole:
        _refuse(
            settings,
            "energy.whole",
            (not carrier.wireless, f"needs a radio, but the {carrier.kinds[0]} uplink has none"),
            (noise_free, "needs a finite channel.snr_db, as the energy is infinite without noise"),
        )
    if noise_free:
        said = "channel.snr_db = inf: without noise, the transmit power and all energies of the result are infinite"
        warnings.warn(said, Remark, stacklevel=2)


def _named(settings: Settings, part: str) -> str:
    """Return a part of the uplink as key and value."""
    return f"uplink.{part} = {chain.names(settings)[part]!r}"


def _combiner(settings: Settings) -> str:
    """Return the combiner of antennas as key and value."""
    return f"uplink.combiner = {settings.uplink.combiner!r}"
