"""Figures of every kind draw what the result holds, whatever was swept."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr

mpl.use("Agg")

import itertools

import otafl
from otafl.results import axis_labels, figure_files, file, style, summary
from otafl.settings.plot import Plot

SMALL = {"run.seeds": 2, "run.iterations": 30, "federation.workers": 5}


def run(tmp_path, table="", **overrides):
    path = tmp_path / "study.toml"
    path.write_text(f'[plot]\n{table}\n[sweep]\nmethod = ["A-FADMM", "D-FADMM"]\n')
    return otafl.run(path, {**SMALL, **overrides})


def lines(data):
    (ax,) = figure_files.figure(data).axes
    return ax, {line.get_label(): np.asarray(line.get_xydata(), float) for line in ax.get_lines()}


@pytest.mark.parametrize("x", ["time_slots", "channel_uses", "energy", "iteration"])
def test_curve_is_the_mean_over_seeds(tmp_path, x):
    data = run(tmp_path, f'x = "{x}"')
    ax, drawn = lines(data)
    assert list(drawn) == ["A-FADMM", "D-FADMM"]
    assert ax.get_xlabel().startswith(data[x].attrs["long_name"])
    if x == "iteration":
        assert drawn["A-FADMM"][-1, 1] == pytest.approx(data["loss"][0, :, -1].mean().item())


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("cell.radius_m", "Cell radius [m]"),
        ("channel.phase_error_rad", "Phase error [rad]"),
        ("cell.antennas", "Antennas"),
    ],
)
def test_axes_have_units(tmp_path, key, name):
    data = run(tmp_path, 'kind = "at_budget"\nbudgets = [1e6]', **{"method": "A-FADMM", key: [20, 30]})
    ax, _ = lines(data)
    assert ax.get_xlabel() == name


@pytest.mark.parametrize("kind", ['kind = "to_target"', 'kind = "at_budget"\nbudgets = [1e6]'])
@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("channel.snr_db", [20.0, 0.0, 40.0]),
        ("uplink.subcarriers", [2, "one_slot"]),
        ("uplink.power_budget", ["per_upload", "per_subcarrier"]),
        ("federation.workers", [4]),
    ],
)
def test_readings_against_any_key(tmp_path, kind, key, values):
    data = run(tmp_path, kind, **{key: values, "run.target_loss": 0.5})
    ax, drawn = lines(data)
    assert len(drawn) == 2
    for points in drawn.values():
        assert len(points) == len(values)
        assert np.all(np.diff(points[:, 0]) > 0)
    if any(isinstance(value, str) for value in values):
        assert [label.get_text() for label in ax.get_xticklabels()] == list(map(str, values))


def test_readings_without_a_swept_key_become_curves(tmp_path):
    ax, drawn = lines(run(tmp_path, 'kind = "to_target"\ncost = "energy"'))
    assert len(drawn) == 2
    assert ax.get_xlabel() == "Transmitted energy [J]"


def test_a_diverging_run_leaves_the_others_visible(tmp_path):
    methods = {"method": ["A-GD", "A-FADMM"], "local.learning_rate": 1e6, "run.iterations": 200}
    data = run(tmp_path, **methods)
    ax, drawn = lines(data)
    assert np.isfinite(drawn["A-FADMM"][:, 1]).any()
    assert ax.get_ylim()[1] < 1e14
    cells = [list(column.cells) for column in summary.table(data).columns]
    assert cells[-1][0] == "diverged"
    assert "±" in cells[-1][1]


def test_runs_that_never_begin_say_so(tmp_path):
    data = run(tmp_path, **{"run.max_channel_uses": 1.0})
    (ax,) = figure_files.figure(data).axes
    assert [text.get_text() for text in ax.texts] == ["no run has a value here"]
    assert list(summary.table(data).columns[-1].cells) == ["–", "–"]


def test_figures_are_files_of_both_kinds(tmp_path):
    paths = figure_files.save(figure_files.figure(run(tmp_path)), tmp_path / "figure")
    assert [path.suffix for path in paths] == [".png", ".pdf"]
    assert all(path.stat().st_size > 5000 for path in paths)


def test_a_variable_is_there_if_some_method_has_it_and_is_no_number_for_the_others(tmp_path):
    data = run(tmp_path, method=["A-FADMM", "A-GD", "D-GD"])
    for name, those in (("primal_residual", ["A-FADMM"]), ("aggregation_nmse", ["A-FADMM", "A-GD"])):
        known = data[name].notnull()
        assert [scheme for scheme in data["scheme"].values if known.sel(scheme=scheme).any()] == those
        assert (known == known.any(["seed", "iteration"])).all()


def test_methods_are_selected_as_schemes_and_by_their_name(tmp_path):
    data = run(tmp_path)
    xr.testing.assert_equal(data.sel(scheme="D-FADMM")["loss"], data["loss"].sel({"method": "D-FADMM"}))
    assert data["loss"].sel(scheme="D-FADMM").dims == ("seed", "iteration")


def test_schemes_and_seeds_are_stacked_and_unstacked(tmp_path):
    file.save(run(tmp_path), tmp_path / "saved.nc")
    data = file.load(tmp_path / "saved.nc")
    stacked = data.stack(run=("scheme", "seed"))
    assert stacked.sizes["run"] == data.sizes["scheme"] * data.sizes["seed"]
    again = stacked.unstack("run")["loss"].transpose(*data["loss"].dims)
    np.testing.assert_array_equal(again, data["loss"])
    assert (again["method"] == data["method"]).all()
    assert list(data.xindexes) == ["scheme", "seed", "iteration"]
    assert set(data["method"].dims) == {"scheme"}


def test_what_is_met_once_and_left_is_hollow_and_has_no_line(tmp_path):
    keys = {"channel.snr_db": [-10.0, 40.0], "run.iterations": 300, "run.target_loss": 1e-2, "method": "A-FADMM"}
    data = run(tmp_path, 'kind = "to_target"', **keys)
    (ax,) = figure_files.figure(data).axes
    faces = {line.get_markerfacecolor() for line in ax.get_lines()}
    assert "white" in faces
    first = figure_files.figure(data, asked=file.about(data).plot.model_copy(update={"reached": "first"}))
    assert "white" not in {line.get_markerfacecolor() for line in first.axes[0].get_lines()}
    cells = list(summary.table(data).columns[2].cells)
    assert cells[0].startswith("○")
    assert not cells[1].startswith("○")


def test_colour_tells_values_and_dash_methods(tmp_path):
    (ax,) = figure_files.figure(run(tmp_path, **{"channel.snr_db": [0.0, 20.0, 40.0]})).axes
    found = {line.get_label(): (line.get_color(), line.get_marker()) for line in ax.get_lines()}
    assert len(found) == 6
    for snr in ("0", "20", "40"):
        of_value = [look for label, look in found.items() if label.endswith(f"= {snr} dB")]
        assert len({colour for colour, _ in of_value}) == 1
        assert len({marker for _, marker in of_value}) == 2


def test_keys_of_a_figure_do_what_they_say(tmp_path):
    data = run(tmp_path, **{"channel.snr_db": [0.0, 20.0]})
    keys = {"x_scale": "linear", "y_limits": (1e-3, 1.0), "target_line": True, "panels": "snr_db", "columns": 2}
    drawn = figure_files.figure(data, asked=Plot(y_scale="log", **keys))
    assert len(drawn.axes) == 2
    assert drawn.get_size_inches()[0] == pytest.approx(7.16)
    for ax in drawn.axes:
        assert ax.get_xscale() == "linear"
        assert ax.get_ylim() == (1e-3, 1.0)
        assert len(ax.get_lines()) == 3


def test_panels_that_share_an_axis_show_all_their_lines(tmp_path):
    data = run(tmp_path, **{"channel.snr_db": [0.0, 60.0], "run.iterations": 100})
    for ax in figure_files.figure(data, asked=Plot(panels="snr_db", statistic="median")).axes:
        low, high = ax.get_ylim()
        for line in ax.get_lines():
            assert low <= np.nanmin(line.get_ydata())
            assert np.nanmax(line.get_ydata()) <= high


def test_a_panel_above_a_gap_has_its_numbers(tmp_path):
    drawn = figure_files.figure(
        run(tmp_path, **{"channel.snr_db": [0.0, 10.0, 20.0]}), asked=Plot(panels="snr_db", columns=1)
    )
    labelled = [ax.xaxis.get_tick_params()["labelbottom"] for ax in drawn.axes]
    assert labelled == [False, True, True]


def test_several_results_share_axes(tmp_path):
    one, other = run(tmp_path), run(tmp_path, **{"channel.snr_db": 0.0}).assign_attrs(name="loud")
    (ax,) = figure_files.figure(one, other).axes
    labels = [line.get_label() for line in ax.get_lines()]
    assert labels == ["study: A-FADMM", "study: D-FADMM", "loud: A-FADMM", "loud: D-FADMM"]
    assert len({line.get_color() for line in ax.get_lines()}) == 4


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"panels": "workers"}, "must be a swept dimension: scheme"),
        ({"y": "test_accuracy"}, "must be a variable of the result"),
    ],
)
def test_a_figure_of_what_is_not_there_is_refused(tmp_path, asked, said):
    with pytest.raises(otafl.OtaflError, match=said):
        figure_files.figure(run(tmp_path), asked=Plot(**asked))


@pytest.mark.parametrize("name", ["cost", "ended", "seen"])
def test_a_variable_with_gaps_is_drawn_as_it_is_whatever_its_name(tmp_path, name):
    data = run(tmp_path)
    data = data.assign({name: data["primal_residual"].where(data["iteration"] % 2 == 0)})
    shown = Plot(x="iteration", y=name)
    drawn = figure_files.figure(data, asked=shown).axes[0].get_lines()
    wanted = data[name].isel(scheme=0).mean("seed").dropna("iteration")
    np.testing.assert_allclose(np.asarray(drawn[0].get_xydata(), float)[:, 1], wanted)


@pytest.mark.parametrize("limits", [(1.0,), (2.0, 1.0), (1.0, 2.0, 3.0)])
def test_limits_are_two_numbers_in_order(tmp_path, limits):
    with pytest.raises(otafl.OtaflError, match="must be two numbers, the lower one first"):
        otafl.load("quickstart", {"plot.x_limits": list(limits)})


def test_limits_below_zero_are_for_linear_axes(tmp_path):
    with pytest.raises(otafl.OtaflError, match=r"must be positive where plot.y_scale is 'log'"):
        otafl.load("quickstart", {"plot.y_limits": [-1.0, 1.0], "plot.y_scale": "log"})
    (ax,) = figure_files.figure(run(tmp_path), asked=Plot(y_limits=(0.0, 1.0))).axes
    assert ax.get_yscale() == "linear"
    assert ax.get_ylim() == (0.0, 1.0)


def test_a_panel_for_each_scheme_of_several_results(tmp_path):
    one, other = run(tmp_path), run(tmp_path, **{"channel.snr_db": 0.0}).assign_attrs(name="loud")
    drawn = figure_files.figure(one, other, asked=Plot(panels="scheme"))
    assert [ax.get_title() for ax in drawn.axes] == ["A-FADMM", "D-FADMM"]
    assert [line.get_label() for line in drawn.axes[0].get_lines()] == ["study", "loud"]


def test_results_that_have_no_axis_in_common_are_refused(tmp_path):
    over_snr = run(tmp_path, **{"channel.snr_db": [0.0, 20.0]})
    over_band = run(tmp_path, **{"uplink.subcarriers": [5, 10]}).assign_attrs(name="band")
    with pytest.raises(otafl.OtaflError, match="needs results over the same key, but these are over snr_db and subc"):
        figure_files.figure(over_snr, over_band, asked=Plot(kind="at_budget", budgets=(100.0,)))
    looser = run(tmp_path, **{"channel.snr_db": [0.0, 20.0], "run.target_loss": 0.5}).assign_attrs(name="looser")
    with pytest.raises(otafl.OtaflError, match="needs one target, but those of the results are"):
        figure_files.figure(over_snr, looser, asked=Plot(kind="to_target"))


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
    plt.close(fig)
    assert len(boxes) >= 2
    assert all(left[1] <= right[0] for left, right in itertools.pairwise(boxes))
