"""A-FADMM on linear regression without noise, in NumPy: what theorems say of models and duals, by rule for changes."""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from figures.gallery.study import resolved
from otafl.problems.exact_regression import Exact

BLOCK, ITERATIONS = 10, 1000
"""Iterations for which the channel stays, and those of a run."""


class Change(NamedTuple):
    """State at a change of the channel.

    Arguments:
        dual: μ = conj(λ)h of the last iteration. Shape [workers, d].
        old: gains h before the change, complex. Shape [workers, d].
        new: gains after it. Shape [workers, d].
        slope: gradient at each model. Shape [workers, d].
        pull: ρ|h|²(θ - Θ), with the new gains. Shape [workers, d].
    """

    dual: np.ndarray
    old: np.ndarray
    new: np.ndarray
    slope: np.ndarray
    pull: np.ndarray


RULES: dict[str, Callable[[Change], np.ndarray]] = {
    "solved for": lambda at: -at.slope - at.pull,
    "λ kept": lambda at: (at.dual / at.old * at.new).real,
}
"""Dual with which the iteration after a change begins, by name of the rule. The first one keeps the models, too."""


class Trace(NamedTuple):
    """Iterations of a run, and the minimum.

    Arguments:
        theta: model θ of each worker. Shape [iterations, workers, d].
        slope: gradient at it. Shape [iterations, workers, d].
        weight: penalty ρ|h|². Shape [iterations, workers, d].
        entering: dual μ at the beginning of an iteration, after a change was answered. Shape [iterations, workers, d].
        leaving: dual μ at its end. Shape [iterations, workers, d].
        known: global model Θ at the beginning. Shape [iterations, 1, d].
        model: global model at the end. Shape [iterations, 1, d].
        best: minimum of the sum of all losses. Shape [d].
        steepest: gradient of each worker's loss there. Shape [workers, d].
    """

    theta: np.ndarray
    slope: np.ndarray
    weight: np.ndarray
    entering: np.ndarray
    leaving: np.ndarray
    known: np.ndarray
    model: np.ndarray
    best: np.ndarray
    steepest: np.ndarray

    @property
    def gap(self) -> np.ndarray:
        """Optimality gap Σ f_n(θ_n) - min. Losses are quadratic: it follows from gradients. Shape [iterations]."""
        return ((self.slope + self.steepest) / 2 * (self.theta - self.best)).sum(axis=(1, 2))

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower bound (34), from the proof of lemma 1, and upper bound (21) of the gap. Shapes [iterations]."""
        residual, moved = self.theta - self.model, self.weight * (self.model - self.known)
        upper = moved * (self.best - self.theta) - self.leaving * residual
        return (self.steepest * residual).sum(axis=(1, 2)), upper.sum(axis=(1, 2))

    @property
    def lyapunov(self) -> tuple[np.ndarray, np.ndarray]:
        """Sum of (22) at the beginning and at the end of each iteration. Shapes [iterations]."""
        return self._distance(self.entering, self.known), self._distance(self.leaving, self.model)

    def _distance(self, dual: np.ndarray, model: np.ndarray) -> np.ndarray:
        """Return the sum of (22) of duals and global models. Shape [iterations]."""
        far = (dual + self.steepest) ** 2 / self.weight + self.weight * (model - self.best) ** 2
        return far.sum(axis=(1, 2))


@functools.cache
def run(rule: str = "solved for") -> Trace:
    """Run A-FADMM by (9) to (11) from zero, with 100 workers on California housing.

    Arguments:
        rule: name of the rule for changes of the channel (RULES).
    """
    ((_, settings),) = resolved("linreg_noise_free").override({"run.seeds": 1}).points()
    hessian, linear, best = (part[..., 0] for part in Exact(settings, [0]).stacked)
    rho, found = settings.value("algorithm.rho"), []
    slope_of = lambda theta: np.einsum("nij,nj->ni", hessian, theta) - linear  # noqa: E731
    drawn = np.random.default_rng(0).normal(size=(ITERATIONS // BLOCK, 2, *linear.shape))
    gains = (drawn[:, 0] + 1j * drawn[:, 1]) / np.sqrt(2)
    theta, dual, model = np.zeros_like(linear), np.zeros_like(linear), np.zeros((1, linear.shape[1]))
    for k in range(ITERATIONS):
        block, changes = k // BLOCK, k > 0 and k % BLOCK == 0
        weight = rho * np.abs(gains[block]) ** 2
        if changes:
            pull = weight * (theta - model)
            dual = RULES[rule](Change(dual, gains[block - 1], gains[block], slope_of(theta), pull))
        if not (changes and rule == "solved for"):
            matrix = hessian + weight[..., None] * np.eye(linear.shape[1])
            theta = np.linalg.solve(matrix, (linear - dual + weight * model)[..., None])[..., 0]
        known, entering = model, dual
        model = ((weight * theta + dual).sum(axis=0) / weight.sum(axis=0))[None]
        dual = dual + weight * (theta - model)
        found.append((theta, slope_of(theta), weight, entering, dual, known, model))
    steepest = slope_of(np.broadcast_to(best, linear.shape))
    return Trace(*map(np.stack, zip(*found, strict=True)), best=best, steepest=steepest)
