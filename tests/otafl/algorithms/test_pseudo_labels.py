"""The projection that keeps pseudo labels probabilities."""

import numpy as np
import pytest
import tensorflow as tf

from otafl.algorithms.pseudo_labels import on_simplex


def test_projection_onto_the_simplex():
    """Against its conditions: max(v − t, 0) with the t for which it adds up to 1."""
    values = np.random.default_rng(0).standard_normal((7, 5, 4)) * 2
    found = on_simplex(tf.constant(values)).numpy()
    for v, p in zip(values.reshape(-1, 4), found.reshape(-1, 4), strict=True):
        assert p.sum() == pytest.approx(1)
        threshold = (v - p)[p > 0]
        np.testing.assert_allclose(threshold, threshold[0], atol=1e-12)
        assert (v[p == 0] <= threshold[0] + 1e-12).all()
