"""Equal allocation of the band."""

from dataclasses import dataclass

import numpy as np

from channels.allocation.protocol import Allocation, register
from channels.digital import band_split


@register("equal")
@dataclass(frozen=True)
class Equal(Allocation):
    """Allocation of equal parts of the band, side by side and not rounded to whole subcarriers."""

    def subcarriers(self, workers: int, subcarriers: int) -> np.ndarray:
        """Return the indices of the subcarriers of each worker's part. Shape [workers, pieces]."""
        return band_split(workers, subcarriers)[0]

    def shares(self, rates: np.ndarray, subcarriers: int) -> np.ndarray:
        """Return each worker's share of the subcarriers of its part. Shape [workers, pieces]."""
        return band_split(rates.shape[-2], subcarriers)[1]

    def band(self, shares: np.ndarray, subcarriers: int) -> float:
        """Return the subcarriers of each worker's part, S/N."""
        return subcarriers / shares.shape[-2]
