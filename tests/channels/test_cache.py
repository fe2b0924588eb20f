"""The cache folder, and that an empty variable means none."""

from pathlib import Path

import pytest

from otafl.channels.cache import folder


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
