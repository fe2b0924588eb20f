"""Combiner of the first antenna."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..array_types import AntennaWeights, ChannelVectors
from .combiner import Combiner, register


@register("first")
@dataclass(frozen=True)
class FirstAntenna(Combiner):
    """The first of the server's antennas alone, a combiner that needs no gains."""

    by_gains: ClassVar[bool] = False

    def weights(self, h: ChannelVectors) -> AntennaWeights:
        return np.broadcast_to(np.eye(1, h.shape[-1], dtype=complex)[0], (*h.shape[:-2], h.shape[-1]))
