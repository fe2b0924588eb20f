"""Random gains, and directions of two antennas, that tests of channels share."""

import numpy as np

from otafl.channels.noise import complex_normal


def gains(*shape: int, seed: int = 0) -> np.ndarray:
    """Complex normal gains of mean square one."""
    return complex_normal(np.random.default_rng(seed), shape)


def directions() -> np.ndarray:
    """Unit vectors for two antennas, on a grid over all of them. Shape [directions, 2]."""
    angle, phase = np.meshgrid(np.linspace(0, np.pi / 2, 91), np.linspace(0, 2 * np.pi, 181))
    return np.stack([np.cos(angle), np.sin(angle) * np.exp(1j * phase)], axis=-1).reshape(-1, 2)
