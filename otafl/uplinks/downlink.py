"""Downlink: the energy that the server radiates to broadcast a method's vectors to its workers.

It transmits with a worker's power P on every subcarrier in use. A digital broadcast goes at the rate of the weakest
listener, over reciprocal channels, and is not rounded to slots. An analog one has a symbol for each element.
"""

import numpy as np

from channels.power import upload_budget
from otafl.algorithms import Method
from otafl.settings.keys import Settings
from otafl.uplinks.digital import Digital
from otafl.uplinks.physical_layer import grid
from otafl.uplinks.uplink import Senders


def broadcast_energy(settings: Settings, method: Method, elements: int, listeners: Senders) -> np.ndarray:
    """Return the energy that the server radiates to broadcast all vectors of a round [J]. Shape [runs].

    Arguments:
        settings: the runs' ``Settings``.
        method: the runs' ``Method``, whose ``broadcasts`` count.
        elements: number d of elements of a vector.
        listeners: the workers that take part, with their gains, SNR and power of each run.
    """
    laid, uplink, vectors = grid(settings, elements), settings.uplink, len(method.broadcasts)
    in_use = laid.subcarriers_in_use(elements)
    power = listeners.power / (in_use if uplink.power_reference == "total" else 1)
    if uplink.downlink == "analog":
        symbols = laid.symbols(elements)
        return np.array([upload_budget(one, symbols, uplink.power_budget) for one in power]) * laid.symbol_s * vectors
    snr = listeners.snr * power / listeners.power
    bits = Digital(settings, method, elements).bits_per_slot(listeners.band.first(in_use), snr, listeners.band.errors)
    uses = vectors * elements * uplink.bits_per_element / bits.mean(axis=-1).min(axis=-1)
    return np.where(np.isinf(power), np.inf, uses * np.where(np.isinf(power), 0.0, power) * uplink.slot_s)
