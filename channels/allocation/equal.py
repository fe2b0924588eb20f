"""Equal allocation of the band."""

from dataclasses import dataclass

import numpy as np

from ..array_types import Rates, Shares
from ..digital import band_split
from .allocation import Allocation, register


@register("equal")
@dataclass(frozen=True)
class Equal(Allocation):
    """Allocation of equal parts of the band, side by side and not rounded to whole subcarriers."""

    def subcarriers(self, workers: int, subcarriers: int) -> np.ndarray:
        return band_split(workers, subcarriers)[0]

    def shares(self, rates: Rates, subcarriers: int) -> Shares:
        return band_split(rates.shape[-2], subcarriers)[1]

    def band(self, shares: Shares, subcarriers: int) -> float:
        return subcarriers / shares.shape[-2]
