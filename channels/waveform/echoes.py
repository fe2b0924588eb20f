"""Echoes of a worker's waveform: paths with delays, and gains that may change from sample to sample."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Echoes:
    """Echoes of a waveform at the server.

    Arguments:
        delays_s: delays of the paths [s], which turn the first subcarrier by no phase. Shape [paths].
        gains: complex gains of the paths, all the time or at each sample. Shape [paths, 1, 1], or
            [paths, symbols, length].
        response: complex factors on subcarriers, for gains that have no delays; None: 1. Shape [paths, S].
    """

    delays_s: np.ndarray
    gains: np.ndarray
    response: np.ndarray | None = None

    @classmethod
    def flat(cls, response: np.ndarray) -> "Echoes":
        """Return a single path without delay that has some gains on subcarriers. Shape [S]."""
        return cls(np.zeros(1), np.ones((1, 1, 1)), response[None])
