"""Interface of power controls, and their registry."""

from typing import ClassVar

from ..array_types import MeanGains, RunNumber
from ..precoding.precoder import Precoder, SideInformation
from ..receive_scaling import ReceiveScaling
from ..registry import Part, Registry


class PowerControl(Part):
    """Base of kinds of power control of workers under a budget; by default precoders stay unchanged.

    All workers multiply their symbols x_i by one factor α. With it the largest Σ_i |α·x_i|² of a worker is its budget.
    An SNR here is the energy of a real element at full power over a channel of gain 1, over N0, linear.
    """

    asks: ClassVar[SideInformation] = ""
    """Side information of workers that the receive scaling needs: none, "silence" of each, or its "gains" |h|²."""
    scales: ClassVar[bool] = True
    """True where α depends on the vectors that workers send, so that each reports its own factor."""
    with_weights: ClassVar[bool] = False
    """True where methods that weigh workers by gains, and keep to their own amplitudes, can have it."""

    @property
    def by_snr(self) -> bool:
        """True where ``controlled`` or ``receive_scaling``, which get the SNR, are the kind's own."""
        base = PowerControl
        return type(self).controlled is not base.controlled or type(self).receive_scaling is not base.receive_scaling

    @property
    def edges(self) -> int:
        """Number of servers that receive the sums of equal groups of workers, each with a factor α of its own."""
        return 1

    def backhaul_s(self, bits: int) -> float:
        """Return the time in which sums of so many bits go on to the server [s]."""
        return 0.0

    def controlled(self, precoder: Precoder, snr: float) -> Precoder:
        """Return a precoder with the amplitudes of this power control at an SNR."""
        return precoder

    def receive_scaling(self, snr: float) -> ReceiveScaling | None:
        """Return the receive scaling that this power control needs at an SNR; None: the receiver's own."""
        return None

    def budgeted_power(self, precoder: Precoder, mean: MeanGains) -> MeanGains | None:
        """Return the power |p|² of a precoder that α counts, for workers of some mean gains; None: the actual one."""
        return None

    def expected_norm(self, number: RunNumber) -> RunNumber | None:
        """Return the 2-norm that α assumes of vectors in a round, counted from 1; None: that of the vector sent."""
        return None


POWER_CONTROLS = Registry("power_control", PowerControl)
register = POWER_CONTROLS.register
