"""Phases of oscillators from sample to sample."""

import numpy as np

from ..array_types import PerWorker
from ..oscillators import Oscillators
from .ofdm import Ofdm


def phases(
    ofdm: Ofdm, oscillators: Oscillators, offsets_hz: PerWorker, middles: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Draw phases between workers' oscillators and the server's that go through given ones.

    Arguments:
        ofdm: symbols as samples.
        oscillators: linewidths of walks.
        offsets_hz: carrier offsets of workers [Hz].
        middles: phases in the middle of the windows, after one of 0 before the first [rad]. Shape [workers, symbols].
        rng: random generator of the walks in between.

    Returns:
        The phase of each sample [rad]. Shape [workers, symbols, length].
    """
    workers, symbols = middles.shape
    knots_s = ofdm.symbol_s * np.arange(symbols + 1)
    samples_s = ofdm.times_s(symbols).reshape(-1)
    times_s = np.sort(np.concatenate((knots_s, samples_s)), kind="stable")
    at_knots, at_samples = (np.searchsorted(times_s, part) for part in (knots_s, samples_s))
    free = 2 * np.pi * np.outer(offsets_hz, times_s)
    free = free + _walks(rng, oscillators.linewidth_hz, times_s, workers)
    free = free + _walks(rng, oscillators.server_linewidth_hz, times_s, 1)
    # A walk less its values at some times, plus others in a line between them, is one that goes through these.
    given = np.concatenate((np.zeros((workers, 1)), middles), axis=1)
    missed = given - free[:, at_knots]
    through = free + np.stack([np.interp(times_s, knots_s, part) for part in missed])
    return through[:, at_samples].reshape(workers, symbols, ofdm.length)


def _walks(rng: np.random.Generator, linewidth_hz: float, times_s: np.ndarray, count: int) -> np.ndarray:
    """Draw Wiener phases of a linewidth β at ascending times from 0 on [rad]. Shape [count, times]."""
    deviations = np.sqrt(2 * np.pi * linewidth_hz * np.diff(times_s, prepend=0.0))
    return np.cumsum(deviations * rng.standard_normal((count, len(times_s))), axis=1)
