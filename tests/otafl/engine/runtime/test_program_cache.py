"""Compiled programs are kept between processes, and what is damaged or cannot be written costs time alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from otafl.engine.runtime import program_cache

SCRIPT = """
import os, tensorflow as tf
from otafl.engine.runtime import program_cache
program_cache.prepare()
compiled = tf.function(lambda x: tf.reduce_sum(tf.sin(x) @ x), jit_compile=True, autograph=False)
result = compiled(tf.random.stateless_uniform([9, 9], (1, 2))).numpy().tobytes().hex()
program_cache.keep()
cache = program_cache._cache()
found = [os.stat(made).st_nlink > 1 for made in cache.own.glob("*.pb")] if cache else []
known = [made in cache.offered for made in cache.known] if cache else []
print(result, len(known), sum(known), all(found), os.environ.get("TF_XLA_FLAGS"))
"""


def start(folder: Path | str) -> subprocess.Popen:
    environment = os.environ | {"OTAFL_CACHE_DIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("TF_XLA_FLAGS", None)
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(process: subprocess.Popen) -> tuple[str, int, int]:
    """The bits of the result, how many programs there are, and how many of them were kept by an earlier process."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert "text_format" not in err
    result, known, offered, linked, flags = out.split()
    assert linked == "True"
    assert flags == "None"
    return result, int(known), int(offered)


@pytest.fixture(scope="module")
def uncached() -> str:
    result, known, _ = finish(start(""))
    assert known == 0
    return result


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("programs/*/*.pb.*"))


@pytest.mark.slow
def test_programs_are_kept_used_and_replaced_where_damaged(tmp_path: Path, uncached: str):
    assert finish(start(tmp_path)) == (uncached, 1, 0)
    assert finish(start(tmp_path)) == (uncached, 1, 1)
    (entry,) = entries(tmp_path)
    content = entry.read_bytes()
    entry.write_bytes(content[: len(content) // 2])
    assert finish(start(tmp_path)) == (uncached, 1, 0)
    assert len(entries(tmp_path)) == 1
    assert not list(tmp_path.glob("programs/*/process-*"))


@pytest.mark.slow
def test_entries_of_other_bytes_are_replaced(tmp_path: Path, uncached: str):
    finish(start(tmp_path))
    (entry,) = entries(tmp_path)
    entry.write_bytes(os.urandom(entry.stat().st_size))
    assert finish(start(tmp_path)) == (uncached, 1, 0)
    assert finish(start(tmp_path)) == (uncached, 1, 1)


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_is_not_used(tmp_path: Path, uncached: str):
    (tmp_path / "file").touch()
    assert finish(start(tmp_path / "file" / "folder")) == (uncached, 0, 0)


@pytest.mark.slow
def test_processes_keep_programs_at_the_same_time(tmp_path: Path, uncached: str):
    for process in [start(tmp_path), start(tmp_path)]:
        assert finish(process)[0] == uncached
    assert finish(start(tmp_path)) == (uncached, 1, 1)


@pytest.fixture
def cache(tmp_path) -> program_cache.Cache:
    """A cache with a folder of the process's own, of which TensorFlow does not know."""
    made = program_cache.Cache.__new__(program_cache.Cache)
    made.entries, made.own, made.known = tmp_path / "entries", tmp_path / "entries" / "process-x", set()
    made.own.mkdir(parents=True)
    return made


def test_folder_moves_once_its_disk_is_full(cache, tmp_path, monkeypatch):
    """Files written under its name lie elsewhere then; nothing moves while there is room."""
    other = tmp_path / "other"
    other.mkdir()
    assert not cache.move()
    full = cache.entries.resolve()
    room = program_cache._has_room
    monkeypatch.setattr(program_cache, "_has_room", lambda path: full not in path.resolve().parents and room(path))
    monkeypatch.setattr(program_cache, "ELSEWHERE", (tmp_path / "nowhere", full, other))
    assert cache.move()
    (cache.own / "made.pb").write_bytes(b"program")
    assert [path.name for path in other.glob("*/*.pb")] == ["made.pb"]
    cache.keep()
    assert not cache.move()


def test_folder_stays_where_there_is_no_room_anywhere(cache, monkeypatch):
    monkeypatch.setattr(program_cache, "_has_room", lambda path: False)
    assert not cache.move()
    assert cache.own.is_dir()


def test_no_folder_is_used_that_has_no_room(tmp_path, monkeypatch):
    monkeypatch.setattr(program_cache, "_has_room", lambda path: False)
    with pytest.raises(OSError, match="nothing can be written"):
        program_cache.Cache(tmp_path)
    assert not list(tmp_path.iterdir())


FULL = """
import sys
from otafl.engine.runtime import program_cache
program_cache.FREE_BYTES = 0
program_cache.prepare()
own = program_cache._cache().own
try:
    with open(own.parent / "filler", "wb", buffering=0) as filler:
        while sys.argv[1] == "full":
            filler.write(bytes(4096))
except OSError:
    pass
import otafl
keys = {"method": "D-GD", "problem.dataset": "synthetic", "problem.dimension": 4, "problem.samples": 60}
data = otafl.run("quickstart", keys | {"run.seeds": 1, "run.iterations": 3, "federation.workers": 4})
print(own.is_symlink(), data["loss"].values.tobytes().hex())
"""


def filled(folder: Path, how: str) -> list[str]:
    """Run a study on a full disk; tell whether its programs were moved, and its losses."""
    environment = os.environ | {"OTAFL_CACHE_DIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("TF_XLA_FLAGS", None)
    done = subprocess.run([sys.executable, "-c", FULL, how], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.slow
def test_disk_that_fills_up_meanwhile_costs_no_result(tmp_path):
    disk, roomy = tmp_path / "disk", tmp_path / "roomy"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small disk is not permitted here")
    try:
        moved, losses = filled(disk, "full")
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    assert moved == "True"
    assert filled(roomy, "roomy") == ["False", losses]


def test_a_study_finds_all_programs_of_an_earlier_process(tmp_path):
    folder = tmp_path / "programs"
    environment = os.environ | {"OTAFL_CACHE_DIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("TF_XLA_FLAGS", None)
    kept = []
    for number in range(2):
        words = f"-m otafl.cli run quickstart --processes 0 --store {tmp_path / str(number)} --out {tmp_path / 'out'}"
        words += " --method A-FADMM --run.seeds 1 --run.iterations 3"
        subprocess.run([sys.executable, *words.split()], env=environment, check=True, capture_output=True, cwd=tmp_path)
        kept.append(sorted(entry.name for entry in folder.rglob("*.pb.*")))
    assert kept[0]
    assert kept[0] == kept[1]
