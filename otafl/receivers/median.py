"""D. Yin, Y. Chen, K. Ramchandran, P. Bartlett, "Byzantine-Robust Distributed Learning: Towards Optimal Statistical
Rates": coordinate-wise median of workers' vectors."""

from dataclasses import dataclass

from otafl.numerics.tensors import Received, SentNumbers
from otafl.receivers.receiver import register
from otafl.receivers.robust import Robust, middle


@register("median")
@dataclass(frozen=True)
class Median(Robust):
    """Median of each element over the workers times their number, of digital uploads; of an even number the mean of the
    middle two.
    """

    def combined(self, arrived: SentNumbers) -> Received:
        count = arrived.shape[0]
        return count * middle(arrived, (count - 1) // 2)
