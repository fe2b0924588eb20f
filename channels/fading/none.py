"""Channel without fading."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .fading_model import register


@register("none")
@dataclass(frozen=True)
class NoFading:
    """No fading: unit gain on every subcarrier, h = 1."""

    static: ClassVar[bool] = True

    def sample(self, rng: np.random.Generator, num_workers: int, num_subcarriers: int) -> np.ndarray:
        """Return gains h = 1, no unit. Shape [num_workers, num_subcarriers], complex.

        Arguments:
            rng: random generator, unused.
            num_workers: number of workers, or of links between workers and antennas.
            num_subcarriers: number of subcarriers.
        """
        return np.ones((num_workers, num_subcarriers), dtype=np.complex128)
