"""Figures of every kind draw what the result holds, whatever was swept."""

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import otafl
from otafl.results import drawing, summary

SMALL = {"run.seeds": 2, "run.iterations": 30, "federation.workers": 5}


def run(tmp_path, table="", **overrides):
    path = tmp_path / "study.toml"
    path.write_text(f'[plot]\n{table}\n[sweep]\nmethod = ["A-FADMM", "D-FADMM"]\n')
    return otafl.run(path, {**SMALL, **overrides})


def lines(data):
    (ax,) = drawing.figure(data).axes
    return ax, {line.get_label(): np.asarray(line.get_xydata(), float) for line in ax.get_lines()}


@pytest.mark.parametrize("x", ["time_slots", "channel_uses", "energy", "iteration"])
def test_curve_is_the_mean_over_seeds(tmp_path, x):
    data = run(tmp_path, f'x = "{x}"')
    ax, drawn = lines(data)
    assert list(drawn) == ["A-FADMM", "D-FADMM"]
    assert ax.get_xlabel().startswith(data[x].attrs["long_name"])
    if x == "iteration":
        assert drawn["A-FADMM"][-1, 1] == pytest.approx(data["loss"][0, :, -1].mean().item())


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
    (ax,) = drawing.figure(data).axes
    assert [text.get_text() for text in ax.texts] == ["no run has a value here"]
    assert list(summary.table(data).columns[-1].cells) == ["–", "–"]


def test_figures_are_files_of_both_kinds(tmp_path):
    paths = drawing.save(drawing.figure(run(tmp_path)), tmp_path / "figure")
    assert [path.suffix for path in paths] == [".png", ".pdf"]
    assert all(path.stat().st_size > 5000 for path in paths)
