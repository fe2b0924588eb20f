"""D. Yin, Y. Chen, K. Ramchandran, P. Bartlett, "Byzantine-Robust Distributed Learning: Towards Optimal Statistical
Rates": coordinate-wise trimmed mean of workers' vectors."""

from dataclasses import dataclass

from otafl.channels.registry import parameter
from otafl.numerics.tensors import Received, SentNumbers
from otafl.receivers.receiver import register
from otafl.receivers.robust import Robust, middle


@register("trimmed_mean")
@dataclass(frozen=True)
class TrimmedMean(Robust):
    """Mean of each element without its largest and smallest values, times the number of workers, of digital uploads.

    The numbers of values that are cut are rounded down.
    """

    trimmed_share: float = parameter(
        0.1,
        "trimmed_mean: share of the workers' values cut at each end of every element",
        label="Trimmed share",
        ge=0.0,
        lt=0.5,
    )
    shapes = ("trimmed_share",)

    def combined(self, arrived: SentNumbers) -> Received:
        count = arrived.shape[0]
        return count * middle(arrived, int(self.trimmed_share * count))
