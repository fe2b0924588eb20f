"""S. Razavikia, J. M. Barros da Silva Júnior, C. Fischione, "SumComp: Coding for Digital Over-the-Air Computation via
the Ring of Integers": workers send integers as points of PAM or QAM, and sums of points decode to sums of integers.

An element is one of q = ``uplink.levels`` integers, -s to s with s = (q - 1)/2, times a step Δ = R/s that all know. The
sum of N active workers is one of N(q - 1) + 1 points, Δ apart. The receiver takes the nearest multiple of Δ. In real
noise of standard deviation σ it is off with probability 2·Q(Δ/2σ), Q being the tail of the normal distribution.

Readings: integers are balanced around 0, with q odd, where the paper counts from 0. So a silent worker sends a 0, and
no count of workers is needed to decode. The receiver does not use that the sum is at most N·s, which would spare it
errors at the two outermost points alone. Power control is that of the chain, not the mean power of a constellation.
"""

from dataclasses import dataclass, field, replace
from typing import Any, Self

from otafl.numerics.tensors import Tensor, tf
from otafl.receivers.mean_of_active import MeanOfActive
from otafl.receivers.receiver import register


@dataclass(frozen=True)
class Integers:
    """Integers -s to s that stand for elements of a vector, as multiples of a step Δ = R/s that all know.

    Arguments:
        levels: number q = 2s + 1 of integers, odd: a number, or inside a program a tensor of shape [runs].
        element_range: largest element R, in the unit of the vectors; larger ones are cut. It is over the mean weight
            1/N of N workers where messages are weighed. A number, or inside a program a tensor of shape [runs].
    """

    levels: Any = field(
        default=7,
        metadata={
            "description": "uniform: integers that an element can be rounded to, an odd number, of which the middle "
            "one is 0. Of b bits they are 2^b - 1, as with qsgd",
            "label": "Levels",
            "symbol": "$q$",
            "ge": 3,
            "le": 65535,
        },
    )
    element_range: Any = field(
        default=0.1,
        metadata={
            "description": "uniform: largest element of a worker's update, beyond which it is cut. For methods with "
            "weighed messages, such as FedAvg, it is that of N times the message, which for equal weights is the "
            "update",
            "label": "Element range",
            "symbol": "$R$",
            "ge": 1e-9,
            "le": 1e9,
        },
    )

    @property
    def most(self) -> Any:
        """Largest integer s = (q - 1)/2: a number, or a tensor of shape [runs]."""
        return (self.levels - 1) / 2

    @property
    def step(self) -> Any:
        """Step Δ = R/s between neighbouring values, in the unit of the vectors: a number, or a tensor, [runs]."""
        return self.element_range / self.most

    def weighed(self, weight: float) -> Self:
        """Return the integers for weighed messages, whose largest element is R times a weight.

        Arguments:
            weight: mean of the workers' weights on messages, no unit: 1/N for N workers.
        """
        return replace(self, element_range=self.element_range * weight)


@register("sum_of_integers")
@dataclass(frozen=True)
class SumOfIntegers(Integers, MeanOfActive):
    """Sum of integers nearest to what arrives, and its mean over the active workers.

    The number of active workers on each subcarrier scales the sum, as with ``mean_of_active``, but does not decode it.
    """

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Return why a run cannot have it, contributions that do not arrive as integers; empty where it can.

        Arguments:
            chain: the run's ``Chain``, of which compressor, precoder and power control count.
            settings: unused.
            method: unused.

        Returns:
            Reason as the end of an error message; empty where the run can have it.
        """
        if not chain.compressor.integers:
            return "needs uplink.compressor = 'uniform'"
        if chain.precoder.phase_only:
            return "needs a precoder that inverts the channel, so that integers arrive as such"
        if chain.power_control.expected_norm(1) is not None:
            return "needs a power control that does not shorten vectors, so that integers arrive as such"
        return ""

    def decided(self, total: Tensor, weight: Tensor | None) -> Tensor:
        """Return the multiple of w·Δ nearest to the received sum, w being the receive scaling. Shape [d, runs].

        Arguments:
            total: received sum, noise included. Shape [d, runs].
            weight: receive scaling w of each element, 0 where nobody is active; None: 1. Shape [d or 1, runs].
        """
        step = self.step if weight is None else self.step * weight
        return tf.round(tf.math.divide_no_nan(total, step)) * step
