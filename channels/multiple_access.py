"""The multiple-access channel: all workers on the same subcarriers at once, one receiver.

This is the complex reference. A simulator that needs only the real part of the sum adds real contributions, each times
its factor of arrival, and never forms a complex number (``channels.effective_channel``); both agree to rounding.
"""

import numpy as np

from channels.power import common_scaling


def superpose(signals: np.ndarray, gains: np.ndarray, noise: np.ndarray | float = 0.0) -> np.ndarray:
    """Received symbols y_i = Σ_n h_{n,i} x_{n,i} + z_i.

    Arguments:
        signals: transmitted x, complex. Shape [workers, elements].
        gains: h on the subcarrier that each element rides, complex. Shape [workers, elements].
        noise: z, one sample per element for the whole receiver. Shape [elements].
    """
    return np.sum(gains * signals, axis=0) + noise


def aggregate(signals: np.ndarray, gains: np.ndarray, noise: np.ndarray | float, budget: float) -> np.ndarray:
    """Σ_n h_n x_n as the receiver knows it under a power budget: scaled by α, superposed, and divided by α again.

    Arguments:
        signals: what each worker wants to send, before power control. Shape [workers, elements].
        gains: h, complex. Shape [workers, elements].
        noise: matched-filter output noise, CN(0, N0/T) for each element. Shape [elements].
        budget: largest Σ_i |α x_i|² of a worker [W].

    Returns:
        Σ_n h_n x_n + z/α, complex. Shape [elements].

    Source: Elgabli et al., section II-F.
    """
    return superpose(signals, gains, np.divide(noise, common_scaling(signals, budget)))
