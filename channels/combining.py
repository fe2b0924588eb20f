"""Combining: the weight w by which the receiver multiplies what it receives on each subcarrier, w^H·y."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np


class Combiner:
    """What a receiver does with the sum of all workers' symbols."""

    unit: ClassVar[bool] = False
    """True where the weight is 1 whatever happens."""

    def weights(self, h: np.ndarray, spoke: np.ndarray) -> np.ndarray:
        """Weights w on the received symbols, real or complex.

        Arguments:
            h: what the receiver believes of the gains, complex. Shape [..., workers, subcarriers].
            spoke: how many workers transmitted; it does not know which. Shape [..., subcarriers].

        Returns:
            Shape [..., subcarriers].
        """
        raise NotImplementedError


@dataclass(frozen=True)
class AsReceived(Combiner):
    """The sum as it arrives, w = 1."""

    unit: ClassVar[bool] = True

    def weights(self, h: np.ndarray, spoke: np.ndarray) -> np.ndarray:
        """Ones. Shape [..., subcarriers]."""
        return np.ones(np.shape(spoke))


@dataclass(frozen=True)
class SpeakerCount(Combiner):
    """Estimate the sum over all N workers from that over those who spoke: w = N over their number, 0 where none did.

    Source: Elgabli et al., section V-A (A-GD), after Zhu, Wang and Huang.
    """

    def weights(self, h: np.ndarray, spoke: np.ndarray) -> np.ndarray:
        """N over the number of speakers. Shape [..., subcarriers]."""
        num_workers = np.shape(h)[-2]
        return np.where(spoke > 0, num_workers / np.maximum(spoke, 1), 0.0)


@dataclass(frozen=True)
class BlindSum(Combiner):
    """Estimate the sum of workers that do not know their channels, w = Σ_n g_n/M, for a server with M antennas.

    g_n is the gain that a combiner along Σ_k h_k leaves (``antennas.blind``), so contributions arrive as
    Re{(Σ_k h_k)^H·h_n}/M, which comes to 1 as M grows.

    Arguments:
        antennas: M.
    """

    antennas: int

    def weights(self, h: np.ndarray, spoke: np.ndarray) -> np.ndarray:
        """Σ_n g_n/M. Shape [..., subcarriers]."""
        return np.sum(h, axis=-2) / self.antennas


@dataclass(frozen=True)
class AmplitudeSum(Combiner):
    """Estimate the sum of workers that weigh with their |h|, of which the receiver knows the sum: w = N/Σ_n |h_n|, 0
    where all are 0."""

    def weights(self, h: np.ndarray, spoke: np.ndarray) -> np.ndarray:
        """N over the sum of magnitudes. Shape [..., subcarriers]."""
        total = np.sum(np.abs(h), axis=-2)
        return np.where(total > 0, np.shape(h)[-2] / np.where(total > 0, total, 1.0), 0.0)
