"""D. Yin, Y. Chen, K. Ramchandran, P. Bartlett, "Byzantine-Robust Distributed Learning: Towards Optimal Statistical
Rates": coordinate-wise trimmed mean of workers' vectors."""

from dataclasses import dataclass, field
from typing import ClassVar

from otafl.numerics.tensor_types import Received, SentNumbers
from otafl.receivers.receiver import register
from otafl.receivers.robust import Robust, middle


@register("trimmed_mean")
@dataclass(frozen=True)
class TrimmedMean(Robust):
    """Mean of each element without its largest and smallest values, times the number of workers, of digital uploads.

    Arguments:
        trimmed_share: share of the values that is cut at each end, rounded down to whole values, from 0 to below 1/2.
    """

    trimmed_share: float = field(
        default=0.1,
        metadata={
            "description": "trimmed_mean: share of the workers' values cut at each end of every element",
            "label": "Trimmed share",
            "ge": 0.0,
            "lt": 0.5,
        },
    )
    shapes: ClassVar[tuple[str, ...]] = ("trimmed_share",)

    def combined(self, arrived: SentNumbers) -> Received:
        count = arrived.shape[0]
        return count * middle(arrived, int(self.trimmed_share * count))
