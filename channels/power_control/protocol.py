"""Power control interface, and the kinds of power control by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from channels.combining import Combiner
from channels.precoding.protocol import Told
from channels.registry import Part, Registry

if TYPE_CHECKING:
    from channels.transmitter import Transmitter


class PowerControl(Part):
    """Transmit power of workers under a budget; one that says nothing else leaves precoders as they are.

    The common factor α keeps every worker within its budget: Σ_i |α·x_i|² of the worker that takes most.
    """

    by_snr: ClassVar[bool] = False
    """True where precoding depends on the SNR."""
    asks: ClassVar[Told] = ""
    """Side information that its combiner needs."""
    scales: ClassVar[bool] = True
    """True where α follows from what workers send, so that each must tell its own factor."""

    def combiner(self, sender: Transmitter) -> Combiner | None:
        """Weights that go with it; None: those of the precoder or the receiver."""
        return None

    def coefficients(self, sender: Transmitter, h: np.ndarray) -> np.ndarray:
        """Coefficients p, complex. Shape of h, [..., workers, subcarriers]."""
        return sender.precoder.coefficients(h)

    def power(self, sender: Transmitter, gain: np.ndarray) -> np.ndarray:
        """Transmit power per squared symbol, |p|², from |h|² and in its precision. Shape of gain."""
        return sender.precoder.power(gain)

    def arrival(self, sender: Transmitter, gain: np.ndarray) -> np.ndarray:
        """Factor of a contribution as it arrives under perfect knowledge, Re{h·p}. Shape of gain."""
        return sender.precoder.arrival(gain)

    def budgeted_power(self, sender: Transmitter, mean: np.ndarray) -> np.ndarray | None:
        """The |p|² that α counts with, where that is not the one of the moment, for gains |h|² of a mean. Shape of
        mean."""
        return None

    def expected_norm(self, number: Any) -> Any:
        """Norm of a vector that α supposes in a round, counted from 1; None: that of what is sent."""
        return None


POWER_CONTROLS = Registry("power_control", PowerControl)
"""Kinds of power control by name."""
register = POWER_CONTROLS.register
