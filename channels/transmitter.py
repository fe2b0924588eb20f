"""Transmitter: precoder and power control of a worker on a multiple-access channel, as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from channels.precoding.protocol import Precoder

if TYPE_CHECKING:
    from channels.power_control.protocol import PowerControl


@dataclass(frozen=True)
class Transmitter:
    """Precoder under a power control. Shapes [..., workers, subcarriers].

    Arguments:
        precoder: what a worker does about its gain.
        control: how power is controlled.
        snr: energy of a real element at full power over a channel of gain 1, over N0, linear: noise on it has a
            variance of 1/(2·SNR).
    """

    precoder: Precoder
    control: PowerControl
    snr: float = np.inf

    @property
    def exact(self) -> bool:
        """True where every contribution arrives whole under perfect knowledge, h·p = 1."""
        return self.precoder.exact

    def coefficients(self, h: np.ndarray) -> np.ndarray:
        """Coefficients p, complex."""
        return self.control.coefficients(self, h)

    def power(self, gain: np.ndarray) -> np.ndarray:
        """Transmit power per squared symbol, |p|², from |h|² and in its precision."""
        return self.control.power(self, gain)

    def arrival(self, gain: np.ndarray) -> np.ndarray:
        """Factor of a contribution as it arrives under perfect knowledge, Re{h·p}, from |h|² in its precision."""
        return self.control.arrival(self, gain)

    def budgeted_power(self, mean: np.ndarray) -> np.ndarray | None:
        """The |p|² that power control counts with; None: the one of the moment. Shape of mean."""
        return self.control.budgeted_power(self, mean)
