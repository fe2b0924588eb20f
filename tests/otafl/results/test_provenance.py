"""Origin of a result: versions, the revision of a checkout, and whether its code is committed."""

import os
import subprocess
from importlib import metadata

import pytest

import otafl
from otafl.results.provenance import provenance, revision
from otafl.study import compute


def git(folder, *words) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    done = subprocess.run(["git", "-C", folder, *identity, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path):
    git(tmp_path, "init", "-q")
    for name in ("code.py", "scenario.toml", "result.nc"):
        (tmp_path / name).write_text("1")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def test_a_written_result_does_not_make_the_code_another(checkout, tmp_path_factory):
    assert revision(tmp_path_factory.mktemp("no checkout")) == "none"
    (checkout / "result.nc").write_text("2")
    assert revision(checkout) == git(checkout, "rev-parse", "HEAD")


@pytest.mark.parametrize("name", ["code.py", "scenario.toml"])
def test_changed_code_is_dirty(checkout, name):
    (checkout / name).write_text("2")
    assert revision(checkout) == git(checkout, "rev-parse", "HEAD") + "-dirty"


def test_versions_of_a_source_tree_that_is_not_installed(monkeypatch):

    def unknown(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    installed = provenance()
    monkeypatch.setattr(metadata, "version", unknown)
    assert provenance.__wrapped__() == installed


def test_versions_are_read_before_anything_is_computed(monkeypatch):
    monkeypatch.setattr(compute, "provenance", lambda: 1 / 0)
    monkeypatch.setattr(compute, "simulate", lambda *_: pytest.fail("it was computed before"))
    with pytest.raises(ZeroDivisionError):
        otafl.run("quickstart", {"run.iterations": 1, "run.seeds": 1, "method": "A-GD"}, store=False)


def test_reading_a_revision_writes_nothing(checkout):
    """Git refreshes its index by itself where a file was touched; while it does, a commit of the user's would fail."""
    os.utime(checkout / "code.py", (1, 1))
    before = (checkout / ".git" / "index").read_bytes()
    assert not revision(checkout).endswith("-dirty")
    assert (checkout / ".git" / "index").read_bytes() == before
