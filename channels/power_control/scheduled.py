"""Power control by a schedule of the norms that vectors are expected to have."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from channels.power_control.protocol import PowerControl, register
from channels.precoding.protocol import Precoder

MOST_POWER = 1e4
"""Largest |p|² above which hardly any power is used where |h| = 1."""


@register("scheduled")
@dataclass(frozen=True)
class ScheduledPower(PowerControl):
    """Factor α by the norm that is expected of a vector in a round, L_t = L·t^(-a), not by what is sent.

    Noise shrinks with the vectors, and nobody need be told a factor. The largest |p|² of the precoder counts, and what
    is longer than expected is shortened, so that no worker ever exceeds its budget. Reading: the schedule is a power of
    the round's number, where the papers take means over earlier runs.

    Source: T. Sery and K. Cohen, "On Analog Gradient Descent Learning over Multiple Access Fading Channels" and, with
    N. Shlezinger and Y. Eldar, "Over-the-Air Federated Learning from Heterogeneous Data": COTAF, also over fading
    channels, which all invert to a common gain, h_min = ε.

    Arguments:
        update_norm: L, over the workers' mean weight 1/N where messages are weighed.
        update_norm_decay: a.
    """

    update_norm: Any = field(
        default=1.0,
        metadata={
            "description": "scheduled power: norm of a worker's update that is expected in the first round, or for "
            "methods that weigh what workers send, such as FedAvg, of N times that, for equal weights its update; what "
            "is longer is shortened to it, and of several vectors, as FedVRA's two, each by itself",
            "label": "Update norm",
            "gt": 0.0,
        },
    )
    update_norm_decay: Any = field(
        default=0.5,
        metadata={
            "description": "scheduled power: exponent a with which the expected norm falls from round to round, as "
            "t^(-a)",
            "label": "Decay of the update norm",
            "symbol": "decay",
            "ge": 0.0,
            "le": 10.0,
        },
    )
    scales: ClassVar[bool] = False

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Refuse models in place of updates, whose norm does not fall."""
        if method.sends_models(settings):
            return f"is for updates, which are short, and {settings.method} with local.steps sends models"
        return ""

    def weighed(self, weight: float) -> Self:
        """Return it with norms of weighed messages."""
        return replace(self, update_norm=self.update_norm * weight)

    def remark(self, chain: Any, settings: Any) -> str:
        """Remark upon a precoder that hardly uses any power in usual fading."""
        if (most := chain.precoder.most_power()) > MOST_POWER:
            return f"counts with the largest power of the precoder, {most:.0e} times that of |h| = 1"
        return ""

    def budgeted_power(self, precoder: Precoder, mean: np.ndarray) -> np.ndarray:
        """The most that the precoder may take. Shape of mean."""
        return np.full_like(mean, precoder.most_power())

    def expected_norm(self, number: Any) -> Any:
        """Norm L_t. Shape of the fields."""
        return self.update_norm * number**-self.update_norm_decay
