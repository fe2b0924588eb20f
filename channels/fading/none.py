"""No fading."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np


@dataclass(frozen=True)
class NoFading:
    """Unit gain on every subcarrier, h = 1."""

    name: ClassVar[str] = "none"
    static: ClassVar[bool] = True

    def sample(self, rng: np.random.Generator, num_workers: int, num_subcarriers: int) -> np.ndarray:
        """Unit gains. Shape [num_workers, num_subcarriers], complex."""
        return np.ones((num_workers, num_subcarriers), dtype=np.complex128)
