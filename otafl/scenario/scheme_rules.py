"""Rules between keys of the parts of an uplink, and of who takes part because of channels."""

import importlib.util
import math

from channels import nr
from otafl import uplinks
from otafl.algorithms import Method
from otafl.errors import OtaflError
from otafl.settings.keys import Settings
from otafl.uplinks import chain


def check(settings: Settings, method: Method) -> None:
    """Refuse schemes that contradict a method or a channel.

    Raises:
        OtaflError: names the key, its value and the rule.
    """
    chain.check(settings, method, uplinks.uplink(uplinks.kind(settings)).parts)
    _selection(settings, method)
    _code(settings, method)


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
    kind = uplinks.kind(settings)
    for wrong, rule in (
        (kind == "ideal", "needs a channel, and the ideal uplink has none"),
        (settings.blind, 'contradicts uplink.combiner = "sum", with which workers know nothing of their channels'),
    ):
        if wrong:
            raise OtaflError("federation.sampling", "channel", rule)
