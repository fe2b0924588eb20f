"""The curves of a group: iterations that are recorded, what is kept of what these measure, and how runs end."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otafl.engine.costs import Ledger
from otafl.engine.curves import Record
from otafl.engine.iteration import METRICS
from otafl.engine.outcome import lost
from otafl.engine.participation import everybody
from otafl.settings.run import Run
from tests.otafl.small import dotted, group_of

NAMES = (*METRICS, "test_accuracy")


@pytest.fixture
def record():
    """A record of two runs of so many iterations, of which some are done with the losses that are given."""

    def made(losses, iterations: int = 6, **run) -> Record:
        keys = {"problem.dataset": "synthetic", "problem.samples": 40, "problem.dimension": 5, "method": "A-FADMM"}
        keys |= {"federation.workers": 4, "uplink.subcarriers": 5, "run.iterations": iterations} | dotted(run)
        group = group_of("quickstart", keys, range(2))
        record, ledger = Record(group), Ledger(group)
        losses = np.array(losses, float).reshape(-1, 2)
        for part in np.array_split(losses, 2) if len(losses) else []:
            costs = ledger.enter(0, everybody(group.settings), len(part))
            record.enter({name: np.ones_like(part) for name in NAMES} | {"loss": part}, costs)
        return record

    return made


def test_all_iterations_done(record):
    losses = np.arange(12, 0, -1).reshape(6, 2)
    curves = record(losses).curves()
    assert curves.outcomes.tolist() == ["completed", "completed"]
    np.testing.assert_array_equal(curves.values["loss"], losses.T)
    np.testing.assert_array_equal(curves.values["time_slots"], [np.arange(1, 7)] * 2)
    np.testing.assert_array_equal(curves.values["channel_uses"], [5 * np.arange(1, 7)] * 2)


def test_a_diverged_run_ends_at_its_first_loss_that_is_not_finite(record):
    losses = [[5, 5], [np.inf, 4], [np.nan, 3], [1, 2], [1, 1], [1, 1]]
    curves = record(losses).curves()
    assert curves.outcomes.tolist() == ["diverged", "completed"]
    assert curves.values["loss"][0, 1] == np.inf
    for name, values in curves.values.items():
        beyond = np.isnan(values[0]) if name != "test_accuracy" else np.ones(6, bool)
        np.testing.assert_array_equal(beyond[2:], True)
        assert name == "test_accuracy" or not beyond[:2].any()
    np.testing.assert_array_equal(curves.values["loss"][1], [5, 4, 3, 2, 1, 1])


def test_runs_that_were_stopped(record):
    assert record([]).curves().outcomes.tolist() == ["stopped", "stopped"]
    assert record([]).curves().values == {}
    curves = record([[5, 5], [4, np.nan], [3, 3]]).curves()
    assert curves.outcomes.tolist() == ["stopped", "diverged"]
    np.testing.assert_array_equal(curves.values["loss"][0], [5, 4, 3, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(curves.values["energy"][1], [1, 2, np.nan, np.nan, np.nan, np.nan])


def test_a_run_whose_uses_are_up_is_complete(record):
    """Also where iterations were computed beyond, for the sake of other runs, and lost their way there."""
    curves = record([[5, 5], [4, 4], [np.nan, 3]], run__max_channel_uses=12.0).curves()
    assert curves.outcomes.tolist() == ["completed", "completed"]
    np.testing.assert_array_equal(curves.values["loss"], [[5, 4, np.nan, np.nan, np.nan, np.nan]] * 2)
    np.testing.assert_array_equal(curves.values["channel_uses"][0, :3], [5, 10, np.nan])


def test_recorded_iterations_alone_are_kept(record):
    losses = np.repeat(np.arange(250.0, 0, -1)[:, None], 2, axis=1)
    kept = np.flatnonzero(record([], 250, run__record="log").is_recorded)
    skipped = np.setdiff1d(np.arange(250), kept)[0]
    losses[skipped, 0] = losses[kept[-2], 1] = np.nan
    curves = record(losses, 250, run__record="log").curves()
    assert curves.outcomes.tolist() == ["completed", "diverged"]
    np.testing.assert_array_equal(curves.values["loss"][0], losses[kept, 0])
    np.testing.assert_array_equal(curves.values["channel_uses"][0], 5.0 * (kept + 1))
    np.testing.assert_array_equal(np.isnan(curves.values["loss"][1]), np.arange(len(kept)) >= len(kept) - 2)


def test_a_loss_that_is_not_finite_before_the_end_is_divergence():
    """Beyond the end of a run, where its costs are missing, the loss is missing too, which says nothing."""
    values = {"loss": np.array([1.0, np.inf, np.nan, np.nan]), "time_slots": np.array([1.0, 2.0, 3.0, np.nan])}
    assert lost(values).tolist() == [False, True, True, False]


@given(st.integers(1, 10**6))
def test_logarithmic_record(iterations):
    kept = Run(iterations=iterations, record="log").recorded
    assert kept[-1] == iterations
    assert list(kept[:100]) == list(range(1, min(iterations, 100) + 1))
    assert all(later <= 1.03 * earlier + 1 for earlier, later in itertools.pairwise(kept))
