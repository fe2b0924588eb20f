"""Random gains, and directions of two antennas, that tests of channels share."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from otafl.channels.noise import complex_normal

SHAPES = hnp.array_shapes(min_dims=2, max_dims=3, max_side=6)
NONZERO = hnp.arrays(np.complex128, SHAPES, elements=st.complex_numbers(min_magnitude=1e-3, max_magnitude=1e3))
GAINS = hnp.arrays(
    np.complex128, SHAPES, elements=st.complex_numbers(min_magnitude=1e-6, max_magnitude=1e6) | st.just(0j)
)


def gains(*shape: int, seed: int = 0) -> np.ndarray:
    return complex_normal(np.random.default_rng(seed), shape)


def directions(steps: int = 90) -> np.ndarray:
    """Unit vectors for two antennas, on a grid over all of them. Shape [directions, 2]."""
    angle, phase = np.meshgrid(np.linspace(0, np.pi / 2, steps + 1), np.linspace(0, 2 * np.pi, 2 * steps + 1))
    return np.stack([np.cos(angle), np.sin(angle) * np.exp(1j * phase)], axis=-1).reshape(-1, 2)
