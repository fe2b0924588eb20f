"""A-FADMM on linear regression without noise, in NumPy: rules for changes of the channel, and gains with a floor."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from figures.study import resolved
from otafl.problems.exact_regression import Exact

BLOCK = 10
"""Iterations for which the channel stays."""


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
    "λh kept": lambda at: at.dual,
}
"""Dual with which the iteration after a change begins, by name of the rule. The first one keeps the models, too."""


class Trace(NamedTuple):
    """Losses and sums of (22) of a run.

    Arguments:
        loss: after each iteration. Shape [iterations].
        entering: sum of (22) at the beginning of each iteration. Shape [iterations].
        leaving: at the end of it. Shape [iterations].
    """

    loss: np.ndarray
    entering: np.ndarray
    leaving: np.ndarray


def run(iterations: int, rule: str = "solved for", moving: bool = True, least: float = 0.0) -> Trace:
    """Run A-FADMM by (9) to (11) from zero, with 100 workers on California housing.

    Arguments:
        iterations: number of iterations.
        rule: name of the rule for changes of the channel (RULES).
        moving: True if the channel changes every 10 iterations.
        least: least power gain |h|², to which deep fades are lifted.
    """
    ((_, settings),) = resolved("linreg_noise_free").override({"run.seeds": 1}).points()
    hessian, linear, best = (part[..., 0] for part in Exact(settings, [0]).stacked)
    rng, rho = np.random.default_rng(0), settings.value("algorithm.rho")
    slope_of = lambda theta: np.einsum("nij,nj->ni", hessian, theta) - linear  # noqa: E731
    steepest = slope_of(np.broadcast_to(best, linear.shape))
    theta, dual, model, gain, found = np.zeros_like(linear), np.zeros_like(linear), np.zeros(linear.shape[1]), None, []

    def gap() -> float:
        return float(((dual + steepest) ** 2 / weight + weight * (model - best) ** 2).sum())

    for k in range(iterations):
        flips = False
        if gain is None or (moving and k % BLOCK == 0):
            old, gain = gain, _drawn(rng, linear.shape, least)
            weight = rho * np.abs(gain) ** 2
            if old is not None:
                dual = RULES[rule](Change(dual, old, gain, slope_of(theta), weight * (theta - model)))
                flips = rule == "solved for"
        before = gap()
        if not flips:
            matrix = hessian + weight[..., None] * np.eye(linear.shape[1])
            theta = np.linalg.solve(matrix, (linear - dual + weight * model)[..., None])[..., 0]
        model = (weight * theta + dual).sum(axis=0) / weight.sum(axis=0)
        dual = dual + weight * (theta - model)
        loss = abs(float(((slope_of(theta) + steepest) / 2 * (theta - best)).sum()))
        found.append((loss, before, gap()))
    return Trace(*np.array(found).T)


def _drawn(rng: np.random.Generator, shape: tuple[int, ...], least: float) -> np.ndarray:
    """Return gains of Rayleigh fading, complex, none of a power below a least one."""
    gain = (rng.normal(size=shape) + 1j * rng.normal(size=shape)) / np.sqrt(2)
    return gain * np.maximum(1.0, np.sqrt(least) / np.abs(gain))
