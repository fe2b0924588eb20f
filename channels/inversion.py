"""Truncated channel inversion: cancel the fading before transmission, and stay silent in a deep fade."""

import numpy as np


def truncated_inversion(message: np.ndarray, gains: np.ndarray, threshold: float) -> tuple[np.ndarray, np.ndarray]:
    """Pre-equalise a message, x = message/h where |h| ≥ ε and 0 elsewhere.

    Arguments:
        message: real or complex symbols that should arrive. Shape [workers, elements].
        gains: complex gains h. Shape [workers, elements].
        threshold: ε, the smallest |h| at which a worker transmits.

    Returns:
        The transmitted signal and the mask of active workers, both of shape [workers, elements].

    Source: Elgabli et al., section V-A (A-GD), after Zhu, Wang and Huang.
    """
    active = np.abs(gains) >= threshold
    inverse = np.divide(1.0, gains, out=np.zeros(np.shape(gains), complex), where=active)
    return message * inverse, active


def sum_estimate(received: np.ndarray, active: np.ndarray) -> np.ndarray:
    """Estimate Σ_n message_n from the sum over those who spoke: scaled by N over their number, 0 where none did.

    The receiver knows how many workers spoke on each subcarrier, not who. Shape [elements].
    """
    num_workers, spoke = active.shape[0], active.sum(axis=0)
    return np.where(spoke > 0, received * num_workers / np.maximum(spoke, 1), 0.0)


def silent_probability(threshold: float | np.ndarray) -> float | np.ndarray:
    """Probability that a Rayleigh subcarrier is silent, P(|h| < ε) = 1 − exp(−ε²)."""
    return -np.expm1(-np.square(threshold))
