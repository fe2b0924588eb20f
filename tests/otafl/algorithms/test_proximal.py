"""Proximal operators against what they are."""

import itertools

import numpy as np
import pytest
import tensorflow as tf

from otafl.algorithms.proximal import PROXIMAL


def test_soft_thresholding_and_others_against_their_definition():
    """prox_{sg}(x) minimises g(y) + ‖x − y‖²/2s on a fine grid."""
    grid = np.linspace(-3, 3, 60_001)
    penalties = {
        "none": 0 * grid,
        "l1": 0.4 * np.abs(grid),
        "l2": 0.2 * grid**2,
        "box": np.where(np.abs(grid) <= 0.4, 0, np.inf),
    }
    for (name, penalty), x in itertools.product(penalties.items(), (-2.0, -0.3, 0.1, 1.1)):
        best = grid[np.argmin(penalty + (x - grid) ** 2 / (2 * 1.5))]
        found = float(
            PROXIMAL[name](tf.constant(x, tf.float64), tf.constant(1.5, tf.float64), tf.constant(0.4, tf.float64))
        )
        assert found == pytest.approx(best, abs=2e-4)
