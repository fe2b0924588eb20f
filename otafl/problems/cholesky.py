"""Cholesky solutions of many small symmetric positive definite systems at once, [workers, d, d, runs].

Up to ``UNROLLED`` unknowns the factorisation is written out over the unknowns, so that a compiler fuses it into loops
over workers and runs; larger systems go to TensorFlow's batched routines.
"""

import tensorflow as tf

from otafl.numerics.tensors import Models, Tensor

UNROLLED = 12
"""Most unknowns of systems that are factored entry by entry."""

Rows = tuple[tuple[Tensor, ...], ...]
"""Cholesky factor entry by entry: ``rows[i][j]`` is L_ij of shape [workers, runs], the diagonal inverted."""


def factor(matrix: Tensor, diagonal: Models) -> Rows | Tensor:
    """Return L of matrix + diag(diagonal) = LLᵀ: rows of entries up to UNROLLED, else [workers, runs, d, d]."""
    if matrix.shape[1] <= UNROLLED:
        return _factor_unrolled(matrix, diagonal)
    stacked = tf.transpose(matrix, [0, 3, 1, 2]) + tf.linalg.diag(tf.transpose(diagonal, [0, 2, 1]))
    return tf.linalg.cholesky(stacked)


def solve(factored: Rows | Tensor, right_side: Models) -> Models:
    """Return the solutions of linear equations whose matrices ``factor`` has factored, for every worker and run.

    >>> matrix = tf.constant([[4.0, 2.0], [2.0, 3.0]])[None, ..., None]
    >>> factored = factor(matrix, tf.zeros([1, 2, 1]))
    >>> solve(factored, tf.constant([[[8.0], [8.0]]])).numpy().round(6).ravel().tolist()
    [1.0, 2.0]
    """
    if isinstance(factored, tuple):
        return _solve_unrolled(factored, right_side)
    columns = tf.expand_dims(tf.transpose(right_side, [0, 2, 1]), -1)
    return tf.transpose(tf.squeeze(tf.linalg.cholesky_solve(factored, columns), -1), [0, 2, 1])


def _factor_unrolled(matrix: Tensor, diagonal: Tensor) -> Rows:
    rows: list[list[Tensor]] = []
    for i in range(matrix.shape[1]):
        row: list[Tensor] = []
        for j in range(i):
            row.append(_minus_products(matrix[:, i, j], row, rows[j]) * rows[j][j])
        row.append(1 / tf.sqrt(_minus_products(matrix[:, i, i] + diagonal[:, i], row, row)))
        rows.append(row)
    return tuple(map(tuple, rows))


def _minus_products(start: Tensor, left: list[Tensor], right: list[Tensor]) -> Tensor:
    for a, b in zip(left, right, strict=False):
        start = start - a * b
    return start


def _solve_unrolled(rows: Rows, right_side: Tensor) -> Tensor:
    dim = len(rows)
    forward: list[Tensor] = []
    for i in range(dim):
        forward.append(_minus_products(right_side[:, i], list(rows[i][:i]), forward) * rows[i][i])
    backward: list[Tensor] = []
    for i in reversed(range(dim)):
        column = [rows[k][i] for k in range(dim - 1, i, -1)]
        backward.append(_minus_products(forward[i], column, backward) * rows[i][i])
    return tf.stack(backward[::-1], axis=1)
