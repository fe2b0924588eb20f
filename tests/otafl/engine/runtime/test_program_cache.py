"""Compiled programs are kept between processes, and what is damaged or cannot be written costs time alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os, tensorflow as tf
from otafl.engine.runtime import program_cache
cache = program_cache.cache()
compiled = tf.function(lambda x: tf.reduce_sum(tf.sin(x) @ x), jit_compile=True, autograph=False)
result = compiled(tf.random.stateless_uniform([9, 9], (1, 2))).numpy().tobytes().hex()
if cache:
    cache.keep()
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
    (entry,) = entries(tmp_path)
    entry.write_bytes(os.urandom(entry.stat().st_size))
    assert finish(start(tmp_path)) == (uncached, 1, 0)
    assert finish(start(tmp_path)) == (uncached, 1, 1)
    assert not list(tmp_path.glob("programs/*/process-*"))


@pytest.mark.slow
def test_processes_keep_programs_at_the_same_time(tmp_path: Path, uncached: str):
    for process in [start(tmp_path), start(tmp_path)]:
        assert finish(process)[0] == uncached
    assert finish(start(tmp_path)) == (uncached, 1, 1)
