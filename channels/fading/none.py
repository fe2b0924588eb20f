"""Channel without fading."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..array_types import Gains
from .fading_model import Fading, register


@register("none")
@dataclass(frozen=True)
class NoFading(Fading):
    """No fading: unit gain on every subcarrier, h = 1."""

    static: ClassVar[bool] = True

    def sample(self, rng: np.random.Generator, num_workers: int, num_subcarriers: int) -> Gains:
        return np.ones((num_workers, num_subcarriers), dtype=np.complex128)
