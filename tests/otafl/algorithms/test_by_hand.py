"""Every method against its paper's equations in NumPy (``by_hand``): four rounds, two runs side by side, and one."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf

from otafl.algorithms import METHODS
from otafl.algorithms.local_problem import Gradient, Minimiser, Round
from otafl.algorithms.method import EVERYBODY, named_tuple
from otafl.channels.effective_channel import Effective
from tests.otafl.algorithms import by_hand
from tests.otafl.algorithms.by_hand import ALL, DIM, NUMBERS, SAMPLING, SOME, START, WORKERS
from tests.otafl.algorithms.quadratics import one_round
from tests.otafl.uplinks.links import draw_of

WIDE = (0.45, 0.6)
"""Half widths of a box, at the edge of which some models are."""
WORDS = {"warm_start": "local", "residual_at": "global", "regulariser": "none", "stored_model": "own"}
WEIGHTS, EQUAL = np.array([0.5, 0.2, 0.3]), np.full(WORKERS, 1 / WORKERS)
FADING = np.random.default_rng(5).standard_normal((2, WORKERS, DIM, 2, 2)) @ [0.7, 0.7j]
H = FADING[[0, 0, 1, 1]]
"""Gains that change after two rounds: in the last one only one participant has a new channel. [rounds, N, d, runs]"""
CASES: dict[str, tuple[dict[str, Any], ...]] = {name: ({},) for name in by_hand.EQUATIONS} | {
    "A-FADMM": (
        {"faded": True},
        {"faded": True, "who": ALL, "changed": "plain"},
        {"faded": True, "who": ALL, "changed": "scalar"},
    ),
    "D-FADMM": ({}, {"faded": True}),
    "A-SFADMM": ({"faded": True},),
    "A-SGD": ({}, {"local_steps": 3}),
    "FedADMM-Gong": ({}, {"stored_model": "global", "warm_start": "global"}),
    "FedADMM-In": ({}, {"residual_at": "local"}),
    "FedADMM-Wang": ({"regulariser": "l1"}, {"regulariser": "l2", "warm_start": "global"}),
    "FedDR": ({"regulariser": "box", "regulariser_weight": WIDE}, {"regulariser": "l1", "warm_start": "global"}),
    "FedPD": ({"uploads": [1, 0, 0, 1]}, {"warm_start": "global"}),
    "FedVRA-U": ({"regulariser": "box", "regulariser_weight": WIDE}, {}),
}


class Setting(NamedTuple):
    """A case of a method: its runs and rounds, and all that both sides are given."""

    name: str
    runs: list[int]
    numbers: dict[str, tuple[float, float]]
    who: list[list[int]]
    omega: np.ndarray
    steps: np.ndarray
    h: np.ndarray
    uploads: list[int]
    options: dict[str, Any]
    sampled: bool
    changed: str

    @property
    def exact(self) -> bool:
        return METHODS[self.name].solves_exactly

    def of_run(self, run: int) -> SimpleNamespace:
        numbers = {name: values[run] for name, values in self.numbers.items()} | self.options
        given = {"rounds": self.who, "omega": self.omega, "steps": self.steps, "uploads": self.uploads, "labels": {}}
        given |= {"h": self.h[..., run], "exact": self.exact, "sampled": self.sampled}
        return SimpleNamespace(**numbers | given, local_steps=self.options["steps"], warm=self.warm)

    def warm(self, own: np.ndarray, common: np.ndarray) -> np.ndarray:
        return common if self.options["warm_start"] == "global" else own


def setting(name: str, runs: list[int], case: dict[str, Any]) -> Setting:
    method = METHODS[name]
    words = {key: case.get(key, value) for key, value in WORDS.items()}
    counts = {"steps": case.get("local_steps", 1), "pseudo_steps": 2 if name.endswith("-U") else 0}
    return Setting(
        name=name,
        runs=runs,
        numbers={key: case.get(key, values) for key, values in NUMBERS.items()},
        who=case.get("who", ALL if EVERYBODY in method.limits else SOME),
        omega=WEIGHTS if "federation.weights" in method.reads else EQUAL,
        steps=np.full(WORKERS, 3) if method.even else np.array([2, 3, 4]),
        h=H if case.get("faded") else np.ones_like(H),
        uploads=case.get("uploads", [1, 1, 1, 1]),
        options=words | counts,
        sampled=name in ("A-SGD", "D-SGD"),
        changed=case.get("changed", "each"),
    )


class Problem(NamedTuple):
    """The participants' losses as a method sees them, computed worker by worker and run by run in NumPy."""

    who: list[int]
    given: Setting
    labels: np.ndarray | None = None

    def each(self, compute: Callable[..., np.ndarray], *parts: Any) -> Any:
        """compute(parameters, worker, *parts) for every participant and run, [participants, ..., runs]."""
        parts = tuple(wide(part, [len(self.who), DIM, len(self.given.runs)]) for part in parts)
        values = [
            [compute(self._known(at, run), n, *(part[at, :, place] for part in parts)) for at, n in enumerate(self.who)]
            for place, run in enumerate(self.given.runs)
        ]
        return tf.constant(np.moveaxis(np.array(values), 0, -1))

    def _known(self, at: int, run: int) -> SimpleNamespace:
        p = self.given.of_run(run)
        p.labels = {} if self.labels is None else {self.who[at]: self.labels[at]}
        return p

    def gradient(self, theta: Any) -> Gradient:
        slopes = self.each(lambda p, n, x: by_hand.slope(n, x), theta)
        return Gradient(slopes, tf.zeros_like(slopes[:, 0]))

    def sampled_gradient(self, theta: Any) -> Gradient:
        slopes = self.each(lambda p, n, x: by_hand.slope(n, x) + self.given.sampled * SAMPLING[n], theta)
        return Gradient(slopes, tf.zeros_like(slopes[:, 0]))

    def penalise(self, weight: Any) -> Any:
        return weight

    def solve(self, start, dual=None, weight=None, anchor=None, accuracy=None, penalised=None) -> Minimiser:
        if penalised is not None:
            np.testing.assert_array_equal(penalised, weight)
        solver = exactly if self.given.exact else by_hand.train if accuracy is None else accurately
        theta = self.each(solver, start, dual, weight, anchor, *(accuracy or ()))
        return Minimiser(theta, tf.zeros_like(theta[:, 0]), tf.zeros_like(theta[:, 0]))

    def log_probabilities(self, theta: Any) -> Any:
        return self.each(lambda p, n, x: by_hand.log_probabilities(n, x), theta)[..., 0]

    def with_pseudo_labels(self, probabilities: Any) -> "Problem":
        return self._replace(labels=np.asarray(probabilities))


def wide(part: Any, shape: list[int]) -> np.ndarray:
    """Something of workers or of all, for each participant, element and run; None: 0."""
    return np.broadcast_to(0.0 if part is None else np.asarray(part), shape)


def exactly(p, n, start, dual, weight, anchor) -> np.ndarray:
    right = by_hand.LINEAR[n] - dual + weight * anchor
    return np.linalg.solve(by_hand.HESSIAN[n] + np.diag(weight), right)


def accurately(p, n, start, dual, weight, anchor, reference, share) -> np.ndarray:
    """The first point of the descent whose residual is small enough, or its last."""
    points = by_hand.path(p, n, start, dual, weight, anchor)

    def error(x):
        return by_hand.norm(by_hand.slope(n, x) + dual + weight * (x - anchor))

    return next((x for x in points if error(x) <= share[0] * error(reference)), points[-1])


def played(given: Setting) -> np.ndarray:
    """Global models after each round of the method. Shape [rounds, d, runs]."""
    method, found = METHODS[given.name], []
    p = named_tuple(**{name: tf.constant(np.array(values)[given.runs]) for name, values in given.numbers.items()})
    options = named_tuple(workers=WORKERS, places=by_hand.PLACES, classes=by_hand.CLASSES, **given.options)
    server, first = method.init(tf.constant(np.repeat(START[None, :, None], len(given.runs), axis=2)), options, p)
    clients = tf.nest.map_structure(lambda leaf: tf.repeat(leaf, WORKERS, axis=0), first)
    for at in range(len(given.who)):
        server, clients = one_round(method, server, clients, the_round(given, at, server, p, options), given.who[at])
        found.append(server.model.numpy()[0])
    return np.array(found)


def the_round(given: Setting, at: int, server: Any, p: Any, options: Any) -> Round:
    method, who = METHODS[given.name], given.who[at]
    problem, gain = Problem(who, given), tf.constant(np.abs(given.h[at, who][..., given.runs]) ** 2)
    numbers = (given.omega[who], given.steps[who], [given.uploads[at]])
    weight, steps, uploads = (tf.constant(np.reshape(values, [-1, 1, 1]), tf.float64) for values in numbers)
    prepared = method.prepare(problem, gain, p)
    fields = {"weight": weight, "steps": steps, "uploads": uploads, "changed": changed(given, at)}
    return Round(problem, p, options, draw_of(Effective(gain, None, gain, None), **fields), prepared, server.model)


def changed(given: Setting, at: int) -> Any:
    """Tell whether the channel differs from that of a participant's last round, in each form that engines have."""
    before = [max((k for k in range(at) if n in given.who[k]), default=at) for n in given.who[at]]
    news = [not np.array_equal(given.h[k, n], given.h[at, n]) for k, n in zip(before, given.who[at], strict=True)]
    if given.changed == "each":
        return tf.constant(np.reshape(news, [-1, 1, 1]))
    return all(news) if given.changed == "plain" else tf.constant(all(news))


TABLE = [
    pytest.param(name, runs, case, id=f"{name} {case or ''} {runs}")
    for name, cases in CASES.items()
    for case in cases
    for runs in ([[0], [1]] if name.endswith("-U") else [[0, 1], [1]])
]


@pytest.mark.parametrize(("name", "runs", "case"), TABLE)
def test_rounds_by_hand(name, runs, case):
    given = setting(name, runs, case)
    expected = np.stack([by_hand.models(name, given.of_run(run)) for run in runs], axis=-1)
    np.testing.assert_allclose(played(given), expected, rtol=1e-9, atol=1e-11)
    assert np.abs(np.diff(expected, axis=0)).max(axis=(0, 1)).min() > 0.05


def test_every_method_has_its_rounds_by_hand():
    own = {name for name, method in METHODS.items() if type(method).__module__.startswith("otafl.algorithms.")}
    assert set(CASES) == own
