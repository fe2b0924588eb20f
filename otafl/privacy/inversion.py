"""Gradient inversion: the input of a dense first layer from its gradient, by a rank-one estimate.

A layer's gradient on one image is δ·xᵀ, so the image is the leading singular vector of a revealed gradient. Further
singular vectors are candidates, too; the attacker looks at the first few.

Source: J. Geiping, H. Bauermeister, H. Dröge, M. Moeller, "Inverting Gradients: How easy is it to break privacy in
federated learning?", proposition 3.1.
"""

import numpy as np


def pictures(gradient: np.ndarray, pixels: int, units: int, count: int = 1) -> np.ndarray:
    """Return the images behind the gradient of a model with a dense first layer, the strongest first.

    Arguments:
        gradient: gradient of a model of d elements, that of the first layer first. Shape [d], real.
        pixels: number of inputs of the first layer.
        units: number of its outputs.
        count: number of images.

    Returns:
        Images of 2-norm 1 and of the sign that makes their mean positive. Shape [count, pixels], without unit.
    """
    left, _, _ = np.linalg.svd(gradient[: pixels * units].reshape(pixels, units), full_matrices=False)
    found = left.T[:count]
    return found * np.where(found.sum(axis=1, keepdims=True) < 0, -1.0, 1.0)


def likeness(found: np.ndarray, original: np.ndarray) -> float:
    """Return |cosine| of the angle between two images, 1 if they agree up to a factor; 0 if one of them is 0.

    Arguments:
        found: an image. Shape [pixels], real.
        original: another image. Shape [pixels], real.
    """
    norms = np.linalg.norm(found) * np.linalg.norm(original)
    return float(abs(found @ original) / norms) if norms > 0 else 0.0
