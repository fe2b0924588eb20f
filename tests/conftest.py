"""What all tests share."""

import ctypes
import os
from collections.abc import Callable, Iterator

# Before NumPy is imported: threads of several test processes wait for each other, far longer than they work.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import pytest
from hypothesis import HealthCheck, settings

from tests.command import Answer, command

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


@pytest.fixture(autouse=True)
def store_of_its_own(tmp_path_factory, monkeypatch):
    """No test finds what another one, or a user, has computed."""
    monkeypatch.setenv("OTAFL_STORE_DIR", str(tmp_path_factory.mktemp("store")))


@pytest.fixture(autouse=True)
def computes_itself(monkeypatch):
    """Commands start no processes, unless a test is about them: libraries take seconds to load."""
    monkeypatch.setenv("OTAFL_PROCESSES", "0")


@pytest.fixture
def call(tmp_path, monkeypatch, capfd) -> Callable[..., Answer]:
    """``otafl`` in this process: a function of its words, run in an empty folder."""
    return command(tmp_path, monkeypatch, capfd)


@pytest.fixture
def registries(request) -> Iterator[None]:
    """Leave registries as they were, and forget the modules that a file of tests names in ``FORGOTTEN``."""
    from tests.registries import forgotten

    with forgotten(*getattr(request.module, "FORGOTTEN", ())):
        yield


@pytest.fixture(autouse=True, scope="module")
def _memory_returns() -> Iterator[None]:
    """Give what a module's tests have left behind back to the system, as one process runs hundreds of modules."""
    yield
    getattr(ctypes.CDLL(None), "malloc_trim", lambda pad: None)(0)  # which glibc has
