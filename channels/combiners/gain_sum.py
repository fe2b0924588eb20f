"""Combiner along the sum of all gains, for workers that know nothing of their channels."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .. import fading
from ..receive_scaling import BlindSum, ReceiveScaling
from .combiner import Combiner, over, register
from .first import FirstAntenna


@register("sum")
@dataclass(frozen=True)
class GainSum(Combiner):
    """The direction of the sum of all workers' gains, a combiner for workers that do not know their channels.

    Source: Amiri, Duman and Gündüz, "Collaborative Machine Learning at the Wireless Edge with Blind Transmitters".
    """

    blind: ClassVar[bool] = True

    def weights(self, h: np.ndarray) -> np.ndarray:
        """Return the direction of Σ_n h_n, of norm 1, or the first antenna where that sum is 0. Shape [..., antennas].

        Weights are complex, no unit.

        Arguments:
            h: complex gains of all workers. Shape [..., workers, antennas].
        """
        total = h.sum(axis=-2)
        norm = np.linalg.norm(total, axis=-1, keepdims=True)
        return np.where(norm > 0, over(total, norm), FirstAntenna().weights(h))

    def receive_scaling(self, antennas: int) -> ReceiveScaling:
        """Return the ``BlindSum``, scaling by the sum of all gains behind this combiner over the number M of antennas.

        Arguments:
            antennas: number M of the server's antennas.
        """
        return BlindSum(antennas)

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Return why a run cannot have it: all that needs workers' knowledge of their channels; empty where it can.

        Arguments:
            chain: unused.
            settings: the run's ``Settings``, of which the tables cell, channel and uplink count.
            method: the run's ``Method``, which says if it weighs by gains.
        """
        if settings.cell.antennas == 1:
            return ""
        if settings.cell.radius_m or fading.FADING[settings.channel.fading].costly:
            return "weighs workers by their mean gains, which nobody knows and which differ here"
        if method.weighs_by_gain(settings):
            return f"leaves workers without knowledge of their channels, by which {settings.method} weighs"
        for key, without in (("channel.pilots", 0), ("uplink.elements_per_symbol", 1)):
            if settings.value(key) != without:
                return f"contradicts {key} = {settings.value(key)}, which supposes that workers know their channels"
        return ""
