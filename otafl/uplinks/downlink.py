"""Downlink: the energy that the server radiates to broadcast a method's vectors to its workers, and its slots.

It transmits with a worker's power P on every subcarrier. A digital broadcast has the whole band, and goes at the rate
of the weakest receiver, over reciprocal channels, in the precision in which numbers are computed. An analog one has a
symbol for each element, on as many subcarriers as it needs.
"""

import math
from collections.abc import Sequence

import numpy as np

from otafl.algorithms import Method
from otafl.channels.digital import upload_slots
from otafl.channels.power import PowerBudget, upload_budget
from otafl.settings.keys import Settings
from otafl.uplinks.digital import Digital, unrounded_bits
from otafl.uplinks.kinds import UPLINKS, kind
from otafl.uplinks.physical_layer import changing, grid, subcarrier
from otafl.uplinks.uplink import Senders


def broadcast_energy(
    settings: Settings, method: Method, elements: int, receivers: Senders, budgets: Sequence[PowerBudget]
) -> np.ndarray:
    """Return the energy of a broadcast of all vectors, of d elements each, not in whole slots [J]. Shape [runs]."""
    whole, uplink, vectors = grid(settings, elements), settings.uplink, len(method.broadcasts)
    power = receivers.power / _power_share(settings, elements)
    if uplink.downlink == "analog":
        symbols = whole.symbols(elements)
        budget = [upload_budget(power_w, symbols, kind) for power_w, kind in zip(power, budgets, strict=True)]
        return np.array(budget) * whole.symbol_s * vectors
    snr = receivers.snr * power / receivers.power
    bits = _bits_per_slot(settings, method, elements, receivers, snr)
    uses = _bits(method, elements) / bits.mean(axis=-1).min(axis=-1)
    return np.where(np.isinf(power), np.inf, uses * np.where(np.isinf(power), 0.0, power) * uplink.slot_s)


def broadcast_slots(settings: Settings, method: Method, elements: int, receivers: Senders) -> np.ndarray:
    """Return the slots of a round's broadcast, whole; a lower bound where uploads take one slot. Shape [runs]."""
    if settings.uplink.downlink == "analog":
        slots = len(method.broadcasts) * grid(settings, elements).analog_slots(elements)
        return np.full(len(receivers.snr), float(slots))
    if settings.subcarriers == "one_slot" and UPLINKS[kind(settings)].splits:
        slots = math.ceil(_bits(method, elements) / Digital(settings, method, elements).bits)
        return np.full(len(receivers.snr), float(slots))
    snr = receivers.snr / _power_share(settings, elements)
    bits = _bits_per_slot(settings, method, elements, receivers, snr)
    return upload_slots(_bits(method, elements), bits.sum(axis=-1).min(axis=-1))


def _bits(method: Method, elements: int) -> int:
    """Return the bits of a digital broadcast of all vectors of a round, which are not rounded."""
    return len(method.broadcasts) * elements * unrounded_bits(method)


def _bits_per_slot(
    settings: Settings, method: Method, elements: int, receivers: Senders, snr: np.ndarray
) -> np.ndarray:
    """Return the bits that each subcarrier carries in a slot to each receiver. Shape [runs, workers, subcarriers]."""
    band, digital = receivers.band, Digital(settings, method, elements)
    gains = band.first(grid(settings, elements).subcarriers)
    return _data_share(settings) * digital.bits_per_slot(gains, snr, band.errors, band.turned)


def _data_share(settings: Settings) -> float:
    """Return the share of a broadcast's symbols beside the pilots of all antennas, by which workers follow it."""
    period = settings.channel.pilot_period_slots
    if not (period and changing(settings)):
        return 1.0
    data = period * subcarrier(settings).symbols_per_slot
    return data / (data + settings.channel.pilots * settings.cell.antennas)


def _power_share(settings: Settings, elements: int) -> int:
    """Return the number of subcarriers among which the power of the SNR is divided."""
    if settings.uplink.power_reference == "subcarrier":
        return 1
    whole = grid(settings, elements)
    return whole.subcarriers_in_use(elements) if settings.uplink.downlink == "analog" else whole.subcarriers
