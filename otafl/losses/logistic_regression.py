"""D. R. Cox, "The regression analysis of binary sequences": probabilities of two classes by the logistic function."""

from dataclasses import dataclass

import numpy as np

from otafl.losses.problem_kind import ConvexLoss, register
from otafl.numerics.tensors import Tensor, tf


@register("logistic_regression")
@dataclass(frozen=True)
class LogisticRegression(ConvexLoss):
    """−log p(y), p(1) = 1/(1 + exp(−⟨x, θ⟩)), in nats, for targets y of 0 and 1, plus ½λ‖θ‖²."""

    def losses(self, model: Tensor, x: Tensor, y: Tensor) -> Tensor:
        logit = tf.linalg.matvec(x, model)
        return tf.nn.softplus(logit) - y * logit

    def refusal(self, targets: np.ndarray) -> str:
        return "" if np.isin(targets, (0, 1)).all() else "must have the targets 0 and 1"
