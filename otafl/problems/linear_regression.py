"""Linear regression: local losses f_n(θ) = ½ θᵀA_nθ − b_nᵀθ + c_n with exact local minimisers, in float64."""

from typing import Literal, NamedTuple, Self

import numpy as np
import tensorflow as tf

from otafl.algorithms.local_problem import Gradient, Minimiser
from otafl.data.samples import Samples
from otafl.federation.partition import Shares
from otafl.numerics.tensors import GlobalModel, Models, ModelsOrOne, PerRun, Scalar, Tensor
from otafl.problems import cholesky
from otafl.system.machine import in_one_thread


class LinearRegression(NamedTuple):
    """Quadratic local losses of all workers n: A_n, [workers, d, d, runs], b_n, and the minimiser θ* of their sum."""

    hessian: Tensor
    linear: Models
    optimum: GlobalModel

    @classmethod
    def bind(cls, learner: None, shared: "LinearRegression", own: None, iteration: Scalar, epochs: None) -> Self:
        """Return the local problems of a round, the same in every round."""
        return cls(*shared)

    @property
    def start(self) -> GlobalModel:
        return tf.zeros_like(self.optimum)

    def gradient(self, theta: ModelsOrOne) -> Gradient:
        """Return gradients A_nθ_n − b_n, and losses of 0, as they are not computed."""
        slope = tf.reduce_sum(self.hessian * theta[:, None], axis=2) - self.linear
        return Gradient(slope, tf.zeros_like(slope[:, 0]))

    sampled_gradient = gradient

    def penalise(self, weight: Models) -> cholesky.Rows | Tensor:
        return cholesky.factor(self.hessian, weight)

    def solve(self, start, dual=None, weight=None, anchor=None, accuracy=None, penalised=None) -> Minimiser:
        none = tf.zeros_like(self.linear)
        pull, strength, centre = (none if part is None else part for part in (dual, weight, anchor))
        factored = self.penalise(none + strength) if penalised is None else penalised
        theta = cholesky.solve(factored, self.linear - pull + strength * centre)
        return Minimiser(theta, tf.zeros_like(theta[:, 0]), tf.zeros_like(theta[:, 0]))

    def reported_loss(self, models: ModelsOrOne, trained: PerRun) -> PerRun:
        """Return |Σ_n f_n(θ_n) − min Σ_n f_n|, from the distance to the minimiser, so that nothing cancels."""
        away = models - self.optimum
        slope = self.gradient(self.optimum).slope
        curved = tf.reduce_sum(self.hessian * away[:, None], axis=2)
        return tf.abs(tf.reduce_sum(away * (0.5 * curved + slope), axis=[0, 1]))

    def test_accuracy(self, model: GlobalModel) -> PerRun:
        return tf.fill(model.shape[2:], tf.constant(np.nan, model.dtype))


class LossOfAll(LinearRegression):
    """Linear regression that reports the loss of section V-A of Elgabli et al., of all samples at each model."""

    __slots__ = ()

    def reported_loss(self, models: ModelsOrOne, trained: PerRun) -> PerRun:
        """Return |Σ_n [f(θ_n) − f(θ*)]|, f the mean of all f_n, from the distance to the minimiser θ*."""
        away = models - self.optimum + tf.zeros_like(self.linear)
        curved = tf.reduce_sum(tf.reduce_mean(self.hessian, axis=0) * away[:, None], axis=2)
        return tf.abs(tf.reduce_sum(0.5 * away * curved, axis=[0, 1]))


@in_one_thread()
def build(data: Samples, shares: Shares, reduction: Literal["mean", "sum"]) -> LinearRegression:
    """Return the local losses of one run from the workers' samples, as NumPy arrays without the axis of runs."""
    parts = [_normal_equations(data, group, reduction) for group in _equal_sizes(shares)]
    hessian, linear = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    optimum = np.linalg.lstsq(hessian.sum(axis=0), linear.sum(axis=0), rcond=None)[0]
    return LinearRegression(hessian, linear, optimum[None])


def stack(problems: list[LinearRegression]) -> LinearRegression:
    """Return the results of ``build`` of several runs side by side, the runs on a new last axis."""
    return LinearRegression(*(np.stack(arrays, axis=-1) for arrays in zip(*problems, strict=True)))


def _equal_sizes(shares: Shares) -> list[np.ndarray]:
    """Return indices of consecutive workers with equally many samples, [workers, samples] each."""
    sizes = np.array([len(share) for share in shares])
    breaks = np.flatnonzero(np.diff(sizes)) + 1
    return [np.stack(shares[start:stop]) for start, stop in zip([0, *breaks], [*breaks, len(shares)], strict=True)]


def _normal_equations(data: Samples, index: np.ndarray, reduction: str) -> tuple[np.ndarray, np.ndarray]:
    features, target = data.features[index], data.targets[index]
    scale = 1.0 / index.shape[1] if reduction == "mean" else 1.0
    transposed = features.transpose(0, 2, 1)
    return scale * (transposed @ features), scale * (transposed @ target[..., None])[..., 0]
