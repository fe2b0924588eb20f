"""The one table of result variables, and what a scenario makes of it."""

import re

import pytest

import otafl
from otafl.engine.account import Parts
from otafl.engine.costs import COSTS as LEDGER_COSTS
from otafl.engine.costs import FURTHER
from otafl.engine.iteration import ROW
from otafl.metrics import REGISTERED
from otafl.metrics.result_variables import CURVES, VARIABLES
from otafl.results import result_file
from otafl.scenario.axis_quantities import quantity
from otafl.scenario.file import parse
from tests.otafl.scenario.refusal import refused
from tests.otafl.small import SMALL

AIR = ("aggregation_nmse", "worker_power")
CLASSIFIES = {"problem.kind": "classification", "problem.dataset": "digits"}


def test_the_engine_brings_every_curve_and_results_have_what_summaries_read():
    assert {*ROW, *LEDGER_COSTS.values(), *Parts._fields, *FURTHER, *REGISTERED} == set(CURVES)
    assert set(result_file.REQUIRED) == {"loss", "outcome", "time_slots", "channel_uses", "energy"}


@pytest.mark.parametrize(
    ("overrides", "absent"),
    [
        ({}, {"test_accuracy", "local_epochs", "penalty"}),
        ({"method": "A-GD"}, {"test_accuracy", "local_epochs", "penalty", "primal_residual", "dual_residual"}),
        ({"method": ["A-GD", "A-FADMM"]}, {"test_accuracy", "local_epochs", "penalty"}),
        ({"method": ["D-GD", "D-FADMM"]}, {"test_accuracy", "local_epochs", "penalty", *AIR}),
        ({"method": "FedAvg"}, {"test_accuracy", "penalty", "primal_residual", "dual_residual", *AIR}),
        ({"method": "FedADMM-InSa"}, {"test_accuracy", "primal_residual", "dual_residual", *AIR}),
        ({"method": "A-SFADMM", **CLASSIFIES}, {"penalty"}),
        ({"method": "A-SGD", **CLASSIFIES}, {"penalty", "primal_residual", "dual_residual"}),
    ],
)
def test_a_study_has_what_its_methods_and_problem_bring(overrides, absent):
    late = {"late_workers", *REGISTERED}
    assert set(VARIABLES) - set(parse("t", "", overrides).variables) == absent | late | {*Parts._fields}
    assert set(VARIABLES) - set(parse("t", "", overrides | {"energy.whole": True}).variables) == absent | late


@pytest.mark.parametrize(
    ("method", "reading", "why"),
    [
        ("A-GD", "primal_residual", "none of the methods has it"),
        ("A-FADMM", "test_accuracy", "regressions have none"),
        ("A-FADMM", "local_epochs", "none of the methods trains in epochs"),
    ],
)
def test_plot_of_what_a_study_does_not_have_is_refused(method, reading, why):
    assert refused({"method": method, "plot.y": reading}) == f"plot.y = '{reading}': {why}"


@pytest.mark.parametrize(("axis", "known"), [("x", "'time_slots'"), ("cost", "'energy'"), ("y", "loss")])
def test_plot_of_an_unknown_variable_lists_the_known_ones(axis, known):
    assert re.search(rf"plot.{axis} = 'nonsense': must be .*{known}", refused({f"plot.{axis}": "nonsense"}))
    assert f"plot.{axis} = 3: must be a valid string" in refused({f"plot.{axis}": 3})


def test_every_variable_of_a_result_is_named_by_the_table():
    data = otafl.run("quickstart", SMALL | {"method": "A-FADMM", "run.iterations": 2, "federation.workers": [3, 4]})
    assert set(data.data_vars) == set(parse("t", str(data.attrs["scenario"])).variables)
    for name, variable in data.variables.items():
        assert variable.attrs == {"units": quantity(name).unit, "long_name": quantity(name).long_name}
    assert data["workers"].attrs["long_name"] == "Workers"
