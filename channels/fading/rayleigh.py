"""Rayleigh fading: many paths without a dominant one."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..array_types import Gains
from ..noise import complex_normal
from .fading_model import Fading, register


@register("rayleigh")
@dataclass(frozen=True)
class RayleighFading(Fading):
    """Rayleigh fading, h ~ CN(0, 1) independent over workers and subcarriers: |h|² is exponential with mean 1."""

    rayleigh: ClassVar[bool] = True

    def sample(self, rng: np.random.Generator, num_workers: int, num_subcarriers: int) -> Gains:
        # Subcarriers are drawn one after the other, so that a wider band extends a narrower one.
        return complex_normal(rng, (num_subcarriers, num_workers)).T
