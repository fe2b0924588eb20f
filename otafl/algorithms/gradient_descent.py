"""Distributed gradient descent, the baseline of Elgabli et al. (section V-A): A-GD over truncated channel inversion,
D-GD over error-free orthogonal uploads.
"""

import math
from typing import NamedTuple

import tensorflow as tf

from otafl.algorithms.hyperparameters import Hyperparameters
from otafl.arrays import Tensor
from otafl.problems import linear_regression as local
from otafl.problems.linear_regression import LinearRegression
from otafl.uplinks.link import Downlink, Link, Upload


class State(NamedTuple):
    """The global model Θ, which every worker holds. Shape [1, d, runs]."""

    model: Tensor


def init(problem: LinearRegression, downlink: Downlink) -> State:
    """The model at zero."""
    return State(tf.zeros_like(problem.optimum))


def prepare(problem: LinearRegression, gain: Tensor, parameters: Hyperparameters) -> None:
    """Nothing depends on the coherence block."""


def step(
    state: State,
    problem: LinearRegression,
    block: None,
    link: Link,
    parameters: Hyperparameters,
    changed: bool | Tensor = False,
) -> tuple[State, Upload]:
    """Θ ← Θ − η Σ_n ∇f_n(Θ), the sum as the uplink delivers it; η is learning rate, or learning rate over N."""
    upload = link.sum(local.gradient(problem, state.model))
    return State(state.model - parameters.step_size * upload.total), upload


def local_models(state: State) -> Tensor:
    """The models at which the local losses are taken, Θ for all workers."""
    return state.model


def residuals(before: State, after: State, block: None) -> tuple[Tensor, Tensor]:
    """The method has none: NaN. Shape [runs] each."""
    none = tf.fill(tf.shape(after.model)[-1:], tf.constant(math.nan, after.model.dtype))
    return none, none
