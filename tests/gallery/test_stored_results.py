"""Results under figures/*/computed: each names committed code that computed it, and has the numbers of today."""

import subprocess
from pathlib import Path
from zipfile import ZipFile

import h5netcdf
import pytest

import otafl
from figures.gallery import kept, study
from otafl.store import identity

ROOT = Path(__file__).parents[2]
TO_COMPUTE = set(Path(__file__).with_name("to_compute.txt").read_text(encoding="utf-8").split())
"""Results to be computed again, of code that was not committed or of corrected numbers; no other is let in."""
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
    unknown = {name for name, archive in KEPT.items() if not set(revisions(archive, name)) <= history}
    assert unknown <= TO_COMPUTE


def revisions(archive: Path, name: str) -> list[str]:
    with ZipFile(archive) as whole, h5netcdf.File(whole.open(f"{name}.nc")) as file:
        return str(file.attrs["git_revision"]).split(", ")


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_stored_results_have_the_numbers_of_today(every):
    noted = {name: versions for archive in kept.archives() for name, versions in kept.versions(archive).items()}
    assert noted.keys() == KEPT.keys()
    some = sorted(noted.keys() - TO_COMPUTE)[::every]
    assert [name for name in some if noted[name] != study.versions(study.resolved(name))] == []


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
