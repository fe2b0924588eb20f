"""Combiner that favours the weakest worker."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..array_types import AntennaWeights, ChannelVectors, PerWorker
from .combiner import Combiner, over, register
from .principal import MOST_ANTENNAS, PrincipalDirection

STEPS = 60


@register("max_min")
@dataclass(frozen=True)
class MaxMin(Combiner):
    """The best combiner for the weakest worker; a search from the principal direction on makes its |g_n| large.

    Worker n has the gains h_n, and g_n = w^H·h_n behind the weights w. For fixed phases φ_n of g_n the best w is the
    point of the convex hull of h_n·e^(-jφ_n) that is nearest to the origin. Gilbert's algorithm takes a step towards
    the weakest worker's h; then the phases are updated. The result is a local optimum.
    """

    most_antennas: ClassVar[float] = MOST_ANTENNAS

    def weights(self, h: ChannelVectors) -> AntennaWeights:
        best = PrincipalDirection().weights(h)
        gains = left(best, h)
        floor, point = np.abs(gains).min(axis=-1), np.mean(h * _turn(gains)[..., None], axis=-2)
        for _ in range(STEPS):
            gains, norm = left(point, h), np.linalg.norm(point, axis=-1)
            least = over(np.abs(gains).min(axis=-1), norm)
            best = np.where((least > floor)[..., None], over(point, norm[..., None]), best)
            floor = np.maximum(least, floor)
            point = point + _step(point, gains, h)
        return best


def _step(point: AntennaWeights, gains: PerWorker, h: ChannelVectors) -> AntennaWeights:
    """Return Gilbert's step from a point of the hull towards the weakest worker's gains."""
    weakest = np.abs(gains).argmin(axis=-1)[..., None]
    turn = np.take_along_axis(_turn(gains), weakest, axis=-1)
    step = np.take_along_axis(h, weakest[..., None], axis=-2)[..., 0, :] * turn - point
    along, length = np.sum((step.conj() * point).real, axis=-1), np.sum(np.abs(step) ** 2, axis=-1)
    share = np.divide(-along, length, out=np.zeros_like(along), where=length > 0)
    return np.clip(share, 0.0, 1.0)[..., None] * step


def left(weights: AntennaWeights, h: ChannelVectors) -> PerWorker:
    """Return the complex gains w^H·h_n of workers behind weights w."""
    return np.einsum("...m,...nm->...n", weights.conj(), h)


def _turn(gains: PerWorker) -> PerWorker:
    """Return e^(-jφ) for gains of phases φ."""
    return np.exp(-1j * np.angle(gains))
