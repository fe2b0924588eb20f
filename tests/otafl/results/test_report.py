"""The page of a result shows all that it holds, as text, and asks for nothing from elsewhere."""

import re

import numpy as np
import pytest
import xarray as xr

import otafl
from otafl.errors import OtaflError
from otafl.results import analysis, figure_files, plot, report, summary
from otafl.settings.plot import Plot
from tests.html_page import Page

SMALL = {"run.seeds": 3, "run.iterations": 20, "federation.workers": 5, "run.target_loss": 1.0}
LOADED = ("src", "srcset", "href", "data", "action", "poster", "background")


@pytest.fixture(scope="module")
def data(study) -> xr.Dataset:
    """A result of eight points, more than a figure holds, of which some runs did not end as they should."""
    quiet = study.sel(scheme=["A-FADMM", "D-FADMM"])
    loud = quiet.assign_coords(snr_db=[40.0, 60.0])
    data = xr.concat([quiet, loud], "snr_db", data_vars="all").transpose(*quiet["loss"].dims)
    data["outcome"] = data["outcome"].astype(object)
    data["outcome"][{"scheme": 0, "snr_db": 1, "seed": 2}] = "diverged"
    data["outcome"][{"scheme": 1, "snr_db": 3, "seed": 0}] = "stopped"
    return data


@pytest.fixture(scope="module")
def text(data) -> str:
    return report.page(data)


@pytest.fixture(scope="module")
def page(text) -> Page:
    return Page(text)


def test_a_page_is_whole_and_asks_for_nothing(text, page):
    attributes = [pair for _, attrs in page.tags for pair in attrs.items()]
    assert not {tag for tag, _ in page.tags} & {"script", "link", "iframe", "img", "object", "embed", "base", "image"}
    assert [value for name, value in attributes if name in LOADED and not value.startswith("#")] == []
    assert [name for name, _ in attributes if name.startswith("on")] == []
    assert set(re.findall(r"url\((.)", text)) == {"#"}
    assert "@import" not in text
    assert "//" not in text
    names = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    used = {attrs["href"][1:] for _, attrs in page.tags if "href" in attrs} | set(re.findall(r"url\(#([^)]*)\)", text))
    assert page.open == []
    assert len(names) == len(set(names))
    assert used <= set(names)


def test_costs_are_those_of_the_summary(data, page):
    read = summary.of_result(data)
    assert ["Method", "SNR [dB]", *read.headings] in page.rows
    for labels, cells in read.rows:
        assert [*labels, *cells] in page.rows


def test_every_run_is_there_with_its_outcome(data, page):
    drawn = [attrs["title"] for _, attrs in page.tags if attrs.get("class", "").startswith("run ")]
    legend = list(np.unique(data["outcome"]))
    assert drawn == legend + [outcome for point in analysis.points(data) for outcome in point["outcome"].values]
    assert ["A-FADMM", "20.0", "2 completed, 1 diverged", "01✗2"] in page.rows
    assert ["D-FADMM", "60.0", "2 completed, 1 stopped", "…012"] in page.rows
    assert "diverged: 1" in page.text


def test_study_scenario_and_environment_are_there(data, page):
    assert data.attrs["scenario"] in page.text
    assert data.attrs["title"] in page.text
    for key in ("git_revision", "python_version", "otafl_version", "numpy_version", "tensorflow_version"):
        assert data.attrs[key] in page.text


@pytest.mark.slow
def test_time_to_compute_is_there_where_it_is_known(data, text):
    assert "Time to compute" not in text
    point = data.isel(scheme=[1], snr_db=[2])
    times = xr.full_like(point["outcome"], 2.0, dtype=float)
    times[{"seed": 1}] = 100.0
    times[{"seed": 2}] = np.nan
    shown = Page(report.page(point.assign(compute_time=times))).text
    for part in ("Time to compute", "1 min 42 s", "51 s", "1 min 40 s: Method = D-FADMM, SNR = 40.0 dB, Seed = 1"):
        assert part in shown
    assert "1 h 42 min" in Page(report.page(point.assign(compute_time=times * 60))).text
    assert report.page(point.assign(compute_time=times * np.nan)) == report.page(point)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "count"),
    [
        ({}, 4),
        ({"snr_db": [0, 1, 2]}, 0),
        ({"snr_db": 0}, 0),
        ({"scheme": 0, "snr_db": 0}, 0),
        ({"snr_db": [0] * (figure_files.MOST_PANELS + 1)}, 0),
    ],
    ids=["more lines than fit", "all in the figure", "methods only", "one point", "too many panels"],
)
def test_panels_show_what_the_figure_does_not(data, part, count):
    shown = data.isel(part)
    assert len(figure_files.panels(shown)) == count
    page = report.page(shown)
    assert page.count("<svg") == 1 + count
    assert report.page(shown.copy(deep=True)) == page


@pytest.mark.slow
def test_learning_curves_stand_beside_other_figures(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text('[plot]\nkind = "to_target"\n[sweep]\nmethod = ["A-FADMM", "D-GD"]\n"channel.snr_db" = [0, inf]\n')
    page = Page(report.page(otafl.run(path, SMALL)))
    captions = [attrs for tag, attrs in page.tags if tag == "figcaption"]
    assert len(captions) == 2
    assert "Channel uses to loss 1 against SNR [dB]: median and quartiles over seeds" in page.text
    assert "Loss |Σ f(θ) − f*| against channel uses: mean and standard deviation over seeds" in page.text


@pytest.mark.parametrize(
    ("keys", "point", "said"),
    [
        ({"kind": "to_target"}, {}, "median and quartiles over seeds"),
        ({"kind": "to_target"}, {"snr_db": 0}, "mean and standard deviation over seeds"),
        ({"statistic": "mean", "spread": "interval"}, {}, "mean and interval of 95% confidence over"),
        ({"statistic": "median", "spread": "interval"}, {}, "median over seeds"),
        ({"kind": "to_target"}, {"seed": [0]}, "one seed"),
    ],
)
def test_a_caption_says_what_is_drawn(data, keys, point, said):
    """Beside the kinds of figures that scenarios name are those without a swept key, which are curves."""
    part = data.isel(scheme=[0]).isel(point)
    swept = analysis.swept(part)
    assert plot.caption(part, Plot(**keys), swept).startswith(said)
    figure = figure_files.figure(part, asked=Plot(**keys))
    assert any(band.get_paths() for band in figure.axes[0].collections) == (" and " in said) or said == "one seed"


@pytest.mark.daily(1)
@pytest.mark.parametrize("out", ["x.nc/below.html", "folder", "x.nc"])
def test_a_page_that_cannot_be_written_leaves_nothing(data, tmp_path, out):
    data.isel(scheme=[0], snr_db=[0]).to_netcdf(tmp_path / "x.nc", engine="h5netcdf")
    (tmp_path / "folder").mkdir()
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    with pytest.raises(OtaflError, match=r"cannot be written|must be another file"):
        report.write(tmp_path / "x.nc", tmp_path / out)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
