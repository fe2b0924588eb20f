"""Phases of oscillators from sample to sample."""

import numpy as np

from ..array_types import PerWorker
from ..oscillators import Oscillators
from .ofdm import Ofdm


def phases(
    ofdm: Ofdm, oscillators: Oscillators, offsets_hz: PerWorker, rng: np.random.Generator, symbols: int
) -> np.ndarray:
    """Draw the phases between workers' oscillators and the server's [rad]. Shape [workers, symbols, length].

    All are 0 in the middle of the window before the first one, where there is a pilot.
    """
    times_s = ofdm.times_s(symbols).reshape(-1)
    turned = 2 * np.pi * np.outer(offsets_hz, times_s)
    steps_s = np.diff(times_s, prepend=0.0)
    for linewidth_hz, walks in ((oscillators.linewidth_hz, len(turned)), (oscillators.server_linewidth_hz, 1)):
        steps = np.sqrt(2 * np.pi * linewidth_hz * steps_s) * rng.standard_normal((walks, len(times_s)))
        turned = turned + np.cumsum(steps, axis=1)
    return turned.reshape(len(turned), symbols, ofdm.length)
