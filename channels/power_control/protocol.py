"""Interface of power controls, and their registry."""

from typing import Any, ClassVar

import numpy as np

from channels.combining import Combiner
from channels.precoding.protocol import Precoder, Told
from channels.registry import Part, Registry


class PowerControl(Part):
    """Power control of workers under a budget; by default precoders stay unchanged.

    The common factor α is such that Σ_i |α·x_i|² of the worker of the largest power is its budget.
    """

    by_snr: ClassVar[bool] = False
    """True where the controlled precoder depends on the SNR."""
    asks: ClassVar[Told] = ""
    """Side information that the power control's combiner needs."""
    scales: ClassVar[bool] = True
    """True where α depends on the vectors that workers send, so that each reports its own factor."""

    def controlled(self, precoder: Precoder, snr: float) -> Precoder:
        """Return a precoder with the amplitudes of this power control.

        Arguments:
            precoder: precoder of the workers.
            snr: energy of a real element at full power over a channel of gain 1, over N0, linear: noise on it has a
                variance of 1/(2·SNR).
        """
        return precoder

    def combiner(self, snr: float) -> Combiner | None:
        """Return the combiner that this power control needs at an SNR (as in ``controlled``); None: the receiver's."""
        return None

    def budgeted_power(self, precoder: Precoder, mean: np.ndarray) -> np.ndarray | None:
        """Return the |p|² that α counts; None: the actual |p|².

        Arguments:
            precoder: precoder of the workers.
            mean: mean square of the gains.

        Returns:
            Shape of mean.
        """
        return None

    def expected_norm(self, number: Any) -> Any:
        """Return the norm of vectors that α assumes in a round, counted from 1; None: the norm of the vector sent."""
        return None


POWER_CONTROLS = Registry("power_control", PowerControl)
"""Kinds of power control by name."""
register = POWER_CONTROLS.register
