"""What tests of fading models share."""

import pytest


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    """Keeps found paths in a folder of the test."""
    monkeypatch.setenv("OTAFL_CACHE_DIR", str(tmp_path))
