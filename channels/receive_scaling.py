"""Receive scaling: the receiver's weight w on the received symbol y of each subcarrier, w^H·y."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .array_types import Gains, PerSubcarrier, PowerGains

Arrival = Callable[[PowerGains], PowerGains]
"""Function of a precoder from power gains |h|² to the factors with which contributions arrive."""


class ReceiveScaling:
    """Weights w of a receiver on the superposed symbols of all workers: on y it forms w^H·y for each subcarrier."""

    unit: ClassVar[bool] = False
    """True where the weight is always 1, so that nothing is scaled."""

    def weights(self, h: Gains, speakers: PerSubcarrier, arrival: Arrival) -> PerSubcarrier:
        """Return the weights w, from the receiver's gains, the number of speakers, and the closed form of arrival."""
        raise NotImplementedError


@dataclass(frozen=True)
class AsReceived(ReceiveScaling):
    """Receive scaling that takes the sum as it arrives: the weight w is 1 (``unit``)."""

    unit: ClassVar[bool] = True

    def weights(self, h: Gains, speakers: PerSubcarrier, arrival: Arrival) -> PerSubcarrier:
        return np.ones(np.shape(speakers))


@dataclass(frozen=True)
class SpeakerCount(ReceiveScaling):
    """Receive scaling that raises the sum over active workers to all N workers: w = N over their number, or 0.

    Source: Elgabli et al., section V-A (A-GD), after Zhu, Wang and Huang.
    """

    def weights(self, h: Gains, speakers: PerSubcarrier, arrival: Arrival) -> PerSubcarrier:
        return np.where(speakers > 0, np.shape(h)[-2] / np.maximum(speakers, 1), 0.0)


@dataclass(frozen=True)
class BlindSum(ReceiveScaling):
    """Receive scaling for workers without CSI and a server with M antennas, w = Σ_n g_n/M.

    The gain g_n is that behind a combiner of antennas along Σ_k h_k (``combiners.GainSum``). Contributions arrive with
    the factor Re{(Σ_k h_k)^H·h_n}/M, which tends to 1 as M grows.
    """

    antennas: int

    def weights(self, h: Gains, speakers: PerSubcarrier, arrival: Arrival) -> PerSubcarrier:
        return np.sum(h, axis=-2) / self.antennas


@dataclass(frozen=True)
class AmplitudeSum(ReceiveScaling):
    """Receive scaling for contributions that arrive with factors a_n, such as |h_n|: w = N/Σ_n a_n; 0 if that is 0."""

    def weights(self, h: Gains, speakers: PerSubcarrier, arrival: Arrival) -> PerSubcarrier:
        total = np.sum(arrival(np.abs(h) ** 2), axis=-2)
        return np.where(total > 0, np.shape(h)[-2] / np.where(total > 0, total, 1.0), 0.0)
