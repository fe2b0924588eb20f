"""Power control interface, and the kinds of power control by name."""

from typing import Any, ClassVar

import numpy as np

from channels.combining import Combiner
from channels.precoding.protocol import Precoder, Told
from channels.registry import Part, Registry


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

    def controlled(self, precoder: Precoder, snr: float) -> Precoder:
        """Return the precoder with its amplitudes under this power control.

        Arguments:
            precoder: precoder of the workers.
            snr: energy of a real element at full power over a channel of gain 1, over N0, linear: noise on it has a
                variance of 1/(2·SNR).
        """
        return precoder

    def combiner(self, snr: float) -> Combiner | None:
        """Return the weights of the receiver that this power control needs; None: those of precoder or receiver."""
        return None

    def budgeted_power(self, precoder: Precoder, mean: np.ndarray) -> np.ndarray | None:
        """Return the |p|² that α counts with, for gains of mean square ``mean``; None: that of the moment."""
        return None

    def expected_norm(self, number: Any) -> Any:
        """Norm of a vector that α supposes in a round, counted from 1; None: that of what is sent."""
        return None


POWER_CONTROLS = Registry("power_control", PowerControl)
"""Kinds of power control by name."""
register = POWER_CONTROLS.register
