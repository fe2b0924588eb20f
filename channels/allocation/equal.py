"""Equal allocation of the band."""

from dataclasses import dataclass

import numpy as np

from ..digital import band_split
from .allocation import Allocation, register


@register("equal")
@dataclass(frozen=True)
class Equal(Allocation):
    """Allocation of equal parts of the band, side by side and not rounded to whole subcarriers."""

    def subcarriers(self, workers: int, subcarriers: int) -> np.ndarray:
        """Return the indices of the subcarriers of each worker's part of the band. Shape [workers, pieces].

        A piece is a whole subcarrier or a part of one; each worker has ⌈S/N⌉ + 1, some of which have a share of 0.

        Arguments:
            workers: number N of workers.
            subcarriers: number S of subcarriers of the band; indices are from 0 to S - 1.
        """
        return band_split(workers, subcarriers)[0]

    def shares(self, rates: np.ndarray, subcarriers: int) -> np.ndarray:
        """Return each worker's share, from 0 to 1, of the time of the subcarriers of its part. Shape [workers, pieces].

        A piece is a whole subcarrier or a part of one, ⌈S/N⌉ + 1 for each of N workers.

        Arguments:
            rates: rates, of which the number N of workers alone is taken. Shape [..., workers, pieces].
            subcarriers: number S of subcarriers of the band.
        """
        return band_split(rates.shape[-2], subcarriers)[1]

    def band(self, shares: np.ndarray, subcarriers: int) -> float:
        """Return the number of subcarriers of each worker's part, S/N, not rounded.

        Arguments:
            shares: shares, of which the number N of workers alone is taken. Shape [..., workers, pieces], a piece being
                a whole subcarrier or a part of one.
            subcarriers: number S of subcarriers of the band.
        """
        return subcarriers / shares.shape[-2]
