"""Power control by a schedule of expected norms of the vectors."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from ..array_types import MeanGains, RunNumber
from ..precoding.precoder import Precoder
from ..registry import parameter
from .power_control import PowerControl, register


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
    """

    update_norm: RunNumber = parameter(
        1.0,
        "scheduled power: expected norm of a worker's update in the first round. For methods with "
        "weighed messages, such as FedAvg, it is the norm of N times the message, which for equal weights is the "
        "update. Longer vectors are shortened to it, each of several separately",
        label="Update norm",
        gt=0.0,
    )
    update_norm_decay: RunNumber = parameter(
        0.5,
        "scheduled power: exponent a of the expected norm, which falls as t^(-a) with the round t",
        label="Decay of the update norm",
        symbol="decay",
        ge=0.0,
        le=10.0,
    )
    scales: ClassVar[bool] = False

    def weighed(self, weight: float) -> Self:
        return replace(self, update_norm=self.update_norm * weight)

    def budgeted_power(self, precoder: Precoder, mean: MeanGains) -> MeanGains:
        return np.full_like(mean, precoder.most_power())

    def expected_norm(self, number: RunNumber) -> RunNumber:
        return self.update_norm * number**-self.update_norm_decay
