"""Distributed gradient descent, the baseline of Elgabli et al. (section V-A): A-GD over truncated channel inversion,
D-GD over error-free orthogonal uploads; A-SGD and D-SGD where gradients are taken on mini-batches.
"""

import math
from typing import NamedTuple

import tensorflow as tf

from otafl.algorithms.hyperparameters import Hyperparameters
from otafl.arrays import Tensor
from otafl.problems.problem import Gradient, Problem
from otafl.uplinks.link import Downlink, Link, Upload


class State(NamedTuple):
    """The global model Θ, which every worker holds. Shape [1, d, runs]."""

    model: Tensor


def init(start: Tensor, workers: int, downlink: Downlink) -> State:
    """The model that training starts from, [1, d, runs]."""
    return State(start)


def prepare(problem: Problem, gain: Tensor, parameters: Hyperparameters) -> None:
    """Nothing depends on the coherence block."""


def local_update(state: State, problem: Problem, block: None, changed: bool | Tensor = False) -> Gradient:
    """The local gradients at the global model."""
    return problem.sampled_gradient(state.model)


def global_update(
    state: State, local: Gradient, gain: Tensor, link: Link, parameters: Hyperparameters
) -> tuple[State, Upload]:
    """Θ ← Θ − η Σ_n ∇f_n(Θ), the sum as the uplink delivers it; η is learning rate, or learning rate over N."""
    upload = link.sum(local.slope)
    return State(state.model - parameters.step_size * upload.total), upload


def local_models(state: State) -> Tensor:
    """The models at which the local losses are taken, Θ for all workers."""
    return state.model


def residuals(before: State, after: State, block: None) -> tuple[Tensor, Tensor]:
    """The method has none: NaN. Shape [runs] each."""
    none = tf.fill(tf.shape(after.model)[-1:], tf.constant(math.nan, after.model.dtype))
    return none, none
