"""Combiner along the direction of most power."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..array_types import AntennaWeights, ChannelVectors
from .combiner import Combiner, register

MOST_ANTENNAS = 256
"""Largest number of antennas for combiners found by eigenvectors, whose time grows with its cube."""


@register("principal")
@dataclass(frozen=True)
class PrincipalDirection(Combiner):
    """The direction of most received power, a combiner: the principal eigenvector of Σ_n h_n·h_n^H."""

    most_antennas: ClassVar[float] = MOST_ANTENNAS

    def weights(self, h: ChannelVectors) -> AntennaWeights:
        return directions(h)[..., -1]


def directions(h: ChannelVectors) -> np.ndarray:
    """Return the eigenvectors of Σ_n h_n·h_n^H as columns, weakest first. Shape [..., antennas, antennas]."""
    return np.linalg.eigh(np.einsum("...nm,...nk->...mk", h, h.conj()))[1]
