"""The command in processes of its own: what lies in its folder takes no module's place, and its memory has a bound."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.attack.conftest import assert_one_line, listing

COMMAND = [sys.executable, "-P", "-m", "otafl.cli"]
SHADOWS = ("channels", "queue", "signal", "numpy", "rich", "logging", "otafl", "keras", "tomllib", "shared")
GIB = 2**20
"""In the kibibytes in which the system counts."""
ROOT = str(Path(__file__).parents[2])
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (ROOT, os.environ.get("PYTHONPATH"))))}


def otafl(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess:
    known = os.environ | environment
    return subprocess.run([*COMMAND, *words], cwd=folder, env=known, capture_output=True, text=True, timeout=120)


@pytest.fixture
def shadowed(tmp_path) -> Path:
    """A folder of modules that end the process where they are imported."""
    for name in SHADOWS:
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken over')")
    return tmp_path


@pytest.mark.parametrize("words", [["list"], ["show", "quickstart"], ["run", "--help"]], ids=" ".join)
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


NUMBERS = [str(number) for number in range(1, 300)]
SWEEP = ["--channel.snr-db", *NUMBERS, "--uplink.subcarriers", *NUMBERS]
LIGHT = {
    "many seeds": ["run", "quickstart", "--run.seeds", "1000000000"],
    "many iterations": ["run", "quickstart", "--run.iterations", "2000000000"],
    "many workers": ["run", "quickstart", "--federation.workers", "1000000000"],
    "many digits": ["run", "quickstart", "--method", f"D-FADMM-{'9' * 5000}x"],
    "large sweep": ["run", "quickstart", *SWEEP],
    "large file": ["run", "large.toml"],
    "device": ["run", "zero.toml"],
    "pipe": ["show", "pipe.toml"],
}
HEAVY = {"many subcarriers": ["run", "quickstart", "--method", "D-FADMM", "--uplink.subcarriers", "2000000000"]}


@pytest.fixture
def folder(tmp_path) -> Path:
    with (tmp_path / "large.toml").open("wb") as file:
        file.truncate(2**30)
    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.toml")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "light"),
    [
        *((words, True) for words in LIGHT.values()),
        *(pytest.param(words, False, marks=pytest.mark.slow) for words in HEAVY.values()),
    ],
    ids=[*LIGHT, *HEAVY],
)
def test_refusals_take_little_memory(folder, words, light):
    """At most a gibibyte, and a fifth of that where no TensorFlow is needed."""
    before, peak = listing(folder), folder.parent / "peak"
    command = [sys.executable, "-P", "-m", "tests.attack.measured", str(peak), *words]
    done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stdout == ""
    assert_one_line("".join(line for line in done.stderr.splitlines(True) if line.startswith("otafl")))
    assert "Traceback" not in done.stderr
    assert listing(folder) == before
    assert int(peak.read_text()) < (GIB / 5 if light else GIB)


@pytest.mark.parametrize("words", [["list"], ["show", "quickstart"], ["run", "--help"], ["help", "rho"]], ids=" ".join)
def test_light_commands_without_docstrings(tmp_path, words):
    done = otafl(tmp_path, *words, PYTHONOPTIMIZE="2", PYTHONDONTWRITEBYTECODE="1")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("command", ["run", "plan", "privacy"])
def test_nothing_is_computed_without_docstrings(tmp_path, command):
    """TensorFlow cannot be imported then."""
    done = otafl(tmp_path, command, "quickstart", PYTHONOPTIMIZE="2", PYTHONDONTWRITEBYTECODE="1")
    assert done.returncode == 2
    assert_one_line(done.stderr)
    assert "PYTHONOPTIMIZE = 2" in done.stderr
    assert not listing(tmp_path)
