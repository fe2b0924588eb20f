"""The gallery and results kept for it: what panels show, what draws each figure, and numbers of today."""

import importlib
import subprocess
from pathlib import Path
from zipfile import ZipFile

import h5netcdf
import matplotlib as mpl
import numpy as np
import pytest
import xarray as xr

import otafl
from figures.gallery import kept, study
from otafl.store import identity

mpl.use("Agg")

from matplotlib.figure import Figure

from figures import __main__ as main
from figures.channels.panels import Measure, Panel, against_each
from figures.gallery import pages
from figures.gallery.pictures import FOLDERS, Picture, known, page, pictures
from otafl.results import result_file
from otafl.scenario import library

ROOT = Path(__file__).parents[2]


def files(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if "__pycache__" not in str(path)}


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """Another working folder than the project's root; files of the gallery do not change."""
    before = files(ROOT / "figures")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert files(ROOT / "figures") == before


def test_a_folder_drawn_elsewhere_is_written_there(elsewhere, monkeypatch, capsys):
    monkeypatch.setattr(Picture, "draw", lambda *_: Figure())
    monkeypatch.setattr(main, "_result", lambda _: None)
    monkeypatch.setattr("sys.argv", ["figures", "linreg"])
    with pytest.raises(SystemExit, match="no figure or folder called linreg; folders are afadmm, gong"):
        main.main()
    monkeypatch.setattr("sys.argv", ["figures", "wang", "quickstart"])
    main.main()
    written = {path.relative_to(elsewhere).as_posix() for path in elsewhere.rglob("*") if path.is_file()}
    drawn = {f"figures/wang/{picture.name}.png" for picture in pictures("wang")}
    assert written == drawn | {"figures/afadmm/quickstart.png", "figures/wang/README.md", "figures/README.md"}


def test_a_study_computed_elsewhere_is_kept_there(elsewhere, monkeypatch):
    name = "mnist_charged"
    assert study.command("digits_blind") == "otafl run digits_blind"
    assert study.command("linreg_energy_server") == "otafl run figures/afadmm/linreg_energy_server.toml"
    stored = study.result(name)
    assert stored.attrs["name"] == name
    monkeypatch.setattr(kept, "archive", lambda name, figures=elsewhere: figures / f"{name}.zip")
    monkeypatch.setattr(study, "_refuse_uncommitted", lambda _: None)
    monkeypatch.setattr(otafl, "run", lambda *_, out, **__: result_file.save(stored, out / f"{name}.nc"))
    assert study.result(name) is stored
    monkeypatch.setattr(otafl, "run", lambda *_, **__: pytest.fail("it was computed again"))
    assert study.result(name).equals(stored)


@pytest.mark.parametrize("picture", known().values(), ids=known())
def test_a_figure_has_a_function_studies_and_a_place_on_its_page(picture):
    assert callable(getattr(importlib.import_module(f"figures.{picture.folder}.{picture.script}"), picture.name))
    assert all(study._own_file(name) or library.find(name) for name in picture.studies)
    folder = ROOT / "figures" / picture.folder
    assert (folder / f"{picture.name}.png").is_file()
    assert picture.entry in (folder / "README.md").read_text(encoding="utf-8")


def test_the_gallery_has_a_picture_of_each_folder():
    assert (ROOT / "figures" / "README.md").read_text(encoding="utf-8") == pages.gallery()
    assert {path.parent.name for path in ROOT.glob("figures/*/figures.toml")} == set(FOLDERS)
    assert all((ROOT / "figures" / folder / f"{page(folder)['picture']}.png").is_file() for folder in FOLDERS)


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


KEPT = {name: archive for archive in kept.archives() for name in kept.names(archive)}


def git(*words: str) -> str:
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(scope="module")
def history() -> set[str]:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout, and has no history")
    if git("rev-parse", "--is-shallow-repository") == "true":
        pytest.skip("this checkout has only the end of the history")
    return set(git("rev-list", "HEAD").split())


def test_stored_results_are_of_committed_code(history):
    assert [name for name, archive in KEPT.items() if not set(revisions(archive, name)) <= history] == []


def revisions(archive: Path, name: str) -> list[str]:
    with ZipFile(archive) as whole, h5netcdf.File(whole.open(f"{name}.nc")) as file:
        return str(file.attrs["git_revision"]).split(", ")


@pytest.mark.parametrize("every", [15, pytest.param(1, marks=pytest.mark.slow)])
def test_stored_results_have_the_numbers_of_today(every):
    noted = {name: versions for archive in kept.archives() for name, versions in kept.versions(archive).items()}
    assert noted.keys() == KEPT.keys()
    old = {name for name in sorted(noted)[::every] if noted[name] != study.versions(study.resolved(name))}
    assert not old


def test_a_stored_result_lies_in_the_folder_of_its_study():
    assert [name for name, archive in KEPT.items() if archive != kept.archive(name)] == []


def test_a_result_whose_numbers_were_corrected_is_computed_anew(monkeypatch, tmp_path):
    """It has one round of two workers, after which its version is raised, as by a correction."""
    keys = {"federation.workers": 2, "run.iterations": 1, "run.seeds": 1, "method": "FedAvg"}
    scenario = otafl.load("digits_quickstart", keys).model_copy(update={"name": "one_round"})
    monkeypatch.setattr(study, "resolved", lambda _: scenario)
    monkeypatch.setattr(kept, "archive", lambda *_: tmp_path / "computed.zip")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(study, "provenance", lambda: {"git_revision": "0" * 40})
    first = study.result("one_round")
    monkeypatch.setattr(otafl, "run", lambda *_, **__: pytest.fail("it was computed again"))
    assert study.result("one_round").equals(first)
    monkeypatch.setattr(identity, "RESULTS_VERSION", 10**6)
    with pytest.raises(pytest.fail.Exception, match="again"):
        study.result("one_round")


@pytest.mark.parametrize("revision", ["0" * 40 + "-dirty", "none"])
def test_nothing_is_kept_of_code_that_is_not_committed(monkeypatch, tmp_path, revision):
    monkeypatch.setattr(kept, "archive", lambda *_: tmp_path / "computed.zip")
    monkeypatch.setattr(study, "provenance", lambda: {"git_revision": revision})
    monkeypatch.setattr(otafl, "run", lambda *_, **__: pytest.fail("it was computed"))
    with pytest.raises(otafl.OtaflError, match=f"{revision}.*commit it before mnist_charged"):
        study.result("mnist_charged")
