"""A full disk, folders that cannot be made, little memory, and modules that hide libraries."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from otafl.errors import OtaflError
from otafl.results import result_file
from otafl.system.whole_files import replacing
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


@pytest.mark.slow
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


RUN = ["run", "quickstart", "--method", "D-GD", "--run.seeds", "1", "--run.iterations", "300"]


@pytest.fixture
def disk(tmp_path):
    mounted = []

    def mount(size: str):
        folder = tmp_path / f"disk_of_{size}"
        folder.mkdir()
        options = ["-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
        if subprocess.run(["mount", *options], capture_output=True).returncode:
            pytest.skip("mounting a small disk is not permitted here")
        mounted.append(folder)
        return folder

    yield mount
    for folder in mounted:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def result() -> xr.Dataset:
    return xr.Dataset({"loss": ("iteration", np.random.default_rng(0).random(20_000))}, attrs={"name": "x"})


def test_full_disk_is_one_line_and_leaves_nothing(call, disk):
    """But finished runs: no result, and no half file."""
    folder = disk("16k")
    answer = call(*RUN, "--out", str(folder))
    assert answer.code == 2
    lines = answer.stderr.splitlines(keepends=True)
    assert_one_line("".join(line for line in lines if not line.startswith("note: ")))
    assert "No space left on device" in answer.stderr
    assert {path.suffix for path in folder.rglob("*") if path.is_file()} <= {".run", ".json"}


def test_full_disk_keeps_what_was_there(disk, result):
    folder = disk("64k")
    result_file.save(result.isel(iteration=slice(10)), folder / "x.nc")
    with pytest.raises(OtaflError):
        result_file.save(result, folder / "x.nc")
    assert xr.load_dataset(folder / "x.nc", engine="h5netcdf").sizes["iteration"] == 10


def test_threads_that_write_one_file_leave_a_whole_one(tmp_path):
    both, begun = [], threading.Barrier(2)

    def write(text: str) -> None:
        with replacing(tmp_path / "x") as temporary:
            temporary.write_text(text)
            begun.wait()
            both.append(temporary.read_text() == text)

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(write, ["one", "other"])) == [None] * 2
    assert both == [True] * 2
    assert os.listdir(tmp_path) == ["x"]


@pytest.mark.parametrize("name", ["a[b]", "*"])
def test_files_of_dead_processes_are_swept(tmp_path, result, name):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    dead = tmp_path / f".{name}.nc.{ended.pid}"
    others = [tmp_path / other for other in (f".{name}.nc.1", f".{name}.nc.old", f".y.nc.{ended.pid}", f"{name}.nc.7")]
    for path in (dead, *others):
        path.write_text("")
    result_file.save(result, tmp_path / f"{name}.nc")
    assert set(tmp_path.iterdir()) == {*others, tmp_path / f"{name}.nc"}


@pytest.mark.parametrize("out", ["file/below", "/dev/null", "/proc/nowhere", "x" * 5000])
def test_folders_that_cannot_be_made(refused, tmp_path, out):
    """They are refused before hours of computing."""
    (tmp_path / "file").write_text("")
    assert "--out = " in refused(*RUN[:-1], "2000000", "--run.record", "log", "--out", out)


AS_INSTALLED = """
import signal, sys
sys.argv = ["/usr/bin/otafl", "--version"]
from otafl.cli import main
if signal.getsignal(signal.SIGINT) != signal.SIG_DFL:
    sys.exit("Ctrl-C while the command is loaded ends in a traceback")
main()
"""


def test_full_disk_behind_standard_output(tmp_path):
    command = [sys.executable, "-P", "-c", AS_INSTALLED]
    with open("/dev/full", "w") as full:
        how: Any = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), "cwd": tmp_path, "text": True}
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, **how)
    assert (done.returncode, done.stderr) == (2, "otafl: [Errno 28] No space left on device\n")
