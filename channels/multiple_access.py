"""Multiple-access channel: all workers on the same subcarriers at once, and one receiver; the complex reference."""

import numpy as np

from .array_types import Gains, Symbols
from .power import common_scaling


def superpose(signals: Symbols, gains: Gains, noise: np.ndarray | float = 0.0) -> np.ndarray:
    """Return the received symbols y_i = Σ_n h_{n,i} x_{n,i} + z_i, sums over workers n for each element i.

    Symbols x and gains h have shape [workers, elements]; the noise has one complex sample z per element for the whole
    receiver, [elements]. All |x|², |y|² and |z|² are in W.
    """
    return np.sum(gains * signals, axis=0) + noise


def aggregate(signals: Symbols, gains: Gains, noise: np.ndarray | float, budget: float) -> np.ndarray:
    """Return the received sum Σ_n h_n x_n + z/α under a power budget: scaled by α, superposed, and divided by α.

    With the common factor α the worker of the largest power takes its whole budget.

    >>> gains, signals = np.array([[1j], [0.5]]), np.array([[-2j], [4.0]])
    >>> aggregate(signals, gains, noise=0.0, budget=1.0)
    array([4.+0.j])

    Arguments:
        signals: complex symbols x of each worker before power control, of any unit. Shape [workers, elements].
        gains: gains h on the subcarrier of each element. Shape [workers, elements].
        noise: noise z behind the matched filter, CN(0, N0/T), with |z|² in W. Shape [elements], or 0.
        budget: largest Σ_i |α x_i|² of a worker over its elements i [W].

    Source: Elgabli et al., section II-F.
    """
    return superpose(signals, gains, np.divide(noise, common_scaling(signals, budget)))
