"""Echoes of a worker's waveform: paths with delays, and gains that may change from sample to sample."""

from dataclasses import dataclass

import numpy as np

from .ofdm import Ofdm

KNOTS = 4
"""Times in a symbol at which gains of moving paths are given."""


@dataclass(frozen=True)
class Echoes:
    """Echoes of a waveform at the server.

    Arguments:
        delays_s: delays of the paths [s], which turn the first subcarrier by no phase. Shape [paths].
        gains: complex gains of the paths, constant [paths, 1, 1], or at each sample [paths, symbols, length].
        response: complex factors on subcarriers, for gains that have no delays; None: 1. Shape [paths, S].
    """

    delays_s: np.ndarray
    gains: np.ndarray
    response: np.ndarray | None = None

    @classmethod
    def flat(cls, response: np.ndarray) -> "Echoes":
        """Return a single path without delay that has some gains on subcarriers. Shape [S]."""
        return cls(np.zeros(1), np.ones((1, 1, 1)), response[None])

    @classmethod
    def moving(
        cls, delays_s: np.ndarray, gains: np.ndarray, ofdm: Ofdm, symbols: int, response: np.ndarray | None = None
    ) -> "Echoes":
        """Return paths whose gains go through those at ``knots_s``, as cubic splines. Shape [paths, knots]."""
        from scipy.interpolate import make_interp_spline

        if np.all(gains == gains[:, :1]):
            return cls(delays_s, gains[:, :1, None], response)
        spline = make_interp_spline(knots_s(ofdm, symbols), gains, axis=-1)
        return cls(delays_s, spline(ofdm.times_s(symbols)), response)


def knots_s(ofdm: Ofdm, symbols: int) -> np.ndarray:
    """Return times since the middle of the window before the first one, at which gains of paths are needed [s]."""
    return np.arange(KNOTS * (symbols + 1) + 1) / KNOTS * ofdm.symbol_s
