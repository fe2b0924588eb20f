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
    solved = tf.function(lambda *parts: cholesky.solve(cholesky.factor(*parts[:2]), parts[2]), jit_compile=dim > 6)
    solution = solved(*map(tf.constant, (matrix, diagonal, right))).numpy()
    for worker in range(5):
        for run in range(3):
            full = matrix[worker, :, :, run] + np.diag(diagonal[worker, :, run])
            np.testing.assert_allclose(full @ solution[worker, :, run], right[worker, :, run], atol=1e-8)
