"""Budgets and targets on curves that can be read off by hand; centres and spreads against their definitions."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import otafl
from otafl.plain_text import duration
from otafl.results import analysis
from otafl.results.statistics import SPREADS, least_seeds, over_seeds, quantile, words

LOSS = [[8.0, 4.0, 2.0, 1.0], [9.0, 3.0, np.nan, np.nan]]
COST = [[1.0, 2.0, 4.0, 8.0], [10.0, 20.0, np.nan, np.nan]]


@pytest.fixture
def data():
    dims = ("seed", "iteration")
    coords = {"seed": [0, 1], "iteration": [1, 2, 3, 10]}
    return xr.Dataset({"loss": (dims, LOSS), "channel_uses": (dims, COST), "time_slots": (dims, COST)}, coords=coords)


def test_budgets_targets_and_grids_read_steps(data):
    assert analysis.at_budget(data, "loss", "channel_uses", 7.9).values == pytest.approx([2.0, np.nan], nan_ok=True)
    assert analysis.at_budget(data, "loss", "channel_uses", 1e9).values == pytest.approx([1.0, 3.0])
    assert analysis.at_budget(data, "loss", "iteration", 3).values == pytest.approx([2.0, 3.0])
    assert analysis.to_target(data, 2.5, "channel_uses").values == pytest.approx([4.0, np.inf])
    assert analysis.to_target(data, 1.0, "iteration").values == pytest.approx([10.0, np.inf])
    assert np.isinf(analysis.to_target(data, 0.5, "channel_uses")).all()
    read = analysis.on_grid(data, "loss", "channel_uses", np.array([0.5, 1.0, 3.9, 4.0, 20.0]))
    np.testing.assert_array_equal(read[0], [np.nan, 8.0, 4.0, 2.0, np.nan])
    np.testing.assert_array_equal(read[1], [np.nan, np.nan, np.nan, np.nan, 3.0])


def study(values, variable="loss"):
    """A result with the curves of some seeds, at a cost of 1 an iteration."""
    values = np.atleast_2d(values)
    cost = np.broadcast_to(np.arange(1.0, values.shape[1] + 1), values.shape)
    dims = ("seed", "iteration")
    coords = {"seed": np.arange(len(values)), "iteration": np.arange(1, values.shape[1] + 1)}
    return xr.Dataset({variable: (dims, values), "time_slots": (dims, cost)}, coords=coords)


def test_a_target_is_held_for_good_and_reached_by_one_reading():
    data = study(np.abs(np.random.default_rng(1).normal(0.0, 0.012, 400)))
    assert analysis.to_target(data, 1e-4, "time_slots", reached="first").item() > 0
    assert np.isinf(analysis.to_target(data, 1e-4, "time_slots").item())
    assert analysis.to_target(data, 0.02, "time_slots").item() < 10
    losses = np.concatenate([np.geomspace(1.0, 1e-5, 50), np.full(10, np.nan)])
    data = study(losses).assign(outcome=("seed", ["diverged"]))
    assert np.isinf(analysis.to_target(data, 1e-3, "time_slots").item())
    assert analysis.to_target(data, 1e-3, "time_slots", reached="first").item() == 31
    read = np.full(60, np.nan)
    read[::10] = [0.1, 0.5, 0.9, 0.8, 0.92, 0.93]
    data = study(read, "test_accuracy")
    assert analysis.to_target(data, 0.9, "time_slots", "test_accuracy", "first").item() == 21
    assert analysis.to_target(data, 0.9, "time_slots", "test_accuracy").item() == 41


def test_a_floor_just_below_a_target_holds_it_however_long_the_run():
    """A gap whose readings are above the target with a chance of 0.2: medians of 11 are now and then, too."""
    floor = np.abs(np.random.default_rng(2).normal(0.0, 1e-4 / 1.28, 20_000))
    data = study(np.concatenate([np.geomspace(1.0, 1e-4, 300), floor]))
    assert 300 <= analysis.to_target(data, 1e-4, "time_slots").item() < 320


def test_what_is_held_late_is_held_where_iterations_are_kept_by_decades_too():
    """A loss that falls below the target after 8,000 of 10,000 iterations and stays there, of which 300 are kept."""
    plan = otafl.load("linreg_energy", {"run.iterations": 10_000}).points()
    kept = next(iter(plan))[1].run.recorded
    data = study(np.where(np.arange(1, 10_001) < 8000, 1.0, 1e-5)).isel(iteration=kept - 1)
    assert len(kept) < 400
    assert 8000 <= analysis.to_target(data, 1e-4, "time_slots").item() < 8200


@given(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=60), st.floats(1e-6, 1.0))
def test_what_only_falls_is_held_where_it_is_first_reached_or_too_late_to_tell(losses, target):
    data = study(sorted(losses, reverse=True))
    first, held = (analysis.to_target(data, target, "time_slots", reached=how).item() for how in ("first", "held"))
    assert held == first or first > len(losses) - analysis.HALF_WINDOW


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=60), st.floats(0.0, 1.0))
def test_what_is_held_is_reached_before(accuracies, target):
    costs = study(accuracies, "test_accuracy"), target, "time_slots", "test_accuracy"
    first, held = (analysis.to_target(*costs, how).item() for how in ("first", "held"))
    assert first <= held
    assert np.isinf(held) or accuracies[int(held) - 1] >= target


def test_points_keep_seeds_and_iterations(data):
    swept = xr.concat([data, 2 * data], dim="rho").assign_coords(rho=[0.1, 0.5])
    parts = list(analysis.points(swept))
    assert [part["rho"].item() for part in parts] == [0.1, 0.5]
    xr.testing.assert_equal(parts[1]["loss"].drop_vars("rho"), 2 * data["loss"])


@pytest.mark.parametrize(
    ("accuracies", "learns"),
    [
        (np.full(20, 0.1), False),
        (np.linspace(0.1, 0.9, 20), True),
        (np.linspace(0.9, 0.1, 20), True),
        (np.full(20, 0.9), True),
        (np.full(5, 0.1), True),
    ],
    ids=["chance", "rising", "falling", "high from the beginning", "too short to tell"],
)
def test_an_accuracy_that_does_not_rise_is_noticed(accuracies, learns):
    data = study(accuracies, "test_accuracy")
    assert (analysis.not_learnt(data.assign(loss=data["test_accuracy"])) == []) == learns


@pytest.mark.parametrize("outcome", ["stopped", "failed"])
def test_runs_that_were_stopped_say_only_what_they_got_to(outcome):
    data = study([[8.0, 4.0, 2.0, 1.0], [8.0, 2.0, np.nan, np.nan]])
    data["time_slots"] = data["time_slots"].where(data["loss"].notnull())
    data["outcome"] = ("seed", ["completed", outcome])
    assert analysis.at_budget(data, "loss", "time_slots", 2).values.tolist() == [4.0, 2.0]
    assert analysis.at_budget(data, "loss", "time_slots", 4).values == pytest.approx([1.0, np.nan], nan_ok=True)
    assert analysis.to_target(data, 2.0, "time_slots").values == pytest.approx([3.0, np.nan], nan_ok=True)
    assert analysis.to_target(data, 2.0, "time_slots", reached="first").values.tolist() == [3.0, 2.0]
    assert analysis.to_target(data, 1.0, "time_slots").values == pytest.approx([4.0, np.nan], nan_ok=True)


@pytest.mark.parametrize("value", ["5", None, float("nan"), True, [5.0]])
def test_budgets_and_targets_are_real_numbers(data, value):
    with pytest.raises(otafl.OtaflError, match=r"budget = .*: must be a real number"):
        analysis.at_budget(data, "loss", "channel_uses", value)
    with pytest.raises(otafl.OtaflError, match=r"target = .*: must be a real number"):
        analysis.to_target(data, value, "channel_uses")


WAITING = [26_960.0, 234.0, 228.0, 292.0, 260.0]
"""Slots of uploads that wait for the slowest of some Rayleigh workers, whose mean does not exist."""


def test_centres_and_spreads_of_few_numbers():
    found = over_seeds(np.array(WAITING), "median")
    assert (found.low, found.centre, found.high) == (234.0, 260.0, 292.0)
    found = over_seeds(np.array([1.0, 3.0]))
    assert found.high - found.centre == pytest.approx(np.sqrt(2.0))
    assert np.isnan(over_seeds(np.array([1.0])).low)
    assert over_seeds(np.array([1.0, 2.0, np.inf]), "median")[:3] == (2.0, 1.5, np.inf)
    assert over_seeds(np.array([1.0, np.inf, np.inf]), "median").centre == np.inf
    values = np.array(WAITING)
    found = over_seeds(values, "mean", "interval")
    known = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
    assert (found.low, found.high) == pytest.approx(known)


FINITE = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12).map(np.array)
SHARES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


@given(FINITE, SHARES)
def test_a_quantile_is_symmetric_and_that_of_numpy(values, share):
    assert quantile(values, share) == -quantile(-values, 1 - share)
    assert quantile(values, share) == pytest.approx(np.quantile(values, share), rel=1e-12, abs=1e-9)
    assert quantile(values[:, None], share).tolist() == [quantile(values, share)]


@given(FINITE, st.integers(0, 12), SHARES)
def test_what_is_not_reached_counts_as_the_limit_of_a_large_cost(values, missed, share):
    """The quantile is infinite exactly where it grows with the cost, and does not depend on it elsewhere."""
    found = quantile(np.append(values, np.full(missed, np.inf)), share)
    large = [quantile(np.append(values, np.full(missed, cost)), share) for cost in (1e8, 1e9)]
    assert found == (np.inf if large[0] != large[1] else large[0])


def test_a_value_that_is_none_leaves_no_quantile():
    found = quantile(np.array([[1.0, np.nan, -np.inf], [2.0, 1.0, np.inf], [3.0, np.inf, np.inf]]), 0.25)
    np.testing.assert_array_equal(found, [1.5, np.nan, np.inf])


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_intervals_hold_the_truth_as_often_as_they_say(statistic):
    rng = np.random.default_rng(0)
    found = over_seeds(rng.normal(0.0, 1.0, (10, 20_000)), statistic, "interval")
    inside = np.mean((found.low <= 0) & (found.high >= 0))
    assert 0.945 <= inside <= 0.985
    if statistic == "mean":
        assert inside == pytest.approx(0.95, abs=0.005)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30), st.sampled_from(["mean", "median"]))
def test_the_centre_lies_within_its_spread(values, statistic):
    for spread in ("deviation", "quartiles", "interval"):
        found = over_seeds(np.array(values), statistic, spread)
        if spread != "quartiles" or statistic == "median":
            slack = 1e-9 * max(map(abs, values), default=1.0)
            assert not found.low > found.centre + slack
            assert not found.high < found.centre - slack


@pytest.mark.parametrize("statistic", ["mean", "median"])
@pytest.mark.parametrize("spread", SPREADS)
def test_a_spread_is_there_from_its_least_number_of_seeds_on(statistic, spread):
    for seeds in range(1, 9):
        found = over_seeds(np.arange(float(seeds)), statistic, spread)
        there = seeds >= least_seeds(statistic, spread)
        assert np.isfinite([found.low, found.high]).all() == there
        assert (SPREADS[spread][0] in words(statistic, spread, seeds)) == (there and seeds > 1) or spread == "none"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0123, "0.0123 s"),
        (59.6, "1 min 0 s"),
        (3599.4, "59 min 59 s"),
        (3599.6, "1 h 0 min"),
        (3600 * 1234.5, "1,234 h 30 min"),
    ],
)
def test_durations_are_rounded_before_they_are_split(seconds, text):
    assert duration(seconds) == text
