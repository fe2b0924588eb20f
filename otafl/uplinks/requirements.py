"""Requirements of the physical layer's parts on the keys of a run, and remarks on them.

They stand here as the physical layer knows no scenarios. Other parts have methods ``requires`` and ``remark``.
"""

import functools
import importlib.util
import warnings
from collections.abc import Iterator

import numpy as np

from otafl.algorithms import Method
from otafl.channels import fading
from otafl.channels.allocation import FixedUses, ProportionalResponse
from otafl.channels.codes import Nr, nr
from otafl.channels.combiners import COMBINERS, Combiner, GainSum
from otafl.channels.power_control import AveragePower, MmsePower, PerEdge, PowerControl, ScheduledPower
from otafl.channels.precoding import PRECODERS, Precoder, Unprecoded
from otafl.channels.receive_scaling import AmplitudeSum
from otafl.channels.registry import Part
from otafl.errors import OtaflError, Remark
from otafl.settings.keys import Settings
from otafl.uplinks import chain as chains
from otafl.uplinks.chain import Chain, plain
from otafl.uplinks.kinds import UPLINKS, kind
from otafl.uplinks.physical_layer import decibels, symbol_snr_db

Rules = Iterator[tuple[object, str]]
"""Rules of a part: whether a run breaks one, and the end of an error message that says so."""
TRIED_SNR = 10.0
"""SNR of the power control under which a precoder is tried, linear."""
MOST_POWER = 1e4
"""Largest |p|² of a precoder that power control may count, as more leaves hardly any power at |h| = 1."""


def check(settings: Settings, method: Method, read: tuple[str, ...]) -> None:
    """Refuse parts that a run cannot have, by the keys of the table ``uplink`` that it reads, and warn with remarks."""
    chain, names = chains.chain(settings), chains.names(settings)
    for key in read:
        if reason := refusal(key, chain, settings, method):
            raise OtaflError(f"uplink.{key}", names[key], reason)
        part = getattr(chain, key)
        if remark := _by_part(part, "remark", chain, settings) or remark_on(part, chain, settings):
            warnings.warn(f"uplink.{key} = {names[key]}: {remark}", Remark, stacklevel=2)


def refusal(key: str, chain: Chain, settings: Settings, method: Method) -> str:
    """Return the reason why a run cannot have the part that a key chooses, the end of an error message; or empty."""
    part = getattr(chain, key)
    reason = _by_method(key, chain, settings, method) or _by_part(part, "requires", chain, settings, method)
    if not reason and isinstance(part, Precoder):
        reason = part.contradiction()
    if reason := reason or next((rule for broken, rule in rules(part, chain, settings, method) if broken), ""):
        return reason
    if isinstance(part, PowerControl):
        return chain.precoder.contradiction(functools.partial(part.controlled, snr=TRIED_SNR))
    return chain.receiver.by_worker if key == "receiver" and UPLINKS[kind(settings)].superposes else ""


def _by_method(key: str, chain: Chain, settings: Settings, method: Method) -> str:
    """Return the reason for which a method, or workers without channel knowledge, cannot have a part."""
    names = chains.names(settings)
    if key not in ("compressor", "precoder", "power_control") or names[key] == plain(key):
        return ""
    if settings.blind:
        return f"contradicts uplink.combiner = {names['combiner']!r}, with which workers know no gain"
    carried = method.truncates or (key == "compressor" and UPLINKS[kind(settings)].exact)
    carried = carried or (key == "power_control" and chain.power_control.with_weights)
    return "" if carried else f"must be {plain(key)!r}: {settings.method} already weighs by gains"


def _by_part(part: Part, function: str, *run: object) -> str:
    """Return what a part's own function ``requires`` or ``remark`` says of a run; empty without one."""
    return getattr(part, function)(*run) if hasattr(part, function) else ""


@functools.singledispatch
def rules(part: Part, chain: Chain, settings: Settings, method: Method) -> Rules:
    """Yield what a part of the physical layer requires of a run, until a rule is broken."""
    yield from ()


@rules.register
def _(part: Combiner, chain: Chain, settings: Settings, method: Method) -> Rules:
    others = " and ".join(name for name, combiner in COMBINERS.items() if np.isinf(combiner.most_antennas))
    rule = f"can have at most {part.most_antennas} cell.antennas; {others} can have more"
    yield settings.cell.antennas > part.most_antennas, rule


@rules.register
def _(part: GainSum, chain: Chain, settings: Settings, method: Method) -> Rules:
    if settings.cell.antennas == 1:
        return
    unknown = settings.cell.radius_m or fading.FADING[settings.channel.fading].costly
    yield unknown, "weighs workers by their mean gains, which nobody knows and which differ here"
    rule = f"leaves workers without knowledge of their channels, by which {settings.method} weighs"
    yield method.weighs_by_gain(settings), rule
    for key, without in (("channel.pilots", 0), ("cell.worker_antennas", 1), ("uplink.elements_per_symbol", 1)):
        rule = f"contradicts {key} = {settings.value(key)}, which supposes that workers know their channels"
        yield settings.value(key) != without, rule


@rules.register
def _(part: Precoder, chain: Chain, settings: Settings, method: Method) -> Rules:
    unknown = not (part.aligns or chain.receiver.non_coherent or settings.channel.pilots)
    yield unknown, "has no arrival, so that the server must measure it; set channel.pilots"
    rule = "has no arrival, by which its AmplitudeSum divides"
    yield not part.aligns and isinstance(part.receive_scaling, AmplitudeSum), rule


@rules.register
def _(part: Unprecoded, chain: Chain, settings: Settings, method: Method) -> Rules:
    yield not chain.receiver.non_coherent, "leaves random phases, in which contributions cancel each other"


@rules.register
def _(part: AveragePower, chain: Chain, settings: Settings, method: Method) -> Rules:
    unbounded = np.isinf(chain.precoder.mean_power(np.ones(1))).any()
    yield unbounded, "needs a precoder whose mean power over Rayleigh fading is finite"
    for key in ("antennas", "worker_antennas"):
        rule = f"contradicts cell.{key}: it averages over the fading of a single antenna"
        yield getattr(settings.cell, key) > 1, rule
    rule = "contradicts cell.surface_elements: gains behind optimised phases are not Rayleigh"
    yield settings.cell.surface_elements, rule


@rules.register
def _(part: MmsePower, chain: Chain, settings: Settings, method: Method) -> Rules:
    known = " or ".join(repr(name) for name, precoder in PRECODERS.items() if precoder.phase_only)
    yield not chain.precoder.phase_only, f"chooses amplitudes itself, and needs uplink.precoder = {known}"


@rules.register
def _(part: PerEdge, chain: Chain, settings: Settings, method: Method) -> Rules:
    workers, compressor = settings.federation.workers, chain.compressor
    rule = f"needs equal groups, but {workers} workers are no multiple of uplink.edges = {part.edges}"
    yield workers % part.edges, rule
    yield settings.partial, "needs all workers in every round"
    rule = "needs vectors whose sums add up: votes, measurements and codewords are decided on at the edge"
    yield compressor.unit or compressor.measures or chain.receiver.from_codewords, rule
    yield settings.cell.antennas > 1, "contradicts cell.antennas: each edge server has one antenna"
    rule = "contradicts cell.surface_elements: one surface cannot serve several edge servers"
    yield settings.cell.surface_elements, rule


@rules.register
def _(part: ScheduledPower, chain: Chain, settings: Settings, method: Method) -> Rules:
    rule = f"needs updates, whose norm falls, but {settings.method} with local.steps sends models"
    yield method.sends_models(settings), rule
    remedy = "set uplink.inversion_threshold = 0.3" if chain.precoder.truncates else "take truncated_inversion"
    power = f"the largest power of the precoder, {chain.precoder.most_power():.0e} times that at |h| = 1"
    rule = f"counts {power}; {remedy}"
    yield chain.precoder.most_power() > MOST_POWER, rule


@rules.register
def _(part: Nr, chain: Chain, settings: Settings, method: Method) -> Rules:
    yield importlib.util.find_spec("sionna") is None, "needs Sionna, pip install 'otafl[sionna]'"
    snr_db = symbol_snr_db(settings)
    if settings.uplink.power_reference == "total":
        snr_db -= decibels(int(settings.subcarriers) / settings.participants)
    rule = f"needs symbols with an SNR of at least {nr.LEAST_DB:g} dB, where its tables begin"
    yield snr_db < nr.LEAST_DB, f"{rule}, but channel.snr_db gives {snr_db:.1f} dB"


@rules.register
def _(part: ProportionalResponse, chain: Chain, settings: Settings, method: Method) -> Rules:
    rule = 'contradicts uplink.subcarriers = "one_slot": there is then no band to share'
    yield settings.uplink.subcarriers == "one_slot", rule
    rule = 'contradicts uplink.power_reference = "total", which needs equal parts of the band'
    yield settings.uplink.power_reference == "total", rule
    rule = "contradicts channel.coherence_s: shares are constant for an upload, and so must be the channel"
    yield settings.channel.coherence_s, rule


@rules.register
def _(part: FixedUses, chain: Chain, settings: Settings, method: Method) -> Rules:
    channel, uplink = settings.channel, settings.uplink
    conditions = (
        (not chain.compressor.fits, "needs a compressor that adapts to the bits, such as 'top_k'"),
        (method.scalars, f"contradicts {settings.method}, whose single numbers must arrive whatever the bits"),
        (not chain.code.any_length or chain.code.attempts > 1, "needs uplink.code = 'shannon'"),
        (settings.subcarriers == "one_slot", "contradicts uplink.subcarriers = 'one_slot'"),
        (channel.pilots, f"contradicts channel.pilots = {channel.pilots}: workers would not know their bits"),
        (channel.coherence_s, "contradicts channel.coherence_s: uploads end in one coherence block"),
        (settings.cell.neighbours, "contradicts cell.neighbours: workers do not know their interference"),
        (uplink.outage, "contradicts uplink.outage: no upload is slower than another"),
    )
    broken = [rule for wrong, rule in conditions if wrong]
    yield broken, "; ".join(broken)


def remark_on(part: Part, chain: Chain, settings: Settings) -> str:
    """Return a remark for the user on an effect of a part that is easily overlooked; empty without one."""
    name = settings.channel.fading
    if isinstance(part, AveragePower) and not fading.FADING.make(name, **settings.channel.model_dump()).rayleigh:
        return f"averages over Rayleigh fading, which {name} is not; worker_power in the result is the power used"
    return ""
