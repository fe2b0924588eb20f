"""Small problems and a loop that drives a method iteration by iteration, for tests that look inside."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf

from otafl.algorithms import METHODS
from otafl.algorithms.method import named_tuple
from otafl.channels.effective_channel import Effective
from otafl.channels.fading import RayleighFading
from otafl.data import sources
from otafl.engine.iteration import METRICS, Columns, ProgramSpec, State, iterate, prepare
from otafl.federation import partition
from otafl.federation.round_draw import RoundDraw
from otafl.problems import linear_regression
from otafl.problems.linear_regression import LinearRegression
from otafl.settings.federation import Federation
from otafl.settings.problem import Problem
from otafl.uplinks import Digital, Uplink
from otafl.uplinks.link import Numbers
from tests.otafl.uplinks.links import PLAIN, draw_of

CASES = {
    "diabetes": (Problem(dataset="diabetes"), 20),
    "well_conditioned": (Problem(dataset="synthetic", dimension=4, samples=300, condition_number=2.0), 10),
    "ill_conditioned": (Problem(dataset="synthetic", dimension=8, samples=400, condition_number=1e4), 25),
    "few_samples": (Problem(dataset="synthetic", dimension=6, samples=30), 15),
}
METHOD = METHODS["A-FADMM"]


class Snapshot(NamedTuple):
    """The local models and duals of workers, and the global model."""

    theta: np.ndarray
    mu: np.ndarray
    model: np.ndarray


class Iteration(NamedTuple):
    """One iteration of FADMM: before and after, the dual that entered it, the gains |h|², and its residuals."""

    before: Snapshot
    entered: np.ndarray
    after: Snapshot
    gain: np.ndarray
    changed: bool
    residuals: np.ndarray


def build(case: str) -> LinearRegression:
    """One of CASES with an axis for a single run."""
    problem, workers = CASES[case]
    data = sources.load(problem, workers, seed=7)
    shares = partition.deal(data.targets, Federation(workers=workers), np.random.default_rng(7))
    return linear_regression.stack([linear_regression.build(data, shares, "mean")])


@pytest.fixture(params=CASES)
def problem(request: pytest.FixtureRequest) -> LinearRegression:
    return build(request.param)


def rayleigh_gains(problem: LinearRegression, seed: int) -> np.ndarray:
    """|h|² of one coherence block. Shape [workers, d, 1]."""
    workers, dim, _ = problem.linear.shape
    return np.abs(RayleighFading().sample(np.random.default_rng(seed), workers, dim)[..., None]) ** 2


def noise_free(
    problem: LinearRegression,
    iterations: int,
    coherence: float = np.inf,
    rho: float = 0.5,
    weights: Callable[[LinearRegression, int], np.ndarray] = rayleigh_gains,
) -> Iterator[Iteration]:
    """FADMM over an error-free uplink with weights of the channel, which changes every ``coherence`` iterations."""

    def channel(k: int) -> Effective:
        gain = weights(problem, k)
        return Effective(gain, None, 1 / gain, None)

    tensors = LinearRegression(*map(tf.constant, problem))
    return over_channels(tensors, iterations, coherence, channel, rho, Numbers({}), Digital)


def over_channels(problem, iterations, coherence, channel, rho, radio, uplink) -> Iterator[Iteration]:
    """FADMM without noise, over the channel of each iteration in which it changes."""
    parameters, noise = penalty(rho), tf.zeros([1, problem.linear.shape[1], 1], tf.float64)
    state = begun(problem, parameters)
    for k in range(iterations):
        changed = k > 0 and k % coherence == 0
        if k == 0 or changed:
            block = channel(k)
            columns, draw = one_iteration(problem, parameters, radio, draw_of(block.each(tf.constant), noise))
        entered, after, measured = observed(state, columns, draw._replace(changed=changed), uplink)
        residuals = measured.numpy()[RESIDUALS]
        yield Iteration(snapshot(state), entered.numpy(), snapshot(after), block.gain, changed, residuals)
        state = after


RESIDUALS = [METRICS.index(name) for name in ("primal_residual", "dual_residual")]


def penalty(rho: float) -> Any:
    return named_tuple(rho=tf.constant([rho], tf.float64))


def form(uplink: type[Uplink] = Digital) -> ProgramSpec:
    return ProgramSpec(METHOD, None, uplink, PLAIN, LinearRegression.bind, None, True, True)


def begun(problem: LinearRegression, parameters: Any) -> State:
    server, client = METHOD.init(problem.start, None, parameters)
    client = tf.nest.map_structure(lambda leaf: tf.repeat(leaf, problem.linear.shape[0], axis=0), client)
    return State(server, client, (), (server.model,))


def one_iteration(problem: LinearRegression, parameters: Any, radio: Any, draw: RoundDraw) -> tuple[Columns, RoundDraw]:
    workers = problem.linear.shape[0]
    ones = tf.ones([workers, 1, 1], tf.float64)
    return Columns(problem, None, parameters, radio), draw._replace(weight=ones / workers, steps=0 * ones)


@tf.function(autograph=False)
def observed(state: State, columns: Columns, draw: RoundDraw, uplink: type[Uplink] = Digital) -> tuple[Any, State, Any]:
    """The dual that enters an iteration (after a possible flip), the state after it, and METRICS."""
    block = prepare(form(uplink), columns, draw)
    after, measured, _, entered = iterate(form(uplink), state, columns, draw, block, lambda done: done.local.client.mu)
    return entered, after, measured


def snapshot(state: State) -> Snapshot:
    return Snapshot(state.client.theta.numpy(), state.client.mu.numpy(), state.server.model.numpy())
