"""Rules between keys of channel, cell and uplink."""

import math
import warnings
from collections.abc import Iterator

from otafl import uplinks
from otafl.algorithms import Method
from otafl.algorithms.method import EVERYBODY
from otafl.channels import fading
from otafl.channels.errors import ParameterError
from otafl.channels.grid import most_symbols
from otafl.compressors.floating_point import FRACTIONS
from otafl.errors import OtaflError, Remark
from otafl.settings import user_keys
from otafl.settings.keys import BOUNDS, Rule, Settings
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
    settings.require(_downlink(settings, method, carrier))
    settings.require(_outage(settings, method))
    settings.require(_number_bits(settings, method, carrier))
    settings.require(_deadlines(settings, method, carrier))
    settings.require(_radio(settings))
    settings.require(_slot(settings))
    _coherence(settings, method)
    _fading(settings)
    settings.require(_cell(settings))
    settings.require(_knowledge(settings))
    settings.require(_antennas(settings))
    settings.require(_noise(settings))
    settings.require(_hostile(settings))
    settings.require(_cuts(settings, method, carrier))
    settings.require(_surface(settings, carrier))
    requirements.check(settings, method, carrier.parts)
    settings.require(_selection(settings, carrier))
    settings.require(_energy(settings, carrier))
    if settings.channel.snr_db == math.inf and carrier.wireless:
        said = "channel.snr_db = inf: without noise, the transmit power and all energies of the result are infinite"
        warnings.warn(said, Remark, stacklevel=2)


def _uplink(settings: Settings, method: Method, factor: int) -> None:
    kind, one_slot = uplinks.kind(settings), settings.uplink.subcarriers == "one_slot"
    if not uplinks.carries(kind, method):
        carried = f"{settings.method} is carried by the {' or '.join(method.uplinks)} uplink"
        noisy = not uplinks.uplink(kind).exact
        reason = f", not by the {kind} one: {method.uplink_reason}" if method.uplink_reason and noisy else ""
        raise OtaflError("uplink.kind", kind, carried + reason)
    if factor > 1 and one_slot:
        raise OtaflError("method", settings.method, 'contradicts uplink.subcarriers = "one_slot"')
    if settings.uplink.power_reference == "total" and one_slot:
        rule = 'contradicts uplink.subcarriers = "one_slot", with which the total power has no fixed spread'
        raise settings.refusal("uplink.power_reference", rule)


def _downlink(settings: Settings, method: Method, carrier: type[Uplink]) -> Iterator[Rule]:
    """Yield what an analog downlink breaks that some worker does not hear or cannot use."""
    if settings.uplink.downlink == "digital":
        return
    key, kind = "uplink.downlink", carrier.kinds[0]
    scheduled = next((f"{key}_schedule" for key in method.scheduled if settings.value(f"{key}_schedule")), "")
    yield key, not carrier.superposes, f"can be used only with the analog uplink, not the {kind} one"
    yield key, settings.partial, "needs all workers in every round: idle workers do not receive it"
    yield key, scheduled, f"contradicts {scheduled}: where parameters change, the model must arrive as it is"
    yield key, settings.blind, f"contradicts {_combiner(settings)}, with which workers know no gain to divide by"


def _outage(settings: Settings, method: Method) -> Iterator[Rule]:
    """Yield what outage breaks where all workers are needed, or where there is no band to share."""
    key, outage, drawn, pilots = "uplink.outage", settings.uplink.outage, settings.drawn, settings.channel.pilots
    if outage:
        yield key, EVERYBODY in method.limits, f"must be 0: with {settings.method} all workers take part"
        yield key, pilots, f"contradicts channel.pilots = {pilots}: the slowest workers would be known without pilots"
        yield key, settings.subcarriers == "one_slot", 'contradicts uplink.subcarriers = "one_slot"'
        yield key, drawn > 1 and drawn * outage > drawn - 1, f"leaves none of {drawn} workers"


def _number_bits(settings: Settings, method: Method, carrier: type[Uplink]) -> Iterator[Rule]:
    """Yield what bits of elements break that are none of a floating-point number, or not those of what is sent."""
    if not (carrier.splits and chain.chain(settings).compressor.floats):
        return
    key, name, most = "uplink.bits_per_element", settings.method, unrounded_bits(method)
    bits, widths = settings.uplink.bits_per_element, ", ".join(str(width) for width in FRACTIONS if width < most)
    floating = f"must be {widths} or {most}, of a floating-point number; uplink.compressor = 'qsgd' has 2 to 32"
    yield key, bits not in FRACTIONS, floating
    yield key, bits > most, f"must be at most 32: {name} computes in single precision"
    yield key, bits < 32 and method.further_sums, f"must be 32: {name} forms sums of multiples of what is sent"


def _deadlines(settings: Settings, method: Method, carrier: type[Uplink]) -> Iterator[Rule]:
    """Yield what bounds break where all workers are needed, all are late, or nobody knows beforehand who is late."""
    everybody = f"must be left out: with {settings.method} all workers take part in every round"
    for key in BOUNDS:
        yield key, settings.value(key) and EVERYBODY in method.limits, everybody
    key, deadline_s, pilots = "federation.deadline_s", settings.federation.deadline_s, settings.channel.pilots
    if deadline_s:
        compute_s = settings.local.compute_s
        least_s = settings.uplink.slot_s + (0.0 if isinstance(compute_s, str) else compute_s)
        early = f"must be at least {least_s:g}, the time of local training and of one slot"
        yield key, carrier.wireless and deadline_s < least_s, early
        unknown = f"contradicts channel.pilots = {pilots}: late workers would be known without them"
        yield key, carrier.splits and pilots, unknown


def _radio(settings: Settings) -> Iterator[Rule]:
    """Yield quantities of the radio that single precision does not hold."""
    uplink, snr_db = settings.uplink, settings.channel.snr_db
    spacing, slot, density = uplink.subcarrier_spacing_hz, uplink.slot_s, uplink.noise_psd_w_per_hz
    power = 1.0 if snr_db == math.inf else power_w(settings)
    for key, meaning, value in (
        ("channel.snr_db", "transmit power SNR·W·N0 [W]", power),
        ("uplink.noise_psd_w_per_hz", "noise power N0/T [W]", density / slot),
        ("uplink.slot_s", "number of symbols W·T", spacing * slot),
    ):
        rule = f"must make a {meaning} from {LEAST:g} to {MOST:g}, and makes {value:.1g}"
        yield key, not LEAST <= value <= MOST, rule


def _slot(settings: Settings) -> Iterator[Rule]:
    """Yield what slots break that are shorter than a symbol, or have more symbols than the band carries."""
    uplink, shortest_s = settings.uplink, 1 / settings.uplink.subcarrier_spacing_hz
    rule = f"must be at least 1/uplink.subcarrier_spacing_hz = {shortest_s:.6g} s, the length of a symbol"
    yield "uplink.slot_s", uplink.slot_s < shortest_s * (1 - ROUNDING), rule
    symbols, most = uplink.symbols_per_slot, most_symbols(uplink.subcarrier_spacing_hz, uplink.slot_s)
    rule = f"must be at most the {most} complex symbols that fit in a slot with their cyclic prefixes, W·T/1.07"
    yield "uplink.symbols_per_slot", symbols != "as_printed" and symbols > most, rule


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


def _cell(settings: Settings) -> Iterator[Rule]:
    """Yield what a ring breaks of no area, or for workers that have places already, and what neighbours do not fit."""
    name, noise_free = settings.channel.fading, settings.channel.snr_db == math.inf
    placed = settings.cell.radius_m and fading.FADING[name].placed
    yield "cell.radius_m", placed, f"contradicts channel.fading = {name!r}, which places workers"
    cell(settings)
    if not settings.cell.neighbours:
        return
    for key in ("cell.antennas", "cell.worker_antennas"):
        rule = "contradicts cell.neighbours, whose interference is not white over antennas"
        yield key, settings.value(key) > 1, rule
    rule = "needs a finite channel.snr_db, as interference is relative to a worker's power"
    yield "cell.neighbours", noise_free, rule
    rule = "contradicts cell.neighbours, whose workers are all around"
    yield "cell.sector_deg", settings.cell.sector_deg != 360, rule


def _knowledge(settings: Settings) -> Iterator[Rule]:
    """Yield imperfect channel knowledge where uplink or downlink need it perfect."""
    channel, uplink = settings.channel, settings.uplink
    try:
        imperfections(settings)
    except ParameterError as error:
        raise settings.refusal("channel.timing_error_s", error.rule) from None
    least_squares = channel.pilots and channel.estimator != "mmse"
    rule = "belongs to analog uploads; digital codes need an error that is independent of the estimate"
    yield "channel.estimator", least_squares and uplinks.uplink(uplinks.kind(settings)).splits, rule
    both = "contradicts uplink.elements_per_symbol = 2, whose two parts would leak into each other"
    divided = 'contradicts uplink.downlink = "analog", which divides by gains'
    for key in ("channel.pilots", "channel.phase_error_rad", "channel.timing_error_s"):
        yield key, settings.value(key) and uplink.elements_per_symbol == 2, both
        yield key, settings.value(key) and uplink.downlink == "analog", divided


def _noise(settings: Settings) -> Iterator[Rule]:
    """Yield what heavy-tailed noise breaks beside what is computed for normal noise or for its variance."""
    if settings.channel.noise == "gaussian":
        return
    key, pilots, control = "channel.noise", settings.channel.pilots, chain.chain(settings).power_control
    name = _named(settings, "power_control")
    yield key, control.by_snr, f"contradicts {name}: the variance is infinite"
    yield key, control.edges > 1, f"contradicts {name}: variances do not add up over edges"
    yield key, settings.cell.neighbours, "contradicts cell.neighbours: their interference is normal"
    yield key, pilots, f"contradicts channel.pilots = {pilots}: their noise is normal"
    analog = settings.uplink.downlink == "analog"
    yield key, analog, 'contradicts uplink.downlink = "analog": its noise is normal'
    clips = settings.uplink.peak_backoff_db < math.inf
    yield key, clips, "contradicts uplink.peak_backoff_db: distortion is normal"
    yield key, imperfections(settings).mixes, "contradicts channel.timing_error_s: interference is normal"


def _hostile(settings: Settings) -> Iterator[Rule]:
    """Yield attacks and bounds on the length of vectors of which signs alone are sent."""
    if chain.chain(settings).compressor.unit:
        rule, federation = f"contradicts {_named(settings, 'compressor')}: signs have no length", settings.federation
        yield "federation.attack", federation.hostile and federation.attack == "norm", rule
        yield "uplink.clip_norm", settings.uplink.clip_norm, rule


def _cuts(settings: Settings, method: Method, carrier: type[Uplink]) -> Iterator[Rule]:
    """Yield uploads that are lost where all workers are needed; over the air they arrive in part."""
    if settings.federation.cut_chance and not carrier.superposes:
        key, needs_all = "federation.cut_chance", chain.chain(settings).receiver.needs_all
        lost = f"must be 0 with the {carrier.kinds[0]} uplink, which loses a cut upload:"
        always = f"{lost} with {settings.method} all workers take part in every round"
        yield key, EVERYBODY in method.limits, always
        yield key, needs_all, f"{lost} {_named(settings, 'receiver')} needs all workers in every round"


def _antennas(settings: Settings) -> Iterator[Rule]:
    """Yield antennas on both sides, and at a server that all workers see in one direction."""
    antennas, name = settings.cell.antennas, settings.channel.fading
    rule = f"contradicts cell.antennas = {antennas}: several antennas are either at workers or at the server"
    yield "cell.worker_antennas", antennas > 1 and settings.cell.worker_antennas > 1, rule
    rule = f"contradicts channel.fading = {name!r}, whose workers are all in the same direction"
    yield "cell.antennas", antennas > 1 and fading.FADING[name].one_direction, rule


def _surface(settings: Settings, carrier: type[Uplink]) -> Iterator[Rule]:
    """Yield what a surface breaks: no places of workers, no common upload, or knowledge that nobody has of it."""
    key, cell, channel = "cell.surface_elements", settings.cell, settings.channel
    if not cell.surface_elements:
        return
    yield (
        key,
        not carrier.superposes,
        "needs an analog upload, in which one choice of phases serves all workers at once",
    )
    yield key, not cell.radius_m, "needs cell.radius_m, as path losses over the surface follow from places"
    several = f"contradicts cell.worker_antennas = {cell.worker_antennas}: workers have one"
    yield key, cell.worker_antennas > 1, several
    behind = 'needs channel.estimator = "least_squares": nobody knows mean gains behind optimised phases'
    yield key, channel.pilots and channel.estimator == "mmse", behind
    reports = settings.uplink.charge_side_information or settings.by_channel
    endless = 'contradicts uplink.subcarriers = "one_slot": reports need a band without end, which has no common phases'
    yield key, reports and settings.subcarriers == "one_slot", endless


def _selection(settings: Settings, carrier: type[Uplink]) -> Iterator[Rule]:
    """Yield selection of workers by their channels where there are none, or where nobody knows them."""
    if settings.federation.sampling == "channel":
        key, unknown = "federation.sampling", f"contradicts {_combiner(settings)}, with which workers do not know"
        yield key, not carrier.wireless, f"needs a channel, but the {carrier.kinds[0]} uplink has none"
        yield key, settings.blind, f"{unknown} their channels"


def _energy(settings: Settings, carrier: type[Uplink]) -> Iterator[Rule]:
    """Yield what all energy of a run breaks without a radio or without noise."""
    if settings.energy.whole:
        key, infinite = "energy.whole", "needs a finite channel.snr_db, as the energy is infinite without noise"
        yield key, not carrier.wireless, f"needs a radio, but the {carrier.kinds[0]} uplink has none"
        yield key, settings.channel.snr_db == math.inf, infinite


def _named(settings: Settings, part: str) -> str:
    """Return a part of the uplink as key and value."""
    return f"uplink.{part} = {chain.names(settings)[part]!r}"


def _combiner(settings: Settings) -> str:
    """Return the combiner of antennas as key and value."""
    return f"uplink.combiner = {settings.uplink.combiner!r}"
