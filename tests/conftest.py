"""What all tests share."""

import pytest


@pytest.fixture(autouse=True)
def store_of_its_own(tmp_path_factory, monkeypatch):
    """No test finds what another one, or a user, has computed."""
    monkeypatch.setenv("OTAFL_STORE_DIR", str(tmp_path_factory.mktemp("store")))
