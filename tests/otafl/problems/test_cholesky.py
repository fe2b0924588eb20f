"""Batched Cholesky solves against NumPy, on both of their paths."""

import numpy as np
import pytest
import tensorflow as tf

from otafl.problems import cholesky


@pytest.mark.parametrize("dim", [1, 2, 6, cholesky.UNROLLED, cholesky.UNROLLED + 1, 30])
def test_solves_agree_with_numpy(dim):
    rng = np.random.default_rng(dim)
    root = rng.standard_normal((5, 3, dim, dim))
    matrix = np.moveaxis(root @ np.swapaxes(root, -1, -2), 1, -1)
    diagonal, right = rng.uniform(0.5, 2.0, (5, dim, 3)), rng.standard_normal((5, dim, 3))
    solution = cholesky.solve(cholesky.factor(tf.constant(matrix), tf.constant(diagonal)), tf.constant(right)).numpy()
    for worker in range(5):
        for run in range(3):
            full = matrix[worker, :, :, run] + np.diag(diagonal[worker, :, run])
            np.testing.assert_allclose(full @ solution[worker, :, run], right[worker, :, run], atol=1e-8)


def test_large_systems_run_compiled():
    """A run with d above the unrolled size goes through the compiled program and reaches least squares."""
    import otafl

    overrides = {"method": "D-FADMM", "problem.dataset": "synthetic", "problem.dimension": 20, "run.seeds": 1}
    overrides |= {"problem.samples": 1000, "federation.workers": 10, "run.iterations": 400, "algorithm.rho": 1.0}
    assert otafl.run("quickstart", overrides)["loss"].values[0, -1] < 1e-9
