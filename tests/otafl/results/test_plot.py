"""Figures of every kind draw what the result holds, whatever was swept."""

import itertools
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import otafl
from otafl.results import axis_labels, cell_map, figure_files, result_file, style, summary
from otafl.scenario.dotted_keys import quantity
from otafl.settings.plot import Plot

SMALL = {"run.seeds": 2, "run.iterations": 30, "federation.workers": 5, "method": ["A-FADMM", "D-FADMM"]}
READINGS = {"kind": "to_target"}, {"kind": "at_budget", "budgets": (1e6,)}


def run(**overrides):
    return otafl.run("quickstart", SMALL | overrides)


@pytest.fixture(scope="module")
def over_snr(study):
    return study.sel(scheme=["A-FADMM", "D-FADMM"])


@pytest.fixture(scope="module")
def data(over_snr):
    return over_snr.sel(snr_db=20.0, drop=True)


def lines(*results, **keys):
    ax = figure_files.figure(*results, asked=Plot(**keys) if keys else None).axes[0]
    return ax, {line.get_label(): np.asarray(line.get_xydata(), float) for line in ax.get_lines()}


@pytest.mark.parametrize(
    ("key", "name"),
    [("radius_m", "Cell radius [m]"), ("phase_error_rad", "Phase error [rad]"), ("antennas", "Antennas")],
)
def test_axes_have_units(over_snr, key, name):
    known = {"units": quantity(key).unit, "long_name": quantity(key).long_name}
    data = over_snr.rename(snr_db=key).assign_coords({key: (key, [20.0, 30.0], known)})
    ax, _ = lines(data, kind="at_budget", budgets=(1e6,))
    assert ax.get_xlabel() == name


@pytest.mark.parametrize("values", [[20.0, 0.0, 40.0], [4.0], [2, "one_slot"]])
def test_readings_against_any_key(data, values):
    swept = xr.concat([data] * len(values), "key", data_vars="all").assign_coords(key=np.array(values, object))
    swept = swept.assign_coords(key=values) if "one_slot" not in values else swept
    for keys in READINGS:
        ax, drawn = lines(swept.assign_attrs(data.attrs), **keys)
        assert len(drawn) == 2
        for points in drawn.values():
            assert len(points) == len(values)
            assert np.all(np.diff(points[:, 0]) > 0)
        if "one_slot" in values:
            assert [label.get_text() for label in ax.get_xticklabels()] == list(map(str, values))


@pytest.mark.slow
def test_a_diverging_run_leaves_the_others_visible():
    data = run(**{"method": ["A-GD", "A-FADMM"], "local.learning_rate": 1e6, "run.iterations": 200})
    ax, drawn = lines(data)
    assert np.isfinite(drawn["A-FADMM"][:, 1]).any()
    assert ax.get_ylim()[1] < 1e14
    cells = [list(column.cells) for column in summary.table(data).columns]
    assert cells[-1][0] == "diverged"
    assert "±" in cells[-1][1]


def test_runs_that_never_begin_say_so():
    data = run(**{"run.max_channel_uses": 1.0, "method": "A-GD"})
    ax, _ = lines(data)
    assert [text.get_text() for text in ax.texts] == ["no run has a value here"]
    assert list(summary.table(data).columns[-1].cells) == ["–"]


def test_schemes_are_selected_by_either_name_and_stacked_with_seeds(study, tmp_path):
    xr.testing.assert_equal(study.sel(scheme="D-FADMM")["loss"], study["loss"].sel({"method": "D-FADMM"}))
    result_file.save(study, tmp_path / "saved.nc")
    loaded = result_file.load(tmp_path / "saved.nc")
    stacked = loaded.stack(run=("scheme", "seed"))
    assert stacked.sizes["run"] == loaded.sizes["scheme"] * loaded.sizes["seed"]
    again = stacked.unstack("run")["loss"].transpose(*loaded["loss"].dims)
    np.testing.assert_array_equal(again, loaded["loss"])
    assert (again["method"] == loaded["method"]).all()
    assert list(loaded.xindexes) == ["scheme", "snr_db", "seed", "iteration"]


def test_what_is_met_once_and_left_is_hollow_and_has_no_line():
    keys = {"channel.snr_db": [-10.0, 40.0], "run.iterations": 300, "run.target_loss": 1e-2}
    data = run(**keys, method="A-FADMM")
    for reached, hollow in (("held", True), ("first", False)):
        ax, _ = lines(data, kind="to_target", reached=reached)
        assert ("white" in {line.get_markerfacecolor() for line in ax.get_lines()}) == hollow
    cells = list(summary.table(data).columns[2].cells)
    assert [cell.startswith("○") for cell in cells] == [True, False]


def test_a_legend_has_an_entry_for_each_value_of_a_dimension_and_hides_no_line(over_snr):
    ratios = np.arange(10.0)
    data = xr.concat([over_snr.isel(snr_db=0, drop=True)] * 10, "snr_db", data_vars="all").assign_coords(snr_db=ratios)
    figure = figure_files.figure(data.assign_attrs(over_snr.attrs))
    (ax,), (legend,) = figure.axes, figure.legends
    shown = {text.get_text() for text in legend.get_texts() if text.get_text()}
    assert shown == {"A-FADMM", "D-FADMM", *(f"SNR = {snr} dB" for snr in range(10))}
    assert len({line.get_color() for line in ax.get_lines()}) == 20
    assert len({line.get_marker() for line in ax.get_lines()}) == 2
    figure.draw_without_rendering()
    assert not legend.get_window_extent().overlaps(ax.get_tightbbox())


def test_keys_of_a_figure_do_what_they_say(study):
    keys = {"x_scale": "linear", "y_limits": (1e-3, 1.0), "target_line": True, "panels": "scheme", "columns": 2}
    figure = figure_files.figure(study, asked=Plot(y_scale="log", **keys))
    assert len(figure.axes) == 3
    assert figure.get_size_inches()[0] == pytest.approx(7.16)
    for ax in figure.axes:
        assert ax.get_xscale() == "linear"
        assert ax.get_ylim() == (1e-3, 1.0)
        assert len(ax.get_lines()) == 3


def test_panels_share_an_axis_that_shows_all_their_lines_and_numbers_above_a_gap(study):
    axes = figure_files.figure(study, asked=Plot(panels="scheme", statistic="median", columns=1)).axes
    assert [ax.xaxis.get_tick_params()["labelbottom"] for ax in axes] == [False, True, True]
    for ax in axes:
        low, high = ax.get_ylim()
        for line in ax.get_lines():
            assert low <= np.nanmin(line.get_ydata())
            assert np.nanmax(line.get_ydata()) <= high


def test_several_results_share_axes_and_panels(data):
    loud = data.assign_attrs(name="loud")
    ax, drawn = lines(data, loud)
    assert list(drawn) == ["quickstart: A-FADMM", "quickstart: D-FADMM", "loud: A-FADMM", "loud: D-FADMM"]
    assert len({line.get_color() for line in ax.get_lines()}) == 4
    figure = figure_files.figure(data, loud, asked=Plot(panels="scheme"))
    assert [ax.get_title() for ax in figure.axes] == ["A-FADMM", "D-FADMM"]
    assert [line.get_label() for line in figure.axes[0].get_lines()] == ["quickstart", "loud"]


def test_limits_below_zero_are_for_linear_axes(data):
    with pytest.raises(otafl.OtaflError, match=r"must be positive where plot.y_scale is 'log'"):
        otafl.load("quickstart", {"plot.y_limits": [-1.0, 1.0], "plot.y_scale": "log"})
    ax, _ = lines(data, y_limits=(0.0, 1.0))
    assert (ax.get_yscale(), ax.get_ylim()) == ("linear", (0.0, 1.0))


def test_a_figure_of_what_is_not_there_is_refused(data, over_snr):
    over_band = over_snr.rename(snr_db="subcarriers").assign_attrs(name="band")
    text = str(over_snr.attrs["scenario"]).replace("target_loss = 0.5", "target_loss = 0.25")
    looser = over_snr.assign_attrs(name="looser", scenario=text)
    for results, keys, rule in (
        ([data], {"panels": "workers"}, "must be a swept dimension: scheme"),
        ([over_snr], {"over": "workers"}, "plot.over = 'workers': must be a swept dimension .*panels: snr_db"),
        ([data], {"y": "test_accuracy"}, "must be a variable of the result"),
        ([over_snr, over_band], READINGS[1], "needs results over the same key, but these are over snr_db and subc"),
        ([over_snr, looser], READINGS[0], "needs one target, but those of the results are"),
    ):
        with pytest.raises(otafl.OtaflError, match=rule):
            figure_files.figure(*results, asked=Plot(**keys))


@pytest.mark.parametrize(("first", "last"), [(20, 260), (3000, 31000), (80, 900), (100, 1300), (2, 7)])
def test_labels_of_a_decade_do_not_overlap(first, last):
    """In a panel of 1.75 in, and there are two or more."""
    with plt.rc_context(style.STYLE):
        fig, ax = plt.subplots(figsize=(1.75, 1.5), layout="constrained")
        ax.plot([first, last], [1, 2])
        ax.set_xscale("log")
        axis_labels.sparse(ax)
        fig.canvas.draw()
    shown = [label for label in ax.get_xticklabels(which="both") if label.get_text()]
    low, high = ax.get_xlim()
    boxes = sorted((b.x0, b.x1) for b in (a.get_window_extent() for a in shown if low <= a.get_position()[0] <= high))
    assert len(boxes) >= 2
    assert all(left[1] <= right[0] for left, right in itertools.pairwise(boxes))


@settings(max_examples=25)
@given(st.floats(-5, 5), st.floats(0.005, 3), st.sampled_from("xy"))
def test_labels_of_logarithmic_axes_are_their_ticks(first, decades, letter):
    fig, ax = plt.subplots()
    ax.set(**{f"{letter}scale": "log", f"{letter}lim": (10**first, 10 ** (first + decades))})
    axis_labels.sparse(ax)
    axis = getattr(ax, f"{letter}axis")
    fig.canvas.draw()
    for minor in (False, True):
        for text, tick in zip(axis.get_ticklabels(minor=minor), axis.get_ticklocs(minor=minor), strict=True):
            if text.get_text():
                words = re.sub(r"[${}]|\\mathdefault", "", text.get_text()).replace("\\times10^", "e")
                assert float(words.replace("10^", "1e")) == pytest.approx(tick, rel=1e-5)
    plt.close(fig)


@pytest.mark.slow
def test_a_map_shows_every_worker_within_the_ring():
    keys = {"run.seeds": 1, "run.iterations": 2, "federation.workers": 12, "method": "A-FADMM", "cell.radius_m": 150.0}
    data = otafl.run("quickstart", keys)
    ax, colours = cell_map.figure(data).axes
    places = np.asarray(ax.collections[0].get_offsets())
    assert len(places) == 12
    assert np.all(np.linalg.norm(places, axis=1) < 150)
    for place, (low, high) in zip(places.T, (ax.get_xlim(), ax.get_ylim()), strict=True):
        assert low < min(0, *place)
        assert max(0, *place) < high
    assert colours.get_ylabel() == "Mean path gain [dB]"


def test_workers_without_places_have_no_map(study, tmp_path, call):
    result_file.save(study, tmp_path / "quickstart.nc")
    answer = call("plot", "quickstart.nc", "--map")
    assert answer.code == 2
    assert "has workers without places" in answer.stderr
    assert not list(tmp_path.glob("*-map*"))
