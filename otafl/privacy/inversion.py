"""Gradient inversion: the input of a dense first layer from its gradient, by a rank-one estimate.

A layer's gradient on one image is δ·xᵀ, so the image is the leading singular vector of a revealed gradient. Further
singular vectors are candidates, too; the attacker looks at the first few.

Source: J. Geiping, H. Bauermeister, H. Dröge, M. Moeller, "Inverting Gradients: How easy is it to break privacy in
federated learning?", proposition 3.1.
"""

import numpy as np


def pictures(gradient: np.ndarray, pixels: int, units: int, count: int = 1) -> np.ndarray:
    """Return the images behind the gradient [d] of a model with a dense first layer, the strongest first.

    Shape [count, pixels]; they have a 2-norm of 1, and the sign that makes their mean positive.
    """
    left, _, _ = np.linalg.svd(gradient[: pixels * units].reshape(pixels, units), full_matrices=False)
    images = left.T[:count]
    return images * np.where(images.sum(axis=1, keepdims=True) < 0, -1.0, 1.0)


def likeness(image: np.ndarray, original: np.ndarray) -> float:
    """Return |cosine| of the angle between two images, 1 if they agree up to a factor; 0 if one of them is 0."""
    norms = np.linalg.norm(image) * np.linalg.norm(original)
    return float(abs(image @ original) / norms) if norms > 0 else 0.0
