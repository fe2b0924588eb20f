"""Quadratics with minimisers far apart, and a loop that drives a method on them, its messages carried exactly."""

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from otafl.algorithms import METHODS, Method
from otafl.algorithms.local_problem import Minimiser, Round
from otafl.algorithms.method import named_tuple
from otafl.channels.effective_channel import Effective
from otafl.problems.linear_regression import LinearRegression
from tests.otafl.algorithms.by_hand import NUMBERS
from tests.otafl.uplinks.links import draw_of

WORKERS, DIM = 6, 4
RATE = 0.05
FULL = [list(range(WORKERS))] * 12
PARTIAL = [sorted(np.random.default_rng(k).choice(WORKERS, 2, replace=False).tolist()) for k in range(25)]


def parameters(**values) -> Any:
    given = dict.fromkeys(NUMBERS, 1.0) | {"rho": 0.7, "learning_rate": RATE, "regulariser_weight": 0.05}
    return named_tuple(**{name: tf.constant(np.atleast_1d(v), tf.float64) for name, v in (given | values).items()})


def options(**chosen) -> Any:
    """What shapes a method's program, as it is where a scenario says nothing else."""
    given = {"workers": WORKERS, "places": 0, "classes": 0, "warm_start": "local", "residual_at": "global"}
    return named_tuple(**(given | {"regulariser": "none", "pseudo_steps": 1, "stored_model": "own"} | chosen))


def a_round(problem, p: Any, choice: Any, weight, steps, uploads, server) -> Round:
    """A round of participants whose gains are 1 and who hear the server's model as it is."""
    one = tf.ones_like(weight)
    draw = draw_of(Effective(one, None, one, None), weight=weight, steps=steps, uploads=uploads)
    return Round(problem, p, choice, draw, None, server.model)


def quadratics(seed: int = 0) -> LinearRegression:
    """Strongly convex quadratic losses with minimisers far from each other."""
    rng = np.random.default_rng(seed)
    roots = rng.standard_normal((WORKERS, DIM, DIM))
    hessian = (roots @ roots.transpose(0, 2, 1) / DIM + 0.2 * np.eye(DIM))[..., None]
    linear = rng.standard_normal((WORKERS, DIM, 1))
    optimum = np.linalg.solve(hessian.sum(axis=0)[..., 0], linear.sum(axis=0))[None]
    return LinearRegression(*map(tf.constant, (hessian, linear, optimum)))


class Descent(NamedTuple):
    """Quadratics whose local problems are not solved but descended for some steps of plain gradient descent."""

    exact: LinearRegression
    steps: Any
    most: int

    def gradient(self, theta):
        return self.exact.gradient(theta)

    def path(self, start, dual=None, weight=None, anchor=None):
        """All points of the descent, [most + 1, workers, d, 1], and the gradients of f_n on the way."""
        points, slopes = [tf.zeros_like(self.exact.linear) + start], []
        for step in range(self.most):
            slopes.append(self.exact.gradient(points[-1]).slope)
            pull = 0 if dual is None else dual
            pull += 0 if weight is None else weight * (points[-1] - anchor)
            goes = (step < self.steps)[:, None, None]
            points.append(tf.where(goes, points[-1] - RATE * (slopes[-1] + pull), points[-1]))
        return points, slopes

    def solve(self, start, dual=None, weight=None, anchor=None, accuracy=None, penalised=None):
        points = self.path(start, dual, weight, anchor)[0]
        if accuracy is None:
            return Minimiser(points[-1], points[-1][:, 0], points[-1][:, 0])

        def residual(theta):
            theta = tf.zeros_like(dual) + theta
            return tf.norm(self.gradient(theta).slope + dual + weight * (theta - anchor), axis=1, keepdims=True)

        theta, going = points[0], True
        most = accuracy.share * residual(accuracy.reference)
        for point in points[1:]:
            going = going & (residual(theta) > most)
            theta = tf.where(going, point, theta)
        return Minimiser(theta, theta[:, 0], theta[:, 0])


class Step(NamedTuple):
    """A round: who took part, and server and workers before and after it."""

    who: list[int]
    before: tuple[Any, Any]
    after: tuple[Any, Any]


def drive(name: str, rounds, descends: int = 0, p: Any = None, start=None, **chosen):
    """A method round by round on the same quadratics, its messages carried exactly."""
    method = METHODS[name]
    p = p or parameters()
    choice = options(**chosen)
    server, first = method.init(tf.zeros([1, DIM, 1], tf.float64) if start is None else start, choice, p)
    clients = type(first)(*(tf.repeat(leaf, WORKERS, axis=0) for leaf in first))
    play = one_step(method, p, choice, descends)
    for who in rounds:
        after = play(tf.constant(who), (server, clients))
        yield Step(who, (server, clients), after)
        server, clients = after


def one_step(method, p: Any, choice: Any, descends: int):
    """A compiled round with some workers, who descend for so many steps, or where that is 0 solve."""
    problem = quadratics()

    @tf.function(autograph=False)
    def play(who, state):
        server, clients = state
        part = LinearRegression(*(tf.gather(leaf, who) for leaf in problem[:2]), problem.optimum)
        one = tf.ones([who.shape[0], 1, 1], tf.float64)
        steps = max(descends, 1) * one
        local = Descent(part, steps[:, 0, 0], descends) if descends else part
        return one_round(method, server, clients, a_round(local, p, choice, one / WORKERS, steps, one[:1], server), who)

    return play


def one_round(method: Method, server: Any, clients: Any, now: Round, who: Any) -> tuple[Any, Any]:
    """Server and workers after a round of which all messages arrive as they are."""
    local = method.local_update(server, tf.nest.map_structure(lambda leaf: tf.gather(leaf, who), clients), now)
    messages = method.upload(local, now)
    totals = tuple(tf.reduce_sum(message, axis=0, keepdims=True) for message in messages)
    after = method.global_update(server, totals, now)
    rows, places = method.receive(local, messages, after.model, now), tf.reshape(who, [-1, 1])
    scattered = tf.nest.map_structure(lambda a, b: tf.tensor_scatter_nd_update(a, places, b), [*clients], [*rows])
    return after, type(clients)(*scattered)


def models(steps) -> np.ndarray:
    return np.array([step.after[0].model.numpy()[0, :, 0] for step in steps])


def same(one, other, tolerance=1e-12):
    one, other = models(one), models(other)
    np.testing.assert_allclose(one, other, atol=tolerance * max(1, np.abs(one).max()))
    assert np.abs(np.diff(one, axis=0)).max() > 1e-3
