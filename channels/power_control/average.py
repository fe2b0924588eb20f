"""Power control with the budget kept on average over fading."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import fading
from ..precoding.precoder import Precoder
from .power_control import PowerControl, register


@register("average")
@dataclass(frozen=True)
class AveragePower(PowerControl):
    """Power control with the budget kept on average over Rayleigh fading; instantaneous power may exceed it.

    With truncated inversion this is broadband analog aggregation, x = √ρ0·c/h where |h|² is at least g = ε². Here c is
    a contribution, ε the truncation threshold, P the power budget of a subcarrier [W], and E1 the exponential integral.
    The power on every subcarrier is ρ0 = P/E1(g) for fading of mean square 1.

    Source: G. Zhu, Y. Wang and K. Huang, "Broadband Analog Aggregation for Low-Latency Federated Edge Learning",
    equations (9) to (11).
    """

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Return why a run cannot have it: precoders without a mean power, or several antennas; empty where it can.

        Arguments:
            chain: the run's ``Chain``, whose field ``precoder`` counts.
            settings: the run's ``Settings``, of which ``cell.antennas`` and ``cell.worker_antennas`` count.
            method: unused.
        """
        if np.isinf(chain.precoder.mean_power(np.ones(1))).any():
            return "needs a precoder whose mean power over Rayleigh fading is finite"
        for key in ("antennas", "worker_antennas"):
            if getattr(settings.cell, key) > 1:
                return f"contradicts cell.{key}: it averages over the fading of a single antenna"
        if settings.cell.surface_elements:
            return "contradicts cell.surface_elements: gains behind optimised phases are not Rayleigh"
        return ""

    def remark(self, chain: Any, settings: Any) -> str:
        """Return a remark on fading that is not Rayleigh; empty where it is.

        Arguments:
            chain: unused.
            settings: the run's ``Settings``, of which the table ``channel`` counts.
        """
        name = settings.channel.fading
        if fading.FADING.make(name, **settings.channel.model_dump()).rayleigh:
            return ""
        return f"averages over Rayleigh fading, which {name} is not; worker_power in the result is the power used"

    def budgeted_power(self, precoder: Precoder, mean: np.ndarray) -> np.ndarray:
        """Return the mean power per squared contribution, E|p|², over Rayleigh fading, no unit. Shape of mean.

        Arguments:
            precoder: precoder of the workers, with complex factors p.
            mean: mean of |h|² over fading of each worker's complex gains h, linear. Shape [..., workers, 1].
        """
        return precoder.mean_power(mean)
