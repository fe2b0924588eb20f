"""S. Razavikia, J. M. Barros da Silva Júnior, C. Fischione, "SumComp: Coding for Digital Over-the-Air Computation via
the Ring of Integers": workers send integers as points of PAM or QAM, and sums of points decode to sums of integers.

An element is one of q = ``uplink.levels`` integers, -s to s with s = (q - 1)/2, times a step Δ = R/s that all know. The
sum of N active workers is one of N(q - 1) + 1 points, Δ apart. The receiver takes the nearest multiple of Δ. In real
noise of standard deviation σ it is off with probability 2·Q(Δ/2σ), Q being the tail of the normal distribution.

Readings: integers are balanced around 0, with q odd, where the paper counts from 0. So a silent worker sends a 0, and
no count of workers is needed to decode. The receiver does not use that the sum is at most N·s, which would spare it
errors at the two outermost points alone. Power control is that of the chain, not the mean power of a constellation.
"""

from dataclasses import dataclass, replace
from typing import Self

from otafl.channels.registry import parameter
from otafl.numerics.tensors import Number, Received, tf
from otafl.receivers.mean_of_active import MeanOfActive
from otafl.receivers.receiver import register


@dataclass(frozen=True)
class Integers:
    """Integers -s to s that stand for elements of a vector, as multiples of a step Δ = R/s that all know."""

    levels: Number = parameter(
        7,
        "uniform: integers that an element can be rounded to, an odd number, of which the middle one is 0. Of b bits "
        "they are 2^b - 1, as with qsgd",
        label="Levels",
        symbol="$q$",
        ge=3,
        le=65535,
    )
    element_range: Number = parameter(
        0.1,
        "uniform: largest element of a worker's update, beyond which it is cut. For methods with weighed messages, "
        "such as FedAvg, it is that of N times the message, which for equal weights is the update",
        label="Element range",
        symbol="$R$",
        ge=1e-9,
        le=1e9,
    )

    @property
    def most(self) -> Number:
        """Largest integer s = (q - 1)/2."""
        return (self.levels - 1) / 2

    @property
    def step(self) -> Number:
        """Step Δ = R/s between neighbouring values, in the unit of the vectors."""
        return self.element_range / self.most

    def weighed(self, weight: float) -> Self:
        return replace(self, element_range=self.element_range * weight)


@register("sum_of_integers")
@dataclass(frozen=True)
class SumOfIntegers(Integers, MeanOfActive):
    """Sum of integers nearest to what arrives, and its mean over the active workers.

    The number of active workers on each subcarrier scales the sum, as with ``mean_of_active``, but does not decode it.
    """

    def requires(self, chain, settings, method) -> str:
        if not chain.compressor.integers:
            return "needs uplink.compressor = 'uniform'"
        if chain.precoder.phase_only:
            return "needs a precoder that inverts the channel, so that integers arrive as such"
        if chain.power_control.expected_norm(1) is not None:
            return "needs a power control that does not shorten vectors, so that integers arrive as such"
        return ""

    def decided(self, total: Received, weight: Received | None) -> Received:
        """Return the multiple of w·Δ nearest to the received sum, w being the receive scaling."""
        step = self.step if weight is None else self.step * weight
        return tf.round(tf.math.divide_no_nan(total, step)) * step
