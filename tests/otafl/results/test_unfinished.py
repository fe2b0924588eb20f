"""Results of which some runs have not come to their end, or have costs that are no numbers."""

import numpy as np
import pytest

from otafl.results import summary
from otafl.scenario.file import parse
from otafl.study.plan import Study
from otafl.study.study_curves import StudyCurves


def made(losses: list[list[float]], outcomes: list[str]) -> StudyCurves:
    """The curves of some seeds of a method, at a slot an iteration."""
    keys = {"method": "D-FADMM", "run.seeds": len(losses), "run.iterations": len(losses[0]), "run.target_loss": 0.5}
    curves = StudyCurves(Study(parse("t", "", keys)))
    loss = np.array(losses)
    done = np.where(np.isnan(loss), np.nan, 1.0)
    for values in curves.values.values():
        values[:] = np.cumsum(done, axis=1)
    curves.values["loss"][:] = loss
    curves.outcomes[:] = outcomes
    return curves


def cells(curves: StudyCurves) -> list[str]:
    ((_, cells),) = summary.summary(curves.dataset()).rows
    return cells


@pytest.mark.parametrize("outcome", ["stopped", "failed"])
def test_summary_is_that_of_runs_that_have_ended(outcome):
    """A run of half the length has another final loss, and would be a seed that does not reach the target."""
    whole, half = [4.0, 2.0, 1.0, 0.25], [4.0, 2.0, np.nan, np.nan]
    alone = cells(made([whole, whole], ["completed", "completed"]))
    mixed = cells(made([whole, whole, half], ["completed", "completed", outcome]))
    assert mixed[:-1] == alone[:-1]
    assert mixed[-1] == f"{alone[-1]}, {outcome}"


def test_summary_of_runs_of_which_none_has_ended():
    half = [4.0, 2.0, np.nan, np.nan]
    assert set(cells(made([half, half], ["stopped", "stopped"]))) == {"–", "–, stopped"}


@pytest.mark.parametrize(("name", "value"), [("energy", np.nan), ("time_slots", np.inf)])
def test_costs_that_are_no_numbers_are_remarked_upon(name, value):
    curves = made([[4.0, 2.0], [4.0, 2.0]], ["completed", "completed"])
    assert summary.remarks(curves.dataset()) == []
    curves.values[name][1, 1] = value
    (said,) = summary.remarks(curves.dataset())
    assert "D-FADMM: energy or time is not finite" in said
