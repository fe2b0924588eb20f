"""Combiner along the sum of all gains, for workers that know nothing of their channels."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..array_types import AntennaWeights, ChannelVectors
from ..receive_scaling import BlindSum, ReceiveScaling
from .combiner import Combiner, over, register
from .first import FirstAntenna


@register("sum")
@dataclass(frozen=True)
class GainSum(Combiner):
    """The direction of the sum of all workers' gains, or the first antenna where that is 0.

    Source: Amiri, Duman and Gündüz, "Collaborative Machine Learning at the Wireless Edge with Blind Transmitters".
    """

    blind: ClassVar[bool] = True

    def weights(self, h: ChannelVectors) -> AntennaWeights:
        total = h.sum(axis=-2)
        norm = np.linalg.norm(total, axis=-1, keepdims=True)
        return np.where(norm > 0, over(total, norm), FirstAntenna().weights(h))

    def receive_scaling(self, antennas: int) -> ReceiveScaling:
        return BlindSum(antennas)
