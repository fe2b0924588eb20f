"""Power control with the budget kept on average over fading."""

from dataclasses import dataclass

from ..array_types import MeanGains
from ..precoding.precoder import Precoder
from .power_control import PowerControl, register


@register("average")
@dataclass(frozen=True)
class AveragePower(PowerControl):
    """Power control with the budget kept on average over Rayleigh fading; instantaneous power may exceed it.

    With truncated inversion this is broadband analog aggregation, with the power P/E1(ε²) on every subcarrier of a
    budget P [W], for fading of mean square 1, the truncation threshold ε and the exponential integral E1.

    Source: G. Zhu, Y. Wang and K. Huang, "Broadband Analog Aggregation for Low-Latency Federated Edge Learning",
    equations (9) to (11).
    """

    def budgeted_power(self, precoder: Precoder, mean: MeanGains) -> MeanGains:
        return precoder.mean_power(mean)
