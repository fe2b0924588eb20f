"""Budgets and targets on curves that can be read off by hand."""

import numpy as np
import pytest
import xarray as xr

from otafl.results import analysis

LOSS = [[8.0, 4.0, 2.0, 1.0], [9.0, 3.0, np.nan, np.nan]]
COST = [[1.0, 2.0, 4.0, 8.0], [10.0, 20.0, np.nan, np.nan]]


@pytest.fixture
def data():
    dims = ("seed", "iteration")
    coords = {"seed": [0, 1], "iteration": [1, 2, 3, 10]}
    return xr.Dataset({"loss": (dims, LOSS), "channel_uses": (dims, COST), "time_slots": (dims, COST)}, coords=coords)


def test_at_budget_is_the_last_iteration_within_it(data):
    assert analysis.at_budget(data, "loss", "channel_uses", 7.9).values == pytest.approx([2.0, np.nan], nan_ok=True)
    assert analysis.at_budget(data, "loss", "channel_uses", 1e9).values == pytest.approx([1.0, 3.0])
    assert analysis.at_budget(data, "loss", "iteration", 3).values == pytest.approx([2.0, 3.0])


def test_to_target_is_the_first_iteration_that_reaches_it(data):
    assert analysis.to_target(data, 2.5, "channel_uses").values == pytest.approx([4.0, np.nan], nan_ok=True)
    assert analysis.to_target(data, 1.0, "iteration").values == pytest.approx([10.0, np.nan], nan_ok=True)
    assert np.isnan(analysis.to_target(data, 0.5, "channel_uses")).all()


def test_on_grid_is_a_step_function(data):
    read = analysis.on_grid(data, "loss", "channel_uses", np.array([0.5, 1.0, 3.9, 4.0, 20.0]))
    np.testing.assert_array_equal(read[0], [np.nan, 8.0, 4.0, 2.0, np.nan])
    np.testing.assert_array_equal(read[1], [np.nan, np.nan, np.nan, np.nan, 3.0])


def test_points_keep_seeds_and_iterations(data):
    swept = xr.concat([data, 2 * data], dim="rho").assign_coords(rho=[0.1, 0.5])
    parts = list(analysis.points(swept))
    assert [part["rho"].item() for part in parts] == [0.1, 0.5]
    xr.testing.assert_equal(parts[1]["loss"].drop_vars("rho"), 2 * data["loss"])
