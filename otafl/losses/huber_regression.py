"""P. J. Huber, "Robust estimation of a location parameter": squares of residuals, which grow linearly beyond a
threshold."""

from dataclasses import dataclass

from otafl.channels.registry import parameter
from otafl.losses.problem_kind import ConvexLoss, register
from otafl.numerics.tensors import Tensor, tf


@register("huber_regression")
@dataclass(frozen=True)
class HuberRegression(ConvexLoss):
    """½r² of residuals r = ⟨x, θ⟩ − y up to a threshold δ, and δ(|r| − ½δ) beyond, plus ½λ‖θ‖²."""

    huber_threshold: float = parameter(
        1.0,
        "huber_regression: residual δ beyond which the loss grows linearly, in the unit of the targets; data sets of "
        "the package have targets of standard deviation 1",
        label="Huber threshold",
        symbol="$\\delta$",
        ge=1e-3,
        le=1e6,
    )

    def losses(self, model: Tensor, x: Tensor, y: Tensor) -> Tensor:
        residual = tf.abs(tf.linalg.matvec(x, model) - y)
        most = self.huber_threshold
        return tf.where(residual <= most, 0.5 * tf.square(residual), most * (residual - 0.5 * most))
