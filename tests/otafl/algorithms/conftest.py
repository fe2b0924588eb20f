"""Small problems and a loop that drives a method iteration by iteration, uncompiled, for tests that look inside."""

import os
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf
from otafl.algorithms.hyperparameters import Hyperparameters

from channels.fading import RayleighFading
from otafl.algorithms import fadmm
from otafl.data import partition
from otafl.data import regression as datasets
from otafl.problems import linear_regression
from otafl.problems.linear_regression import LinearRegression
from otafl.settings.keys import Problem
from otafl.uplinks.digital import DigitalLink

CASES = {
    "diabetes": (Problem(dataset="diabetes"), 20),
    "well_conditioned": (Problem(dataset="synthetic", dimension=4, samples=300, condition_number=2.0), 10),
    "ill_conditioned": (Problem(dataset="synthetic", dimension=8, samples=400, condition_number=1e4), 25),
    "few_samples": (Problem(dataset="synthetic", dimension=6, samples=30), 15),
}


class Iteration(NamedTuple):
    """One iteration of FADMM: the state before and after, the dual that entered it, and the gains |h|²."""

    before: fadmm.State
    entered: np.ndarray
    after: fadmm.State
    gain: np.ndarray
    changed: bool


def build(case: str) -> LinearRegression:
    """One of CASES with an axis for a single run."""
    problem, workers = CASES[case]
    data = datasets.load(problem, seed=7)
    shares = partition.iid(len(data.target), workers, np.random.default_rng(7))
    return linear_regression.stack([linear_regression.build(data, shares, "mean")])


@pytest.fixture(params=CASES)
def problem(request: pytest.FixtureRequest) -> LinearRegression:
    """Each of CASES in turn."""
    return build(request.param)


def rayleigh_gains(problem: LinearRegression, seed: int) -> np.ndarray:
    """|h|² of one coherence block. Shape [workers, d, 1]."""
    workers, dim, _ = problem.linear.shape
    return np.abs(RayleighFading().sample(np.random.default_rng(seed), workers, dim)[..., None]) ** 2


def noise_free(
    problem: LinearRegression, iterations: int, coherence: int | None, rho: float = 0.5
) -> Iterator[Iteration]:
    """FADMM over an error-free uplink with channel weights, the channel changing every ``coherence`` iterations."""
    parameters = Hyperparameters(tf.constant([rho], tf.float64), tf.constant([0.0], tf.float64))
    problem = LinearRegression(*map(tf.constant, problem))
    state = fadmm.init(problem.start, problem.linear.shape[0], "digital")
    for k in range(iterations):
        changed = bool(coherence and k and k % coherence == 0)
        if k == 0 or changed:
            gain = rayleigh_gains(problem, seed=k)
            block = prepare(problem, tf.constant(gain), parameters)
        entered, after = observed_step(state, problem, block, gain, parameters, changed)
        yield Iteration(state, entered.numpy(), after, gain, changed)
        state = after


prepare = tf.function(fadmm.prepare, autograph=False)


@tf.function(autograph=False)
def observed_step(state, problem, block, gain, parameters, changed):
    """The dual that enters an iteration (after a possible flip), and the state after it."""
    local = fadmm.local_update(state, problem, block, changed)
    link = DigitalLink(tf.zeros(1, tf.float64))
    return local.mu, fadmm.global_update(state, local, gain, link, parameters)[0]
