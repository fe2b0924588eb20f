"""Problems of one's own: ridge regression as a function, and as a class with its minimiser in closed form."""

# -- function
import tensorflow as tf

import otafl


@otafl.problem("my_ridge")
def my_ridge(model, x, y, strength=0.1):
    """½(⟨x, θ⟩ − y)² + ½s‖θ‖² of each sample, with weight s."""
    return 0.5 * (tf.linalg.matvec(x, model) - y) ** 2 + 0.5 * strength * tf.reduce_sum(model**2)


# -- class
from dataclasses import dataclass  # noqa: E402

from otafl.losses import ConvexLoss  # noqa: E402


@otafl.problem("my_exact_ridge")
@dataclass(frozen=True)
class MyExactRidge(ConvexLoss):
    """Ridge regression, whose ½λ‖θ‖² is that of every convex loss, problem.l2_weight."""

    def losses(self, model, x, y):
        return 0.5 * (tf.linalg.matvec(x, model) - y) ** 2

    def solve(self, data, start, dual, weight, anchor):
        weighted = data.x * data.share[..., None]
        matrix = tf.matmul(weighted, data.x, transpose_a=True) + tf.linalg.diag(self.l2_weight + weight)
        right = tf.linalg.matvec(weighted, data.y, transpose_a=True) - dual + weight * anchor
        return tf.linalg.solve(matrix, right[..., None])[..., 0]


# -- end
