"""The order in which workers read their samples."""

import numpy as np
import pytest
import tensorflow as tf

from otafl.training import batches


@pytest.mark.parametrize("counts", [[7, 7, 7], [5, 7, 6]])
def test_batches_read_every_sample_once_a_pass(counts):
    order = batches.order(tf.constant(9, tf.int64), tf.constant(2), tf.constant(counts), 4, 7).numpy()
    for row, count in zip(order, counts, strict=True):
        for turn in range(4):
            assert sorted(row[turn * count : (turn + 1) * count]) == list(range(count))
    assert not np.array_equal(order[0, : counts[0]], order[0, counts[0] : 2 * counts[0]])


def test_batches_are_uniform_and_differ_between_rounds_and_workers():
    count = tf.fill([2], 10)

    @tf.function(autograph=False)
    def draw(k):
        return batches.order(tf.constant(5, tf.int64), k, count, 1, 10)[..., :1]

    first = np.concatenate([draw(tf.constant(k)).numpy() for k in range(2000)], axis=1)
    for row in first:
        counts = np.bincount(row, minlength=10)
        assert np.sum((counts - 200) ** 2 / 200) < 33.7  # 99.99% of chi-squared with 9 degrees of freedom
    assert (first[0] != first[1]).mean() > 0.8
