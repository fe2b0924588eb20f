"""Linear regression trained on mini-batches in float32, for local training and for many unknowns."""

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from otafl.federation.partition import Shares
from otafl.numerics.tensors import GlobalModel, ModelsOrOne, PerRun, Scalar, Tensor
from otafl.problems.trained import Trained
from otafl.system.machine import in_one_thread


class Minimum(NamedTuple):
    """Targets and factors, [samples] each, of samples in N·Σ_n ω_n f_n over N workers n, and the minimum of that."""

    targets: Tensor
    shares: Tensor
    value: Scalar


class TrainedRegression(Trained):
    """Local losses f_n that are means of ½(⟨x, θ⟩ − y)² over the samples of a worker n, features x and targets y."""

    __slots__ = ()

    def reported_loss(self, models: ModelsOrOne, trained: PerRun) -> PerRun:
        """Return |F(θ) − min F| at the global model θ, F = N·Σ_n ω_n f_n, by the workers' weights in the objective."""
        targets, shares, least = self.shared.evaluation
        outputs = self.learner.outputs(models[0, :, 0], self.shared.features[0])
        return tf.abs(tf.reduce_sum(shares * self.learner.loss(outputs, targets)) - least)[None]

    def test_accuracy(self, model: GlobalModel) -> PerRun:
        return tf.fill([1], np.float32(np.nan))


@in_one_thread()
def least_loss(features: np.ndarray, targets: np.ndarray, owners: Shares, scales: np.ndarray) -> Minimum:
    """Return the minimum of Σ_n s_n f_n by the normal equations, f_n being means of ½(⟨x, θ⟩ − y)² of workers n."""
    # The equations are solved in the features' precision; the error of the value is quadratic in that of the solution.
    shares = sample_shares(features, owners, scales)
    weighted = features * shares[:, None]
    solution = np.linalg.lstsq(features.T @ weighted, weighted.T @ targets, rcond=None)[0]
    residual = targets.astype(np.float64) - (features @ solution).astype(np.float64)
    return Minimum(targets, shares, np.asarray(np.sum(shares * residual**2) / 2, features.dtype))


def sample_shares(features: np.ndarray, owners: Shares, scales: np.ndarray) -> np.ndarray:
    """Return the factor of each sample's loss in Σ_n s_n f_n, s_n over the count of its worker's samples."""
    shares = np.zeros(len(features), features.dtype)
    for owner, scale in zip(owners, scales, strict=True):
        shares[owner] = scale / len(owner)
    return shares


def squared_error(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return ½(output − target)² for outputs [samples, 1] and targets [samples]. Shape [samples]."""
    return 0.5 * tf.square(outputs[..., 0] - targets)
