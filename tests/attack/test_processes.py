"""The command in processes of its own: what lies in its folder takes no module's place, and its memory has a bound."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.attack.conftest import assert_one_line, listing

COMMAND = [sys.executable, "-P", "-m", "otafl.cli"]
SHADOWS = ("channels", "queue", "signal", "numpy", "rich", "logging", "otafl", "keras", "tomllib", "shared")


def otafl(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess:
    known = os.environ | environment
    return subprocess.run([*COMMAND, *words], cwd=folder, env=known, capture_output=True, text=True, timeout=120)


@pytest.fixture
def shadowed(tmp_path) -> Path:
    for name in SHADOWS:
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken over')")
    return tmp_path


@pytest.mark.parametrize("words", [["show", "quickstart"], ["run", "--help"]], ids=" ".join)
def test_modules_in_the_folder_take_no_place(shadowed, words):
    done = otafl(shadowed, *words)
    assert (done.returncode, done.stderr) == (0, "")


def test_model_in_a_folder_of_such_modules(shadowed):
    """The user's module is found, and what lies beside it that no library is; both are built upon, then refused."""
    (shadowed / "beside.py").write_text("words = 'mine was called'")
    (shadowed / "mine.py").write_text(
        "import keras, queue, signal, beside\ndef net(shape, outputs):\n    raise ValueError(beside.words)\n"
    )
    done = otafl(shadowed, "run", "digits_quickstart", "--run.seeds", "1", "--problem.model", "mine:net")
    assert done.returncode == 2
    assert "mine was called" in done.stderr


REFUSED = {
    "many seeds": ["run", "quickstart", "--run.seeds", "1000000000"],
    "many iterations": ["run", "quickstart", "--run.iterations", "2000000000"],
    "large file": ["run", "large.toml"],
    "pipe": ["show", "pipe.toml"],
}


MEASURED = """
import atexit, re, sys
from pathlib import Path
peak = Path(sys.argv.pop(1))
atexit.register(lambda: peak.write_text(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]))
from otafl.cli import main
main()
"""
"""The command, which leaves the largest size of its process in kibibytes; ``getrusage`` includes who started it."""


@pytest.fixture
def folder(tmp_path) -> Path:
    with (tmp_path / "large.toml").open("wb") as file:
        file.truncate(2**30)
    os.mkfifo(tmp_path / "pipe.toml")
    return tmp_path


@pytest.mark.parametrize("words", REFUSED.values(), ids=REFUSED)
def test_refusals_take_little_memory(folder, words, monkeypatch):
    """A fifth of a gibibyte, as no TensorFlow is needed."""
    monkeypatch.delenv("OTAFL_PROCESSES")
    before, peak = listing(folder), folder.parent / "peak"
    command = [sys.executable, "-P", "-c", MEASURED, peak, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stdout == ""
    assert_one_line("".join(line for line in done.stderr.splitlines(True) if line.startswith("otafl")))
    assert "Traceback" not in done.stderr
    assert listing(folder) == before
    assert int(peak.read_text()) < 2**20 / 5, "kibibytes"


def test_nothing_is_computed_without_docstrings(tmp_path):
    done = otafl(tmp_path, "run", "quickstart", PYTHONOPTIMIZE="2", PYTHONDONTWRITEBYTECODE="1")
    assert done.returncode == 2
    assert_one_line(done.stderr)
    assert "PYTHONOPTIMIZE = 2" in done.stderr
    assert not listing(tmp_path)
