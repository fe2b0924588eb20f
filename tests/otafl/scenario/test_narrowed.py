"""Scenarios of which an override leaves one value of a sweep: their figure has no panels for it then."""

import warnings

import pytest

from otafl.errors import Remark
from otafl.scenario.file import parse
from otafl.scenario.stored_scenario import parse_stored
from tests.otafl.scenario.refusal import refused

SWEPT = """
[sweep]
method = ["A-FADMM", "D-FADMM"]
"channel.snr_db" = [0.0, 20.0]
"federation.workers" = [5, 10]
"""


@pytest.mark.parametrize("kind", ["curve", 'at_budget"\nbudgets = [9.0]\ncost = "energy', "to_target"])
@pytest.mark.parametrize(
    ("panels", "overrides", "left"),
    [
        ("snr_db", {}, "snr_db"),
        ("snr_db", {"federation.workers": 5, "method": "D-FADMM"}, None),
        ("snr_db", {"channel.snr_db": 0.0}, ""),
        ("snr_db", {"channel.snr_db": 0.0, "federation.workers": 5, "method": "D-FADMM"}, ""),
        ("scheme", {"method": "D-FADMM"}, ""),
    ],
)
def test_panels_of_a_narrowed_scenario(kind, panels, overrides, left):
    made = parse("t", f'{SWEPT}[plot]\nkind = "{kind}"\npanels = "{panels}"', overrides)
    assert made.plot.panels == (left if left is not None else "snr_db" if kind == "curve" else "")
    assert made.override({"run.seeds": 1}).plot == made.plot


def test_panels_that_are_asked_for_or_that_no_sweep_has_are_refused():
    assert "must be a swept dimension" in refused({"channel.snr_db": 0.0, "plot.panels": "snr_db"}, SWEPT)
    assert "must be a swept dimension" in refused({}, SWEPT + '[plot]\npanels = "rho"')
    assert "must be a swept dimension" in refused({}, '[plot]\npanels = "snr_db"')
    assert "plot.labels.FedAvg = 'x': names no scheme or value" in refused({}, SWEPT + '[plot.labels]\n"FedAvg" = "x"')


FIGURE = """
[plot]
y = "primal_residual"
panels = "snr_db"
relative_to = "D-FADMM"
[plot.labels]
"D-FADMM" = "digital"
"A-FADMM" = "analog"
"20" = "loud"
"""


@pytest.mark.parametrize(
    ("overrides", "key", "left"),
    [
        ({"channel.snr_db": 0.0, "algorithm.rho": [0.1, 0.5]}, "panels = 'snr_db'", {"panels": ""}),
        ({"method": ["A-GD", "A-FADMM", "D-FADMM"]}, "", {"y": "primal_residual"}),
        ({"method": ["A-GD", "D-GD"]}, "y = 'primal_residual': none of the methods has it", {"y": "loss"}),
        ({"method": ["A-FADMM", "A-GD"]}, "relative_to = 'D-FADMM'", {"relative_to": "", "panels": "snr_db"}),
        ({"method": "A-FADMM"}, "relative_to = 'D-FADMM'", {"labels": {"A-FADMM": "analog", "20": "loud"}}),
    ],
)
def test_a_study_that_its_figure_does_not_fit_has_the_nearest_one(overrides, key, left):
    """With a remark; the figure that it has is stored, and read again without one."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", Remark)
        made = parse("t", SWEPT + FIGURE, overrides)
    said = [str(one.message) for one in heard]
    assert any(one.startswith(f"plot.{key}") for one in said) if key else not said
    assert {name: getattr(made.plot, name) for name in left} == left
    with warnings.catch_warnings():
        warnings.simplefilter("error", Remark)
        assert parse("t", made.to_toml()).plot == made.plot
        assert parse_stored("t", made.to_toml(), "t").plot == made.plot


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"method": ["A-GD", "D-GD"], "plot.y": "primal_residual"}, "none of the methods has it"),
        ({"method": "A-FADMM", "plot.relative_to": "D-FADMM"}, "must be a method among several"),
        ({"plot.y": "outcome"}, "must be a variable of the result: time_slots"),
        ({"plot.labels": {"D-FADMM": 3}}, "plot.labels.D-FADMM = 3: must be a valid string"),
        ({"plot.labels": ["D-FADMM"]}, "plot.labels = ['D-FADMM']: must be a valid dictionary"),
        ({"method": ["A-FADMM"], "plot.relative_to": "A-FADMM"}, "must be a method among several"),
        (
            {"plot.kind": "to_target", "channel.snr_db": 0.0, "federation.workers": 5},
            "plot.kind = 'to_target': needs a swept key besides scheme and panels",
        ),
    ],
)
def test_keys_of_a_figure_that_are_asked_for_are_refused(overrides, said):
    assert said in refused(overrides, SWEPT)


NAMED = """[plot]
kind = "{kind}"
budgets = [100]
x_label = "Slots"
x_scale = "log"
x_limits = [1, 9]
y_label = "Gap"
y_scale = "log"
y_limits = [1, 9]
"""


@pytest.mark.parametrize(
    ("kind", "overrides", "left"),
    [
        ("curve", {"plot.x": "energy"}, ("", "Gap")),
        ("curve", {"plot.x": "time_slots", "plot.columns": 2}, ("Slots", "Gap")),
        ("curve", {"plot.y": "energy", "plot.y_label": "Joules"}, ("Slots", "Joules")),
        ("curve", {"plot.relative_to": "A-FADMM"}, ("Slots", "")),
        ("curve", {"channel.snr_db": 0.0}, ("Slots", "Gap")),
        ("to_target", {"channel.snr_db": 0.0}, ("", "Gap")),
        ("to_target", {"channel.snr_db": 0.0, "federation.workers": 5}, ("", "")),
        ("to_target", {"method": "A-FADMM", "run.seeds": 2}, ("Slots", "Gap")),
        ("curve", {"plot.kind": "at_budget"}, ("", "")),
        ("at_budget", {"plot.budgets": [1000]}, ("Slots", "")),
        ("at_budget", {"channel.snr_db": 0.0, "algorithm.rho": [1, 2]}, ("", "Gap")),
    ],
)
def test_keys_of_axes_are_left_out_where_others_are_drawn(kind, overrides, left):
    made = parse("t", SWEPT + NAMED.format(kind=kind), overrides).plot
    assert (made.x_label, made.y_label) == left
    assert (made.x_scale, made.x_limits) == (("log", (1, 9)) if made.x_label else (None, ()))
    assert (made.y_scale, made.y_limits) == (("log", (1, 9)) if left[1] == "Gap" else (None, ()))
