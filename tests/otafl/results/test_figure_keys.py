"""Keys of a figure that a paper needs: texts, order, names of axes, any variable, ratios to a scheme."""

from typing import Any

import numpy as np
import pytest
import xarray as xr

import otafl
from otafl.errors import Remark
from otafl.results import analysis, figure_files, plot, result_file
from otafl.results.matplotlib_setup import Axes, plt
from otafl.results.style import ORDERED, LineStyle
from otafl.settings.plot import Plot, changed

BUDGETS = {"kind": "at_budget", "cost": "iteration", "budgets": (20.0,)}


def drawn(*results: xr.Dataset, **keys: Any) -> tuple[Axes, dict[str, Any]]:
    ax = figure_files.figure(*results, asked=Plot(**keys)).axes[0]
    return ax, {str(line.get_label()): line for line in ax.get_lines()}


def test_texts_are_in_the_order_of_their_table_for_lines_panels_categories_and_results(study):
    texts = {"D-FADMM": "digital", "20": "loud", "A-FADMM": r"$\mathrm{ours}$"}
    _, lines = drawn(study, labels=texts)
    schemes, values = ("digital", r"$\mathrm{ours}$", "FedAvg"), ("loud", "SNR = 0 dB")
    assert list(lines) == [f"{name}, {value}" for name in schemes for value in values]
    panels = figure_files.figure(study, asked=Plot(panels="snr_db", labels={"20": "loud"})).axes
    assert [ax.get_title() for ax in panels] == ["loud", "SNR = 0 dB"]
    words = study.assign_coords(snr_db=["low", "high"])
    ax, lines = drawn(words, **BUDGETS, labels={"high": "High"})
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["High", "low"]
    other = study.assign_attrs(name="other")
    _, lines = drawn(study.isel(snr_db=0), other.isel(snr_db=0), labels={"A-FADMM": "ours", "other: D-FADMM": "theirs"})
    assert {"quickstart: ours", "other: ours", "theirs", "quickstart: D-FADMM"} <= set(lines)


@pytest.mark.parametrize("name", ["FedAvgg", "19"])
def test_a_text_for_nothing_is_refused_with_what_there_is(study, name):
    said = f"plot.labels.{name} = 'x': names no scheme or value; the figure has FedAvg@analog, A-FADMM, D-FADMM, 0, 20"
    with pytest.raises(otafl.OtaflError, match=said):
        figure_files.figure(study, asked=Plot(labels={name: "x"}))


def test_a_broken_formula_is_drawn_as_it_is(study):
    ax, lines = drawn(study, labels={"A-FADMM": r"$\frac$"}, y_label="$", title=r"\frac$ $")
    ax.figure.canvas.draw()
    assert any(label.startswith(r"\$\frac\$") for label in lines)


def test_names_of_axes_and_title(study):
    keys = {"x_label": "Rounds", "y_label": r"$f - f^*$", "title": "A study", "panels": "snr_db"}
    fig = figure_files.figure(study, asked=Plot(**keys))
    assert len(figure_files.figure(study.sel(snr_db=20.0), asked=Plot(panels="snr_db")).axes) == 1
    left, right = fig.axes
    assert (left.get_xlabel(), left.get_ylabel(), right.get_ylabel()) == ("Rounds", r"$f - f^*$", "")
    assert fig.get_suptitle() == "A study"


@pytest.mark.daily(3)
@pytest.mark.parametrize("y", ["energy", "own"])
@pytest.mark.parametrize("x", ["iteration", "energy", "channel_uses", "time_slots"])
def test_any_variable_against_any_cost(study, y, x):
    data = study.isel(snr_db=0).assign(own=(study["loss"].isel(snr_db=0) + 1).assign_attrs(units="W", long_name="Mine"))
    ax, lines = drawn(data, x=x, y=y)
    assert ax.get_ylabel() == {"energy": "Transmitted energy [J]", "own": "Mine [W]"}[y]
    assert ax.get_xlabel().startswith(data[x].attrs["long_name"])
    last = data[y].sel(scheme="A-FADMM").isel(iteration=-1).mean().item()
    if x == "iteration":
        assert lines["A-FADMM"].get_ydata()[-1] == pytest.approx(last)


@pytest.mark.parametrize("name", ["own", "cost", "ended"])
def test_a_variable_with_gaps_is_drawn_at_its_readings_whatever_its_name(study, name):
    read = study["loss"].isel(snr_db=0).where(study["iteration"] % 10 == 0)
    _, lines = drawn(study.isel(snr_db=0).assign({name: read}), x="iteration", y=name)
    assert lines["A-FADMM"].get_xdata().tolist() == [10, 20, 30]
    wanted = read.sel(scheme="A-FADMM").mean("seed").dropna("iteration")
    np.testing.assert_allclose(lines["A-FADMM"].get_ydata(), wanted)


def test_ratios_are_those_of_each_seed(study):
    ax, lines = drawn(study, relative_to="D-FADMM", **BUDGETS)
    read = analysis.at_budget(study, "loss", "iteration", 20)
    wanted = (read.sel(scheme="A-FADMM") / read.sel(scheme="D-FADMM")).mean("seed")
    np.testing.assert_allclose(lines["A-FADMM"].get_ydata(), wanted)
    np.testing.assert_array_equal(lines["D-FADMM"].get_ydata(), 1.0)
    assert ax.get_ylabel().endswith("\nat 20 rounds relative to D-FADMM")
    costs = analysis.to_target(study, 0.5, "energy")
    ratio = analysis.relative(costs, "A-FADMM")
    assert (ratio.sel(scheme="A-FADMM").where(np.isfinite(costs.sel(scheme="A-FADMM")), 1.0) == 1).all()
    assert analysis.relative(costs.where(costs["scheme"] != "A-FADMM", np.inf), "A-FADMM").isnull().all()


def test_ratios_of_curves_are_taken_at_equal_costs(study):
    data = study.isel(snr_db=0)
    ax, lines = drawn(data, x="energy", relative_to="A-FADMM", y="channel_uses")
    assert ax.get_ylabel() == "Channel uses\nrelative to A-FADMM"
    np.testing.assert_array_equal(lines["A-FADMM"].get_ydata(), 1.0)
    at, ratio = np.array(lines["FedAvg"].get_data())
    names = ("FedAvg@analog", "A-FADMM")
    uses, others = (analysis.on_grid(data.sel(scheme=name), "channel_uses", "energy", at) for name in names)
    np.testing.assert_allclose(ratio, (uses / others).mean(axis=0))
    assert np.isfinite(ratio).any()


def test_ratios_to_another_scheme_are_refused(study):
    with pytest.raises(otafl.OtaflError, match="relative_to = 'D-GD': must be a scheme of the result: FedAvg@"):
        drawn(study, relative_to="D-GD")
    with pytest.raises(otafl.OtaflError, match="needs a result of several schemes"):
        drawn(study.sel(scheme="A-FADMM"), relative_to="A-FADMM")
    with pytest.raises(otafl.OtaflError, match="needs a single result"):
        drawn(study, study, relative_to="A-FADMM")
    with pytest.raises(otafl.OtaflError, match=r"plot.relative_to = 'A-FADMM': needs all schemes in a panel"):
        otafl.load("quickstart", {"plot.relative_to": "A-FADMM", "plot.panels": "scheme"})


def test_one_budget_is_told_by_the_axis_and_several_by_labels(study):
    ax, lines = drawn(study, **BUDGETS)
    assert ax.get_ylabel().endswith("\nat 20 rounds")
    assert list(lines) == ["FedAvg", "A-FADMM", "D-FADMM"]
    assert len({line.get_color() for line in lines.values()}) == 3
    _, alone = drawn(study.sel(scheme=["D-FADMM"]), **BUDGETS)
    assert alone["D-FADMM"].get_color() == lines["D-FADMM"].get_color()
    assert alone["D-FADMM"].get_marker() == lines["D-FADMM"].get_marker()
    _, lines = drawn(study.sel(scheme=["A-FADMM"]), kind="at_budget", cost="energy", budgets=(0.05, 0.5))
    assert list(lines) == ["0.05 J energy", "0.5 J energy"]


def test_numbers_of_a_sweep_over_one_scheme_have_the_ordered_colours_of_a_study_without_one(study):
    many, plain = (drawn(study.sel(scheme=some))[1] for some in (["FedAvg@analog"], "FedAvg@analog"))
    ordered = [LineStyle(ORDERED, 0, shade=shade).line["color"] for shade in (0, 1)]
    assert [line.get_color() for line in many.values()] == [line.get_color() for line in plain.values()] == ordered
    assert list(many) == list(plain) == ["SNR = 0 dB", "SNR = 20 dB"]


@pytest.mark.parametrize("keys", [BUDGETS, {"kind": "to_target"}])
def test_categories_are_not_joined_and_stand_side_by_side(study, keys):
    ax, lines = drawn(study.assign_coords(snr_db=["low", "high"]), **keys)
    assert {line.get_linestyle() for line in lines.values()} == {"None"}
    places = [line.get_xdata()[0] % 1 for label, line in lines.items() if not label.startswith("_")]
    assert len(set(places)) == len(places)
    assert not [shade for shade in ax.collections if len(shade.get_paths()) == 1 and len(shade.get_paths()[0]) > 2]


def test_many_lines_leave_the_width_of_a_column_and_rounds_are_whole_numbers(study):
    ax, _ = drawn(study.isel(iteration=slice(5)), x="iteration", x_limits=(1.0, 4.0))
    ticks = ax.get_xticks()
    np.testing.assert_array_equal(ticks, np.round(ticks))
    parts = [study.assign_coords(snr_db=study["snr_db"] + step) for step in (0.0, 40.0)]
    data = xr.concat(parts, "snr_db", data_vars="all")
    fig = figure_files.figure(data.assign_attrs(study.attrs), asked=Plot())
    assert len(fig.axes[0].get_lines()) == 12
    assert fig.get_size_inches()[0] == 3.5
    assert len(fig.legends) == 1


def test_functions_that_draw_take_texts_and_a_reference(study):
    ax = plot.to_target(study, "snr_db", "energy", 0.5, labels={"A-FADMM": "ours"}, relative_to="A-FADMM", ax=plt.gca())
    assert ax.get_ylabel() == "Transmitted energy\nto loss 0.5 relative to ours"


def test_keys_of_a_scenario_stay_in_its_result(tmp_path, study):
    keys = {"plot.labels": {"A-FADMM": "ours"}, "plot.title": "T", "plot.relative_to": "A-FADMM", "plot.y": "energy"}
    scenario = result_file.scenario_of(study).override(keys)
    saved = study.assign_attrs(scenario=scenario.to_toml())
    asked = result_file.about(result_file.save(saved, tmp_path / "x.nc")).plot
    assert asked == scenario.plot
    assert result_file.about(result_file.load(tmp_path / "x.nc")).plot == asked
    assert figure_files.figure(saved).get_suptitle() == "T"


def test_a_scale_stays_with_its_axis(study):
    """A sweep begins at 0 dB, a cost does not."""
    written = Plot(x_scale="log", x_limits=(1.0, 1e3), x_label="Slots").model_dump()
    swept = analysis.swept(study)
    asked = changed(written, {"kind": "to_target", "cost": "energy"}, swept, swept)
    ax = figure_files.figure(study, asked=Plot(**asked)).axes[0]
    assert (ax.get_xscale(), ax.get_xlabel()) == ("linear", "SNR [dB]")
    assert 0.0 in ax.get_lines()[0].get_xdata()
    again = changed(asked, {"kind": "curve", "x_scale": "log"}, swept, swept)
    assert Plot(**again).x_scale == "log"


def test_an_axis_is_logarithmic_where_all_its_values_can_be_shown_else_with_a_remark(study):
    said = "plot.x_scale = 'log': 3 points at values that are not positive are not shown"
    with pytest.warns(Remark, match=said):
        drawn(study, **BUDGETS, x_scale="log")
    for lowest, scale in ((0.0, "linear"), (0.1, "log")):
        pilots = xr.concat([study.isel(snr_db=0, drop=True)] * 3, "pilots").assign_coords(pilots=[lowest, 1.0, 100.0])
        assert drawn(pilots.assign_attrs(study.attrs), **BUDGETS)[0].get_xscale() == scale


@pytest.mark.parametrize("keys", [{}, BUDGETS, {"kind": "to_target", "target_line": False}])
def test_a_spread_that_needs_more_seeds_is_remarked_upon(study, keys, recwarn):
    with pytest.warns(Remark, match=r"plot.spread = 'interval': that of a median needs 6 seeds, and there are 3"):
        drawn(study, **keys, statistic="median", spread="interval")
    recwarn.clear()
    drawn(study.isel(seed=[0]), **keys, statistic="median")
    drawn(study, **keys, statistic="mean", spread="interval")
    assert not [remark for remark in recwarn if "plot.spread" in str(remark.message)]


def test_a_band_that_cannot_be_drawn_is_remarked_upon(study):
    with pytest.warns(Remark, match=r"plot.spread = 'deviation': that of a mean needs 2 seeds, and there are 1"):
        drawn(study.isel(seed=[0]))
    wide = study.assign(loss=study["loss"] * xr.DataArray([1e-3, 1e-3, 1.0], dims="seed"))
    with pytest.warns(Remark, match=": its spread reaches zero or less in places, where the shade ends at 5%"):
        drawn(wide, **BUDGETS)


def test_the_axis_and_the_title_say_what_is_common(study):
    """The target of costs, the swept key that is asked for, and a method under several schemes."""
    both = study.expand_dims(workers=[5, 10]).transpose("scheme", "snr_db", "workers", "seed", "iteration")
    ax, _ = drawn(both.assign_attrs(study.attrs), kind="to_target", cost="time_slots", over="workers")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Workers", "Time slots\nto loss 0.5")
    named = study.assign_coords(scheme=["FedAvg@analog BAA", "FedAvg@analog COTAF", "FedAvg@analog MMSE"])
    ax, lines = drawn(named.isel(snr_db=0))
    assert (list(lines), ax.figure.get_suptitle()) == (["BAA", "COTAF", "MMSE"], "FedAvg@analog")
