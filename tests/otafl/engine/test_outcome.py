"""When a run has diverged."""

import numpy as np

from otafl.engine.outcome import lost


def test_a_loss_that_is_not_finite_before_the_end_is_divergence():
    """Beyond the end of a run, where its costs are missing, the loss is missing too, which says nothing."""
    values = {"loss": np.array([1.0, np.inf, np.nan, np.nan]), "time_slots": np.array([1.0, 2.0, 3.0, np.nan])}
    assert lost(values).tolist() == [False, True, True, False]
