"""Rules between keys of the schemes of an uplink: precoders, and who takes part because of channels."""

import importlib.util
import math
import warnings

from channels import fading, nr
from channels.precoding import PRECODERS
from otafl import uplinks
from otafl.algorithms import Method
from otafl.errors import OtaflError, Remark
from otafl.settings.keys import Settings
from otafl.uplinks.analog import SCHEMES

LEAST_COMMON = 0.01
"""Gain h_min below which hardly any power would be used."""


def check(settings: Settings, method: Method) -> None:
    """Refuse schemes that contradict a method or a channel.

    Raises:
        OtaflError: names the key, its value and the rule.
    """
    _precoder(settings, method)
    _selection(settings, method)
    _code(settings, method)


def _precoder(settings: Settings, method: Method) -> None:
    """Refuse precoders that a method cannot use, or that suppose what is not so."""
    name, cell = settings.uplink.precoder, settings.cell
    if name is None or not uplinks.is_analog(settings):
        return
    averages = PRECODERS[name].averages
    for wrong, rule in (
        (not method.truncates and name != "fading", f"must be 'fading': {settings.method} weighs by gains already"),
        (settings.blind, 'contradicts uplink.combiner = "sum", with which workers know no gain'),
        (averages and cell.antennas > 1, "averages over the fading of one antenna, which cell.antennas contradicts"),
        (averages and cell.worker_antennas > 1, "averages over one antenna, which cell.worker_antennas contradicts"),
        (
            name in SCHEMES and uplinks.uplink(settings.uplink.kind or "analog") is not uplinks.Analog,
            f"goes with the analog uplink, and not with {settings.uplink.kind}, which is derived from it",
        ),
        (
            name in ("compressed", "cotaf") and method.sends_models(settings),
            f"is for updates, short and with few large elements, and {settings.method} with local.steps sends models",
        ),
        (
            name == "compressed" and settings.uplink.downlink == "analog",
            'contradicts uplink.downlink = "analog", which is not compressed',
        ),
        (
            name == "one_bit" and settings.federation.weights != "equal",
            "contradicts federation.weights: votes weigh alike",
        ),
        (name == "one_bit" and not method.by_signs, f"gives signs, and {settings.method} needs sums of vectors"),
        (
            name == "one_bit" and settings.participants < settings.federation.workers,
            "needs all workers in every round, as its server steps by a majority of all",
        ),
    ):
        if wrong:
            raise OtaflError("uplink.precoder", name, rule)
    _remark_on_power(settings, name)


def _remark_on_power(settings: Settings, name: str) -> None:
    """Remark upon precoders whose power is another than one would think."""
    fading_name, threshold = settings.channel.fading, settings.uplink.inversion_threshold
    model = fading.model(fading_name, **settings.channel.model_dump())
    if PRECODERS[name].averages and not model.rayleigh:
        why = f"counts with Rayleigh fading, which {fading_name} is not; worker_power in the result is what was used"
        warnings.warn(f"uplink.precoder = {name}: {why}", Remark, stacklevel=2)
    if name == "one_bit" and settings.algorithm.server_step == 1:
        why = "with one_bit every element of the model moves by it in every round; some thousandths are usual"
        warnings.warn(f"algorithm.server_step = 1: {why}", Remark, stacklevel=2)
    if name == "cotaf" and threshold < LEAST_COMMON:
        why = f"with cotaf all invert to this common gain, with at most {threshold**2:.0e} of their power where |h| = 1"
        warnings.warn(f"uplink.inversion_threshold = {threshold:g}: {why}", Remark, stacklevel=2)


def _code(settings: Settings, method: Method) -> None:
    """Refuse codes whose tables are not there, or begin above a run's SNR."""
    uplink, channel = settings.uplink, settings.channel
    if uplink.code != "nr" or uplinks.is_analog(settings):
        return
    if importlib.util.find_spec("sionna") is None:
        raise OtaflError("uplink.code", "nr", "needs Sionna, pip install 'otafl[sionna]'")
    symbols = uplink.subcarrier_spacing_hz * uplink.slot_s
    gained = 0.0 if uplink.symbols_per_slot == "as_printed" else 10 * math.log10(symbols / uplink.symbols_per_slot)
    if uplink.power_reference == "total":
        gained -= 10 * math.log10(int(settings.subcarriers) / settings.participants)
    if channel.snr_db + gained < nr.LEAST_DB:
        rule = f"is for symbols of at least {nr.LEAST_DB:g} dB, below which its tables know nothing, and with "
        raise OtaflError("uplink.code", "nr", rule + f"channel.snr_db they have {channel.snr_db + gained:.1f} dB")


def _selection(settings: Settings, method: Method) -> None:
    """Refuse to choose by channels where there are none, or nobody knows any."""
    if settings.federation.sampling != "channel":
        return
    kind = settings.uplink.kind or method.uplinks[0]
    for wrong, rule in (
        (kind == "ideal", "needs a channel, and the ideal uplink has none"),
        (settings.blind, 'contradicts uplink.combiner = "sum", with which workers know nothing of their channels'),
    ):
        if wrong:
            raise OtaflError("federation.sampling", "channel", rule)
