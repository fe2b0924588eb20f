"""Origin of a result: the revision of a checkout, and whether its code is committed."""

import subprocess

import pytest

from otafl.results.provenance import revision


def git(folder, *words) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    done = subprocess.run(["git", "-C", folder, *identity, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path):
    """Folder with a commit of code, a scenario, and a result."""
    git(tmp_path, "init", "-q")
    for name in ("code.py", "scenario.toml", "result.nc"):
        (tmp_path / name).write_text("1")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def test_a_written_result_does_not_make_the_code_another(checkout):
    (checkout / "result.nc").write_text("2")
    assert revision(checkout) == git(checkout, "rev-parse", "HEAD")


@pytest.mark.parametrize("name", ["code.py", "scenario.toml"])
def test_changed_code_is_dirty(checkout, name):
    (checkout / name).write_text("2")
    assert revision(checkout) == git(checkout, "rev-parse", "HEAD") + "-dirty"


def test_there_is_none_outside_a_checkout(tmp_path):
    assert revision(tmp_path) == "none"
