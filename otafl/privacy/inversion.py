"""J. Geiping, H. Bauermeister, H. Dröge, M. Moeller, "Inverting Gradients: How easy is it to break privacy in federated
learning?", proposition 3.1: the input of a dense first layer follows from its gradient, here from a rank-one estimate.

A layer's gradient on one image is δ·xᵀ, so the image is the leading singular vector of what is revealed of it. The
singular vectors behind it are those of further images; the first few are what the attacker looks at.
"""

import numpy as np


def pictures(gradient: np.ndarray, pixels: int, units: int, count: int = 1) -> np.ndarray:
    """The images behind the gradient of a model that begins with a dense layer of so many units, in order of strength,
    of norm 1, brighter than dark. Shape of the gradient [d], then [count, pixels]."""
    left, _, _ = np.linalg.svd(gradient[: pixels * units].reshape(pixels, units), full_matrices=False)
    found = left.T[:count]
    return found * np.where(found.sum(axis=1, keepdims=True) < 0, -1.0, 1.0)


def likeness(found: np.ndarray, original: np.ndarray) -> float:
    """|cosine| between an image and the original, 1 where they agree up to brightness. Shape [pixels] each."""
    norms = np.linalg.norm(found) * np.linalg.norm(original)
    return float(abs(found @ original) / norms) if norms > 0 else 0.0
