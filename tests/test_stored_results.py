"""Results under figures/computed: each names committed code that computed it."""

import subprocess
from pathlib import Path

import h5netcdf
import pytest

import otafl
from figures import study
from figures.study import COMMITTED, COMPUTED

ROOT = Path(__file__).parents[1]
UNCOMMITTED = set((ROOT / "tests" / "uncommitted.txt").read_text(encoding="utf-8").split())
"""Results of code that was not committed, which are to be computed again; no other is let in."""


def git(*words: str) -> str:
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(scope="module")
def history() -> set[str]:
    """Revisions of the whole history of this checkout."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout, and has no history")
    if git("rev-parse", "--is-shallow-repository") == "true":
        pytest.skip("this checkout has only the end of the history")
    return set(git("rev-list", "HEAD").split())


def revisions(path: Path) -> list[str]:
    with h5netcdf.File(path) as file:
        return str(file.attrs["git_revision"]).split(", ")


def test_stored_results_are_of_committed_code(history):
    unknown = {path.stem for path in COMPUTED.glob("*.nc") if not set(revisions(path)) <= history}
    assert unknown == UNCOMMITTED


@pytest.mark.parametrize("revision", ["0" * 40 + "-dirty", "none"])
def test_nothing_is_kept_of_code_that_is_not_committed(monkeypatch, tmp_path, revision):
    monkeypatch.setattr(study, "COMPUTED", tmp_path)
    monkeypatch.setattr(study, "provenance", lambda: {"git_revision": revision})
    monkeypatch.setattr(otafl, "run", lambda *_, **__: pytest.fail("it was computed"))
    with pytest.raises(otafl.OtaflError, match=f"{revision}.*commit it before mnist_charged"):
        study.result("mnist_charged")


def test_committed_code_is_named_by_its_revision():
    assert COMMITTED.fullmatch("0" * 40)
    assert not COMMITTED.fullmatch("0" * 40 + "-dirty")
