"""Power control by a schedule of expected norms of the vectors."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..precoding.precoder import Precoder
from .power_control import PowerControl, register

MOST_POWER = 1e4
"""Bound on the largest |p|² of a precoder, above which a remark says that hardly any power is used at |h| = 1."""


@register("scheduled")
@dataclass(frozen=True)
class ScheduledPower(PowerControl):
    """Power control by the expected norm of a vector in round t, L_t = L·t^(-a).

    The received noise shrinks with the vectors, and no worker reports a factor. The largest |p|² of the precoder
    counts, and longer vectors are shortened to the expected norm, so that no worker ever exceeds its budget. Reading:
    the schedule is a power of the round's number, where the papers take means over earlier runs.

    Source: T. Sery and K. Cohen, "On Analog Gradient Descent Learning over Multiple Access Fading Channels" and, with
    N. Shlezinger and Y. Eldar, "Over-the-Air Federated Learning from Heterogeneous Data": COTAF, also over fading
    channels, which all invert to a common gain, h_min = ε.

    Arguments:
        update_norm: Euclidean norm L of a vector in the first round. It is over the mean weight 1/N of N workers where
            messages are weighed.
        update_norm_decay: exponent a of the number t of the round.
    """

    update_norm: Any = field(
        default=1.0,
        metadata={
            "description": "scheduled power: expected norm of a worker's update in the first round. For methods with "
            "weighed messages, such as FedAvg, it is the norm of N times the message, which for equal weights is the "
            "update. Longer vectors are shortened to it, each of several separately",
            "label": "Update norm",
            "gt": 0.0,
        },
    )
    update_norm_decay: Any = field(
        default=0.5,
        metadata={
            "description": "scheduled power: exponent a of the expected norm, which falls as t^(-a) with the round t",
            "label": "Decay of the update norm",
            "symbol": "decay",
            "ge": 0.0,
            "le": 10.0,
        },
    )
    scales: ClassVar[bool] = False

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Return why a run cannot have it, a method that sends models, whose norm does not fall; empty where it can.

        Arguments:
            chain: unused.
            settings: the run's ``Settings``, from which the method knows whether it sends models.
            method: the run's ``Method``.
        """
        if method.sends_models(settings):
            return f"needs updates, whose norm falls, but {settings.method} with local.steps sends models"
        return ""

    def weighed(self, weight: float) -> Self:
        """Return the power control with an expected norm of weighed messages, L times a weight.

        L is the expected norm of a vector in the first round, ``update_norm``.

        Arguments:
            weight: mean of the workers' weights on messages, no unit: 1/N for N workers.
        """
        return replace(self, update_norm=self.update_norm * weight)

    def remark(self, chain: Any, settings: Any) -> str:
        """Return a remark on a precoder whose largest |p|² is above 1e4, so that hardly any power is used; else empty.

        Arguments:
            chain: the run's ``Chain``, whose field ``precoder`` counts.
            settings: unused.
        """
        if (most := chain.precoder.most_power()) > MOST_POWER:
            return f"counts the largest power of the precoder, {most:.0e} times the power at |h| = 1"
        return ""

    def budgeted_power(self, precoder: Precoder, mean: np.ndarray) -> np.ndarray:
        """Return the largest power per squared contribution, |p|², of the precoder over all gains. Shape of mean.

        Arguments:
            precoder: precoder of the workers, with complex factors p.
            mean: mean of |h|² of each worker, of which the shape alone is taken. Shape [..., workers, 1].
        """
        return np.full_like(mean, precoder.most_power())

    def expected_norm(self, number: Any) -> Any:
        """Return the expected Euclidean norm of a worker's vector in round t, L_t = L·t^(-a).

        Arguments:
            number: number t of the round, from 1: a number, an array or a tensor.

        Returns:
            Norm, in the unit of the vectors. Shape of number, or [runs] where norm L and exponent a are tensors of that
            shape.
        """
        return self.update_norm * number**-self.update_norm_decay
