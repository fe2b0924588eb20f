"""Rules between keys of channel, cell and uplink."""

import math
import warnings
from collections.abc import Iterator

from otafl import uplinks
from otafl.algorithms import Method
from otafl.algorithms.method import EVERYBODY
from otafl.channels import fading
from otafl.channels.allocation import FixedUses
from otafl.channels.errors import ParameterError
from otafl.channels.fading.plane_waves import LIGHT_M_S
from otafl.channels.grid import most_symbols
from otafl.compressors.floating_point import FRACTIONS
from otafl.errors import OtaflError, Remark
from otafl.settings import user_keys
from otafl.settings.keys import BOUNDS, Rule, Settings
from otafl.settings.part_keys import of_package
from otafl.uplinks import Uplink, chain, requirements
from otafl.uplinks.digital import unrounded_bits
from otafl.uplinks.physical_layer import cell, changing, imperfections, interferes, oscillators, power_w
from otafl.user_code import plugins

LEAST, MOST = 1e-36, 1e37
"""Bounds on quantities of the radio, well within the range of single precision."""
MOST_BLOCKS = 2**53
"""Largest number of coherence blocks: double precision holds all whole numbers up to it."""
MOST_TURNS = 0.1
"""Periods of an offset, a linewidth or a Doppler shift within a symbol above which a remark says that it is long."""
ROUNDING = 1e-9
"""Share by which a slot may be shorter than a symbol, as both are rounded."""


def check(settings: Settings, method: Method, factor: int) -> None:
    """Refuse contradictory settings of channel, cell and uplink; warn of surprising ones."""
    carrier = uplinks.uplink(uplinks.kind(settings))
    _carried(settings, method, factor)
    _coherence(settings, method)
    _fading(settings)
    for rules in (_uplink, _band, _participation, _cell, _surface, _knowledge, _changes, _noise, _uploads):
        settings.require(rules(settings, method, carrier))
    requirements.check(settings, method, carrier.parts)
    if settings.channel.snr_db == math.inf and carrier.wireless:
        said = "channel.snr_db = inf: without noise, the transmit power and all energies of the result are infinite"
        warnings.warn(said, Remark, stacklevel=2)


def _carried(settings: Settings, method: Method, factor: int) -> None:
    kind = uplinks.kind(settings)
    if not any(name in method.uplinks for name in uplinks.uplink(kind).kinds):
        noisy = method.uplink_reason and not uplinks.uplink(kind).exact
        reason = f", not by the {kind} one: {method.uplink_reason}" if noisy else ""
        rule = f"{settings.method} is carried by the {' or '.join(method.uplinks)} uplink{reason}"
        raise OtaflError("uplink.kind", kind, rule)
    if factor > 1 and settings.uplink.subcarriers == "one_slot":
        raise OtaflError("method", settings.method, 'contradicts uplink.subcarriers = "one_slot"')


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


def _uplink(settings: Settings, method: Method, carrier: type[Uplink]) -> Iterator[Rule]:
    key, kind, name = "uplink.downlink", carrier.kinds[0], settings.method
    if settings.uplink.downlink == "analog":
        scheduled = next((f"{key}_schedule" for key in method.scheduled if settings.value(f"{key}_schedule")), "")
        knows_none = f"contradicts {_named(settings, 'combiner')}, with which workers know no gain to divide by"
        yield key, not carrier.superposes, f"can be used only with the analog uplink, not the {kind} one"
        yield key, settings.partial, "needs all workers in every round: idle workers do not receive it"
        yield key, scheduled, f"contradicts {scheduled}: where parameters change, the model must arrive as it is"
        yield key, settings.blind, knows_none
    if carrier.splits and chain.chain(settings).compressor.floats:
        key, most, bits = "uplink.bits_per_element", unrounded_bits(method), settings.uplink.bits_per_element
        widths = ", ".join(str(width) for width in FRACTIONS if width < most)
        floating = f"must be {widths} or {most}, of a floating-point number; uplink.compressor = 'qsgd' has 2 to 32"
        yield key, bits not in FRACTIONS, floating
        yield key, bits > most, f"must be at most 32: {name} computes in single precision"
        yield key, bits < 32 and method.further_sums, f"must be 32: {name} forms sums of multiples of what is sent"


def _band(settings: Settings, method: Method, carrier: type[Uplink]) -> Iterator[Rule]:
    uplink, snr_db, shortest_s = settings.uplink, settings.channel.snr_db, 1 / settings.uplink.subcarrier_spacing_hz
    spacing, symbols, total = uplink.subcarrier_spacing_hz, uplink.symbols_per_slot, uplink.power_reference == "total"
    rule = 'contradicts uplink.subcarriers = "one_slot", with which the total power has no fixed spread'
    yield "uplink.power_reference", total and uplink.subcarriers == "one_slot", rule
    for key, meaning, value in (
        ("channel.snr_db", "transmit power SNR·W·N0 [W]", 1.0 if snr_db == math.inf else power_w(settings)),
        ("uplink.noise_psd_w_per_hz", "noise power N0/T [W]", uplink.noise_psd_w_per_hz / uplink.slot_s),
        ("uplink.slot_s", "number of symbols W·T", spacing * uplink.slot_s),
    ):
        rule = f"must make a {meaning} from {LEAST:g} to {MOST:g}, and makes {value:.1g}"
        yield key, not LEAST <= value <= MOST, rule
    rule = f"must be at least 1/uplink.subcarrier_spacing_hz = {shortest_s:.6g} s, the length of a symbol"
    yield "uplink.slot_s", uplink.slot_s < shortest_s * (1 - ROUNDING), rule
    most = most_symbols(spacing, uplink.slot_s)
    rule = f"must be at most the {most} complex symbols that fit in a slot with their cyclic prefixes, W·T/1.07"
    yield "uplink.symbols_per_slot", symbols != "as_printed" and symbols > most, rule


def _participation(settings: Settings, method: Method, carrier: type[Uplink]) -> Iterator[Rule]:
    outage, deadline_s, pilots = settings.uplink.outage, settings.federation.deadline_s, settings.channel.pilots
    drawn, everybody = settings.drawn, EVERYBODY in method.limits
    if outage:
        key, unknown = "uplink.outage", f"contradicts channel.pilots = {pilots}: the slowest workers would be known"
        yield key, everybody, f"must be 0: with {settings.method} all workers take part"
        yield key, pilots, f"{unknown} without pilots"
        yield key, settings.subcarriers == "one_slot", 'contradicts uplink.subcarriers = "one_slot"'
        yield key, drawn > 1 and drawn * outage > drawn - 1, f"leaves none of {drawn} workers"
    for key in BOUNDS:
        rule = f"must be left out: with {settings.method} all workers take part in every round"
        yield key, settings.value(key) and everybody, rule
    if deadline_s:
        key, compute_s = "federation.deadline_s", settings.local.compute_s
        least_s = settings.uplink.slot_s + (0.0 if isinstance(compute_s, str) else compute_s)
        early = f"must be at least {least_s:g}, the time of local training and of one slot"
        yield key, carrier.wireless and deadline_s < least_s, early
        unknown = f"contradicts channel.pilots = {pilots}: late workers would be known without them"
        yield key, carrier.splits and pilots, unknown


def _cell(settings: Settings, method: Method, carrier: type[Uplink]) -> Iterator[Rule]:
    name, neighbours, antennas = settings.channel.fading, settings.cell.neighbours, settings.cell.antennas
    placed = settings.cell.radius_m and fading.FADING[name].placed
    yield "cell.radius_m", placed, f"contradicts channel.fading = {name!r}, which places workers"
    cell(settings)
    _remark_on_path_loss(settings)
    for key in ("cell.antennas", "cell.worker_antennas"):
        rule = "contradicts cell.neighbours, whose interference is not white over antennas"
        yield key, neighbours and settings.value(key) > 1, rule
    rule = "needs a finite channel.snr_db, as interference is relative to a worker's power"
    yield "cell.neighbours", neighbours and settings.channel.snr_db == math.inf, rule
    rule = "contradicts cell.neighbours, whose workers are all around"
    yield "cell.sector_deg", neighbours and settings.cell.sector_deg != 360, rule
    rule = f"contradicts channel.fading = {name!r}, whose workers are all in the same direction"
    yield "cell.antennas", antennas > 1 and fading.FADING[name].one_direction, rule


def _remark_on_path_loss(settings: Settings) -> None:
    """Warn of the default path loss at 1 m where it is below that of free space at the carrier, 20·log10(4π·d0·f/c)."""
    keys, carrier_hz = settings.cell, settings.channel.model_dump()["carrier_hz"]
    by_carrier = "carrier_hz" in fading.FADING.parameters(settings.channel.fading)
    by_carrier = by_carrier or settings.channel.carrier_offset_ppm
    if keys.radius_m is None or not (by_carrier or keys.snr_at == "link_budget"):
        return
    free_db = 20 * math.log10(4 * math.pi * carrier_hz / LIGHT_M_S)
    if keys.path_loss_db == type(keys).model_fields["path_loss_db"].default < free_db:
        said = f"is {free_db - keys.path_loss_db:.1f} dB below free space at {carrier_hz / 1e9:g} GHz"
        said = f"{said}, which has {free_db:.1f}"
        warnings.warn(f"cell.path_loss_db = {keys.path_loss_db:g} {said}", Remark, stacklevel=2)


def _surface(settings: Settings, method: Method, carrier: type[Uplink]) -> Iterator[Rule]:
    key, cell, channel = "cell.surface_elements", settings.cell, settings.channel
    if not cell.surface_elements:
        return
    common = "needs an analog upload, in which one choice of phases serves all workers at once"
    yield key, not carrier.superposes, common
    yield key, not cell.radius_m, "needs cell.radius_m, as path losses over the surface follow from places"
    yield key, cell.worker_antennas > 1, f"contradicts cell.worker_antennas = {cell.worker_antennas}: workers have one"
    behind = 'needs channel.estimator = "least_squares": nobody knows mean gains behind optimised phases'
    yield key, channel.pilots and channel.estimator == "mmse", behind
    reports = settings.uplink.charge_side_information or settings.by_channel
    endless = 'contradicts uplink.subcarriers = "one_slot": reports need a band without end, which has no common phases'
    yield key, reports and settings.subcarriers == "one_slot", endless


def _knowledge(settings: Settings, method: Method, carrier: type[Uplink]) -> Iterator[Rule]:
    channel, uplink = settings.channel, settings.uplink
    try:
        imperfections(settings)
    except ParameterError as error:
        raise settings.refusal("channel.timing_error_s", error.rule) from None
    least_squares = channel.pilots and channel.estimator != "mmse"
    rule = "belongs to analog uploads; digital codes need an error that is independent of the estimate"
    yield "channel.estimator", least_squares and carrier.splits, rule
    both = "contradicts uplink.elements_per_symbol = 2, whose two parts would leak into each other"
    divided = 'contradicts uplink.downlink = "analog", which divides by gains'
    for key in ("channel.pilots", "channel.phase_error_rad", "channel.timing_error_s", changing(settings)):
        yield key, key and settings.value(key) and uplink.elements_per_symbol == 2, both
        yield key, key and settings.value(key) and uplink.downlink == "analog", divided


def _changes(settings: Settings, method: Method, carrier: type[Uplink]) -> Iterator[Rule]:
    """Refuse what is unknown of uploads in which gains or phases change; remark on symbols that are too long."""
    channel, uplink, key = settings.channel, settings.uplink, "channel.evolves"
    both = "contradicts channel.carrier_offset_hz: the offset is given in one of the two units"
    yield "channel.carrier_offset_ppm", channel.carrier_offset_ppm and channel.carrier_offset_hz, both
    moving = ", ".join(name for name, model in fading.FADING.items() if model.moves)
    by_symbol, moves = channel.evolves == "by_symbol", fading.FADING[channel.fading].moves
    yield key, by_symbol and not moves, f"needs gains that are known between blocks, of {moving}"
    surface = "contradicts cell.surface_elements, whose phases are chosen once in a block"
    yield key, by_symbol and settings.cell.surface_elements, surface
    if not (key := changing(settings)):
        return
    reported = uplink.charge_side_information and not channel.pilots
    untold = "needs channel.pilots where gains move within an upload: reports are of one gain in a block"
    yield "uplink.charge_side_information", reported and oscillators(settings).doppler_hz, untold
    yield key, uplink.symbols_per_slot == "as_printed", "needs symbols of a known length, not as_printed"
    needed = "must be at least 1: a receiver of digital uploads follows each worker by pilots"
    yield "channel.pilot_period_slots", carrier.splits and not channel.pilot_period_slots, needed
    fixed = "contradicts uplink.allocation = 'fixed_uses': workers would not know their bits"
    yield key, carrier.splits and isinstance(chain.chain(settings).allocation, FixedUses), fixed
    _remark_on_symbols(settings, key)
    if carrier.splits and channel.between_pilots == "hold":
        _remark_on_pilots(settings)


def _remark_on_symbols(settings: Settings, key: str) -> None:
    """Warn of symbols within which carriers or gains turn far."""
    moved, most = oscillators(settings), most_symbols(settings.uplink.subcarrier_spacing_hz, settings.uplink.slot_s)
    turns = moved.window_s * max(moved.offset_hz, moved.total_linewidth_hz, moved.doppler_hz)
    if turns > MOST_TURNS and settings.uplink.symbols_per_slot != most:
        said = f"turns by {turns:.2g} periods within a symbol of {1e3 * moved.symbol_s:.3g} ms, which few would send"
        warnings.warn(f"{key}: {said}; uplink.symbols_per_slot = {most} has shorter ones", Remark, stacklevel=2)


def _remark_on_pilots(settings: Settings) -> None:
    """Warn of offsets that turn far from pilots to pilots of a digital upload that holds what it knows."""
    turns = oscillators(settings).offset_hz * settings.channel.pilot_period_slots * settings.uplink.slot_s
    if turns > MOST_TURNS:
        said = f"offsets turn by {turns:.2g} periods until the next pilots, and digital uploads take very long"
        warnings.warn(f"channel.between_pilots = hold: {said}; linear follows them", Remark, stacklevel=2)


def _noise(settings: Settings, method: Method, carrier: type[Uplink]) -> Iterator[Rule]:
    if settings.channel.noise == "gaussian":
        return
    key, pilots, control = "channel.noise", settings.channel.pilots, chain.chain(settings).power_control
    name = _named(settings, "power_control")
    yield key, control.by_snr, f"contradicts {name}: the variance is infinite"
    yield key, control.edges > 1, f"contradicts {name}: variances do not add up over edges"
    yield key, settings.cell.neighbours, "contradicts cell.neighbours: their interference is normal"
    yield key, pilots, f"contradicts channel.pilots = {pilots}: their noise is normal"
    analog, clips = settings.uplink.downlink == "analog", settings.uplink.peak_backoff_db < math.inf
    yield key, analog, 'contradicts uplink.downlink = "analog": its noise is normal'
    yield key, clips, "contradicts uplink.peak_backoff_db: distortion is normal"
    mixing = changing(settings) or "channel.timing_error_s"
    yield key, interferes(settings), f"contradicts {mixing}: interference is normal"


def _uploads(settings: Settings, method: Method, carrier: type[Uplink]) -> Iterator[Rule]:
    federation, parts, kind = settings.federation, chain.chain(settings), carrier.kinds[0]
    rule = f"contradicts {_named(settings, 'compressor')}: signs have no length"
    attacked = federation.hostile and federation.attack == "norm"
    yield "federation.attack", parts.compressor.unit and attacked, rule
    yield "uplink.clip_norm", parts.compressor.unit and settings.uplink.clip_norm, rule
    if federation.cut_chance and not carrier.superposes:
        key, lost = "federation.cut_chance", f"must be 0 with the {kind} uplink, which loses a cut upload:"
        yield key, EVERYBODY in method.limits, f"{lost} with {settings.method} all workers take part in every round"
        yield key, parts.receiver.needs_all, f"{lost} {_named(settings, 'receiver')} needs all workers in every round"
    if federation.sampling == "channel":
        key, combiner = "federation.sampling", _named(settings, "combiner")
        yield key, not carrier.wireless, f"needs a channel, but the {kind} uplink has none"
        yield key, settings.blind, f"contradicts {combiner}, with which workers do not know their channels"
    if settings.energy.whole:
        key, infinite = "energy.whole", "needs a finite channel.snr_db, as the energy is infinite without noise"
        yield key, not carrier.wireless, f"needs a radio, but the {kind} uplink has none"
        yield key, settings.channel.snr_db == math.inf, infinite


def _named(settings: Settings, part: str) -> str:
    return f"uplink.{part} = {chain.names(settings)[part]!r}"
