"""The cache folder, and digests of files, which are read again wherever they may have changed, and only there."""

import hashlib
import os
from pathlib import Path

import pytest

from otafl.channels import file_digests
from otafl.channels.cache import folder


@pytest.fixture
def read(monkeypatch) -> list[str]:
    paths, whole = [], file_digests._read
    monkeypatch.setattr(file_digests, "_read", lambda path: paths.append(path) or whole(path))
    return paths


def test_a_digest_is_that_of_the_bytes(tmp_path):
    (tmp_path / "one").write_bytes(b"one")
    assert file_digests.digest(tmp_path / "one") == hashlib.sha256(b"one").hexdigest()
    assert file_digests.digest(tmp_path / "none") == file_digests.digest(tmp_path) == ""


def test_a_file_that_has_not_changed_for_long_is_read_once(tmp_path, read, monkeypatch):
    monkeypatch.setattr(file_digests, "UNSETTLED_S", -1.0)  # as if some seconds had passed
    (tmp_path / "one").write_bytes(b"one")
    assert len({file_digests.digest(tmp_path / "one") for _ in range(3)}) == 1
    assert len(read) == 1


@pytest.mark.parametrize("replaced", [False, True])
def test_a_change_within_the_clocks_granularity_is_seen(tmp_path, replaced):
    """One of the same size, with its time set back, written over or put in its place, many times in a millisecond."""
    path, digests = tmp_path / "one", set()
    for number in range(20):
        where = tmp_path / "other" if replaced else path
        where.write_bytes(b"%02d" % number)
        os.utime(where, (1, 1))
        where.replace(path)
        digests.add(file_digests.digest(path))
    assert len(digests) == 20


@pytest.mark.parametrize("name", ["programs", "channels"])
def test_the_variable_names_the_folder_or_none(name, tmp_path, monkeypatch):
    monkeypatch.setenv("OTAFL_CACHE_DIR", str(tmp_path))
    assert folder(name) == tmp_path / name
    monkeypatch.setenv("OTAFL_CACHE_DIR", "relative")
    assert folder(name) == Path.cwd() / "relative" / name
    monkeypatch.setenv("OTAFL_CACHE_DIR", "")
    assert folder(name) is None
    monkeypatch.delenv("OTAFL_CACHE_DIR")
    assert str(folder(name)).endswith(f"otafl/{name}")
