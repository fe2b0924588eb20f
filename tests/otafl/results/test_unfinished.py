"""Results of which some runs have not come to their end, or have costs that are no numbers."""

import math

import numpy as np
import pytest
import xarray as xr

from otafl.errors import Remark
from otafl.results import figure_files, summary
from otafl.scenario.file import parse
from otafl.settings.plot import Plot
from otafl.study.plan import Study
from otafl.study.study_curves import StudyCurves

WHOLE, HALF = [4.0, 2.0, 1.0, 0.25], [8.0, 6.0, np.nan, np.nan]


def made(losses: list[list[float]], outcomes: list[str], methods: tuple[str, ...] = ("D-FADMM",)) -> StudyCurves:
    """The curves of some seeds of each method, at a slot an iteration."""
    keys = {"run.seeds": len(losses) // len(methods), "run.iterations": len(losses[0]), "run.target_loss": 0.5}
    keys["method"] = methods[0] if len(methods) == 1 else list(methods)
    curves = StudyCurves(Study(parse("t", "", keys)))
    loss = np.array(losses)
    done = np.where(np.isnan(loss), np.nan, 1.0)
    for values in curves.values.values():
        values[:] = np.cumsum(done, axis=1)
    curves.values["loss"][:] = loss
    curves.outcomes[:] = outcomes
    return curves


def cells(curves: StudyCurves) -> list[str]:
    ((_, cells),) = summary.of_result(curves.dataset()).rows
    return cells


@pytest.mark.parametrize("outcome", ["stopped", "failed"])
def test_summary_is_that_of_runs_that_have_ended(outcome):
    alone = cells(made([WHOLE, WHOLE], ["completed", "completed"]))
    mixed = cells(made([WHOLE, WHOLE, HALF], ["completed", "completed", outcome]))
    assert mixed[:-1] == alone[:-1]
    assert mixed[-1] == f"{alone[-1]}, {outcome}"


def test_summary_and_curve_of_runs_of_which_none_has_ended():
    stopped = made([HALF, HALF], ["stopped", "stopped"])
    assert set(cells(stopped)) == {"–", "–, stopped"}
    with pytest.warns(Remark, match="2 of 2 runs have not ended, and are drawn up to their last iteration"):
        found = drawn(stopped.dataset())
    assert found[-1].tolist() == [2.0, 6.0]


@pytest.mark.parametrize(("name", "value"), [("energy", np.nan), ("time_slots", np.inf)])
def test_costs_that_are_no_numbers_are_remarked_upon(name, value):
    curves = made([[4.0, 2.0], [4.0, 2.0]], ["completed", "completed"])
    assert summary.remarks(curves.dataset()) == []
    curves.values[name][1, 1] = value
    (said,) = summary.remarks(curves.dataset())
    assert "D-FADMM: energy or time is not finite" in said


def drawn(data, **asked) -> np.ndarray:
    """The one line of a figure. Shape [points, 2]."""
    (line,) = figure_files.figure(data, asked=Plot(**asked)).axes[0].get_lines()
    return np.asarray(line.get_xydata(), float)


@pytest.mark.parametrize("outcome", ["stopped", "failed"])
@pytest.mark.parametrize("missing", [HALF, [np.nan] * 4], ids=["half", "none of it"])
def test_curve_is_the_mean_over_runs_that_have_ended(outcome, missing):
    alone = made([WHOLE, WHOLE], ["completed", "completed"]).dataset()
    mixed = made([WHOLE, missing, WHOLE], ["completed", outcome, "completed"]).dataset()
    with pytest.warns(Remark, match="D-FADMM: 1 of 3 runs have not ended, and are left out"):
        found = drawn(mixed)
    np.testing.assert_array_equal(found, drawn(alone))


@pytest.mark.parametrize(
    "asked",
    [
        {"kind": "at_budget", "budgets": (3.0,), "cost": "time_slots"},
        {"kind": "to_target", "cost": "time_slots", "reached": "first"},
        {"kind": "to_target", "cost": "time_slots", "reached": "first", "statistic": "mean"},
    ],
    ids=str,
)
def test_points_against_a_key_are_statistics_over_runs_that_have_ended(asked):
    low = made([WHOLE, WHOLE, WHOLE], ["completed"] * 3).dataset()
    high = made([WHOLE, WHOLE, HALF], ["completed", "completed", "stopped"]).dataset()
    both = xr.concat([low, high], "snr_db").assign_coords(snr_db=[0.0, 10.0])
    with pytest.warns(Remark, match="1 of 6 runs have not ended, and are left out"):
        found = drawn(both, **asked)
    assert found[0, 1] == found[1, 1] == {"at_budget": 1.0, "to_target": 4.0}[asked["kind"]]


@pytest.mark.parametrize("reference", ["D-FADMM", "D-GD"])
@pytest.mark.parametrize("stopped", [1, 2])
def test_ratios_are_of_seeds_of_which_both_runs_have_ended(reference, stopped):
    """Twice the loss under each seed: ratios of other seeds than one's own would be other numbers."""
    nothing = [math.nan] * 2
    twice = [[8.0, 4.0, 2.0, 0.5], [16.0, 8.0, 4.0, 1.0], [24.0, 12.0, 6.0, 1.5]]
    losses = [[value / 2 for value in row] for row in twice]
    losses += [row[:2] + nothing if seed < stopped else row for seed, row in enumerate(twice)]
    outcomes = ["completed"] * 3 + ["stopped"] * stopped + ["completed"] * (3 - stopped)
    data = made(losses, outcomes, ("D-FADMM", "D-GD")).dataset()
    with pytest.warns(Remark, match=f"{stopped} of 3 runs have not ended, and are left out"):
        lines = figure_files.figure(data, asked=Plot(relative_to=reference)).axes[0].get_lines()
    ratios = [{*np.asarray(line.get_xydata(), float)[:, 1]} for line in lines]
    assert ratios == ([{1.0}, {2.0}] if reference == "D-FADMM" else [{0.5}, {1.0}])
