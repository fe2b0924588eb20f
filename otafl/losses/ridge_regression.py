"""A. E. Hoerl, R. W. Kennard, "Ridge regression: biased estimation for nonorthogonal problems": least squares and a
penalty on the squares of the model."""

from dataclasses import dataclass

from otafl.losses.problem_kind import ConvexLoss, WorkerData, register
from otafl.numerics.tensors import FlatModels, Tensor, tf


@register("ridge_regression")
@dataclass(frozen=True)
class RidgeRegression(ConvexLoss):
    """½(⟨x, θ⟩ − y)² + ½λ‖θ‖², solved in closed form."""

    def losses(self, model: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return 0.5 * tf.square(tf.linalg.matvec(x, model) - y)

    def solve(self, data: WorkerData, start, dual, weight, anchor) -> FlatModels:
        """Return the solution of (A_n + diag(λ + w_n))θ = b_n − μ_n + w_nΘ, with second moments A_n of features."""
        shared = data.x * data.share[..., None]
        matrix = tf.linalg.matmul(shared, data.x, transpose_a=True) + tf.linalg.diag(self.l2_weight + weight)
        right = tf.linalg.matvec(shared, data.y, transpose_a=True) - dual + weight * anchor
        return tf.linalg.cholesky_solve(tf.linalg.cholesky(matrix), right[..., None])[..., 0]
