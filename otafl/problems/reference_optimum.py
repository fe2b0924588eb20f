"""Reference optimum of a convex problem: the minimiser of Σ_n f_n by Newton's method in double precision."""

import functools
from collections.abc import Callable

import numpy as np
import tensorflow as tf

from otafl.data.samples import Samples
from otafl.errors import OtaflError
from otafl.federation.partition import Shares
from otafl.losses import ConvexLoss, WorkerData
from otafl.numerics.tensors import Tensor
from otafl.problems import newton
from otafl.problems.convex import mean_loss, sample_losses
from otafl.settings.problem import Problem
from otafl.user_code import plugins

PROBE = 3
"""Samples on which a loss is tried."""
KIND = "problem.kind"


def reference_optimum(
    problem: Problem, convex: ConvexLoss, samples: Samples, owners: Shares, scales: np.ndarray | float = 1.0
) -> tuple[np.ndarray, float]:
    """Return the minimiser, [d], and the minimum of Σ_n s_n f_n, of local losses f_n and scales s_n of mean 1."""
    require_usable(problem, convex, samples)
    order, counts = np.concatenate(owners), np.array([len(owner) for owner in owners])
    share = np.repeat(scales / counts, counts)
    arrays = samples.features[order], samples.targets[order], share
    data = WorkerData(*(tf.constant(array[None], tf.float64) for array in arrays))
    theta, value, is_found = (part.numpy()[0] for part in _program(convex, convex.call)(data))
    if not (is_found and np.isfinite(theta).all() and np.isfinite(value)):
        rule = f"has no minimum on {problem.dataset!r} that Newton's method finds; is it convex, bounded from below"
        raise OtaflError(KIND, problem.kind, f"{rule}, and problem.l2_weight = {convex.l2_weight:g} large enough?")
    return theta, float(value)


@functools.lru_cache(maxsize=8)
def _program(convex: ConvexLoss, call: int) -> Callable[[WorkerData], tuple[Tensor, ...]]:
    """Return a compiled function from samples to the minimiser, the minimum, and whether it was found."""

    @tf.function(autograph=False, jit_compile=True)
    def minimum(data: WorkerData) -> tuple[Tensor, Tensor, Tensor]:
        theta, reached = newton.minimise(lambda models: mean_loss(convex, models, data), tf.zeros_like(data.x[:, 0]))
        return theta, mean_loss(convex, theta, data), reached

    return minimum


def require_usable(problem: Problem, convex: ConvexLoss, samples: Samples) -> None:
    """Refuse a loss that does not allow the targets, that fails, or that returns something else than losses."""
    if refused := convex.refusal(samples.targets):
        raise OtaflError("problem.dataset", problem.dataset, f"{refused} with problem.kind = {problem.kind!r}")
    x, y = (tf.constant(array[None, :PROBE], tf.float64) for array in (samples.features, samples.targets))
    try:
        losses = sample_losses(convex, tf.zeros_like(x[:, 0]), WorkerData(x, y, y))
    except Exception as error:
        raise OtaflError(KIND, problem.kind, f"its loss fails: {plugins.why(error)}") from None
    if losses.shape != y.shape or losses.dtype != tf.float64:
        rule = f"its loss must have the shape [samples] or [] and the type of the model, not {losses.shape[1:]}"
        raise OtaflError(KIND, problem.kind, f"{rule} {losses.dtype.name} for {y.shape[1]} samples in float64")
