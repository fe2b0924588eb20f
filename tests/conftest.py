"""What all tests share."""

import ctypes
import errno
import os
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# Before NumPy is imported: threads of several test processes wait for each other, far longer than they work.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
# Programs here run for moments, and compiling them well would take half of the time.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")

import pytest
from hypothesis import HealthCheck, settings

from tests.command import Answer, command

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

# Tests see no network and no data files, nor downloaded ones; processes of pytest-xdist inherit the second variable.
DATA = os.environ.setdefault("OTAFL_TESTS_DATA", os.environ.pop("OTAFL_DATA_DIR", ""))
DOWNLOADED = tempfile.TemporaryDirectory()
os.environ |= dict.fromkeys(("KERAS_HOME", "SCIKIT_LEARN_DATA"), DOWNLOADED.name)


def _refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse connections to other machines; Ray connects to this one by an address that is no loopback."""
    if event == "socket.connect" and arguments[0].family in (socket.AF_INET, socket.AF_INET6):
        host = arguments[1][0]
        try:
            with socket.socket(arguments[0].family, socket.SOCK_DGRAM) as probe:
                probe.bind((host, 0))  # only own addresses can be bound
        except OSError:
            raise OSError(errno.ENETUNREACH, f"tests have no network, and {host} is another machine") from None


sys.addaudithook(_refuse_network)


@pytest.fixture(autouse=True)
def data_files(request, monkeypatch):
    """A test sees the folder of data if it is marked with data sets, and is skipped where they are not in it."""
    for mark in request.node.iter_markers("needs_data"):
        for name in mark.args:
            if not DATA or not [*Path(DATA).glob(f"{name}*")]:
                pytest.skip(f"needs {name} in the folder OTAFL_DATA_DIR")
        monkeypatch.setenv("OTAFL_DATA_DIR", DATA)


@pytest.fixture(autouse=True)
def store_of_its_own(tmp_path_factory, monkeypatch):
    """No test finds what another one, or a user, has computed."""
    monkeypatch.setenv("OTAFL_STORE_DIR", str(tmp_path_factory.mktemp("store")))


@pytest.fixture(autouse=True)
def computes_itself(monkeypatch):
    """Commands start no processes, unless a test is about them: libraries take seconds to load."""
    monkeypatch.setenv("OTAFL_PROCESSES", "0")


def pytest_collection_modifyitems(items):
    """Mark as slow the cases of a test beyond the first ones, whose number its mark daily(count) has."""
    cases = Counter()
    for item in items:
        for mark in item.iter_markers("daily"):
            cases[item.originalname, item.path] += 1
            if cases[item.originalname, item.path] > mark.args[0]:
                item.add_marker(pytest.mark.slow)


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
