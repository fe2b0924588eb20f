"""The gallery: what it says that one types is what was computed, and panels show what was read."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
import xarray as xr

mpl.use("Agg")

from matplotlib.figure import Figure

import otafl
from figures import __main__ as gallery
from figures import cell_paper, compare, notes_pages, study
from figures.channel_panels import Measure, Panel, against_each
from figures.sections import CHANNELS
from figures.study import command, load
from otafl.results import analysis

ROOT = Path(__file__).parents[1]


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """Another working folder than the project's root; files of the gallery do not change."""
    rooms = ROOT / "figures", ROOT / "docs" / "claims"
    before = {path: path.stat().st_mtime_ns for room in rooms for path in room.rglob("*") if path.suffix != ".pyc"}
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    after = {path: path.stat().st_mtime_ns for room in rooms for path in room.rglob("*") if path.suffix != ".pyc"}
    after = {path: when for path, when in after.items() if path.name != "__pycache__"}
    assert after == {path: when for path, when in before.items() if path.name != "__pycache__"}


def test_a_figure_drawn_elsewhere_is_written_there(elsewhere, monkeypatch, capsys):
    """The pages of claims are written into the working folder, too."""
    drawn = study.Study("A title", (), lambda _: Figure(), "A caption.")
    monkeypatch.setattr(gallery, "load", lambda _: drawn)
    monkeypatch.setattr(gallery, "EVERY", ("quickstart",))
    monkeypatch.setattr(notes_pages, "PAGES", {})
    monkeypatch.setattr(compare, "page", lambda: "a page")
    monkeypatch.setattr("sys.argv", ["figures", "quickstart"])
    gallery.main()
    written = {path.relative_to(elsewhere).as_posix() for path in elsewhere.rglob("*") if path.is_file()}
    assert written == {"figures/quickstart.png", "figures/README.md", "docs/claims/comparison.md"}


def test_a_study_computed_elsewhere_is_kept_there(elsewhere, monkeypatch):
    """And found there; what is stored with the project is read from anywhere."""
    name = "mnist_charged"
    assert study.result(name).attrs["name"] == name
    found = iter([False, False])
    monkeypatch.setattr(study, "_good", lambda *_: next(found))
    monkeypatch.setattr(study, "_saved", lambda path: path)
    monkeypatch.setattr(study, "_refuse_uncommitted", lambda _: None)
    monkeypatch.setattr(study, "note", lambda *_: None)
    monkeypatch.setattr(otafl, "run", lambda *_, out, **__: out.absolute())
    assert study.result(name) == elsewhere / "figures" / "computed"


def test_a_command_runs_the_study():
    assert command("digits_blind") == "otafl run digits_blind"
    assert command("linreg_energy_server") == "otafl run figures/afadmm/linreg_energy_server.toml"


def test_panels_show_median_and_quartiles_and_what_there_is_without():
    values = np.array([[1.0, 2.0, 10.0], [3.0, 3.0, 3.0]])
    data = xr.Dataset(
        {"loss": (("pilot_snr_db", "seed", "iteration"), values[..., None])},
        {"pilot_snr_db": [0.0, 10.0], "iteration": [1], "scheme": "A-FADMM"},
    )
    reading = Measure(lambda data: data["loss"].isel(iteration=-1), "median", (0.1, 100.0))
    panel = Panel("pilots", "pilot_snr_db", ("own",))
    _, (ax,) = against_each([panel], {"own": data}, data.sel(pilot_snr_db=10.0, drop=True), reading)
    (drawn,) = ax.containers
    np.testing.assert_array_equal(drawn.lines[0].get_ydata(), [2.0, 3.0])
    np.testing.assert_array_equal(drawn.lines[2][0].get_segments()[0][:, 1], [1.5, 6.0])
    assert ax.get_lines()[-1].get_ydata()[0] == 3.0


def test_sections_figures_say_what_they_show():
    for shown in map(load, CHANNELS):
        assert shown.caption
        assert shown.title


def test_figure_4c_has_the_fewest_workers_from_the_longer_study_also_beside_weights_of_its_own():
    def accuracies(scheme: str, workers: list[int], curve: list[float]) -> xr.Dataset:
        values = np.broadcast_to(curve, (1, len(workers), 1, len(curve)))
        rounds = {"iteration": range(1, len(curve) + 1), "workers": workers, "scheme": [scheme], "seed": [0]}
        dims = ("scheme", "workers", "seed", "iteration")
        return xr.Dataset({"test_accuracy": (dims, values), "channel_uses": (dims, np.cumsum(values > 0, -1))}, rounds)

    def both(workers: list[int], curve: list[float]) -> xr.Dataset:
        return xr.concat([accuracies(scheme, workers, curve) for scheme in ("A-SFADMM", "D-SFADMM")], "scheme")

    short, few = [0.5, 0.95], [0.5, 0.95, 0.5, 0.95]
    data = {"mnist_scalability": both([5, 10, 20], short), "mnist_scalability_few": both([5, 10], few)}
    data |= {f"{name}_p1": one.sel(scheme="A-SFADMM") for name, one in data.items()}
    for line in cell_paper.lines(data, "mnist_scalability"):
        uses = analysis.to_target(line, 0.9, "channel_uses", "test_accuracy")
        assert uses.transpose("workers", "seed").values.tolist() == [[4], [4], [2]]
