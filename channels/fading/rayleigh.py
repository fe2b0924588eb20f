"""Rayleigh fading: many paths without a dominant one."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..noise import complex_normal
from .fading_model import register


@register("rayleigh")
@dataclass(frozen=True)
class RayleighFading:
    """Rayleigh fading, h ~ CN(0, 1) independent over workers and subcarriers: |h|² is exponential with mean 1."""

    rayleigh: ClassVar[bool] = True

    def sample(self, rng: np.random.Generator, num_workers: int, num_subcarriers: int) -> np.ndarray:
        """Draw Rayleigh gains h of mean square 1, no unit. Shape [num_workers, num_subcarriers], complex.

        Subcarriers are drawn one after the other, so a wider band extends a narrower one without changing it.

        Arguments:
            rng: random generator of the coherence block, a time of constant gains.
            num_workers: number of workers, or of links between workers and antennas.
            num_subcarriers: number of subcarriers.
        """
        return complex_normal(rng, (num_subcarriers, num_workers)).T
