"""A stored run is what its name says: inputs of all kinds that change between calls, between processes and under way.

Whatever happens, what a study brings are the numbers of its inputs as they are when it begins, or a refusal, or, where
this process computes, the numbers of the code that it has imported, with a remark and without a trace in the store.
"""

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from otafl.errors import Remark
from otafl.study.engines.in_process import InProcess
from otafl.study.engines.local import Local
from tests.registries import forgotten
from tests.stale.kinds import KINDS, WORKERS, outcome, put
from tests.stale.session import outcomes

REFUSED, REMARKED = "has changed since", "and not stored"
ENGINES = ["here", "local", "ray"]
MOMENTS = ["between calls", "running", "queued"]
DAILY = {
    *(("here", "between calls", kind) for kind in ("data file", "data function", "method's helper", "fading")),
    ("here", "running", "method"),
    ("here", "queued", "data file"),
}
"""Cases of every day; others are slow, as they start processes or compile programs."""
numbers = itertools.count()


@pytest.fixture(scope="module", autouse=True)
def _forgotten():
    with forgotten():
        yield


@pytest.fixture(scope="module")
def truth(tmp_path_factory) -> Callable[..., Any]:
    """Numbers of runs of a kind in a version, computed once from files that nothing else has."""
    folder, known = tmp_path_factory.mktemp("truth"), {}

    def of(kind: str, version: int, workers: Any = 2) -> list[float]:
        if (kind, version, workers) not in known:
            before, name = os.getcwd(), f"truth{next(numbers)}"
            os.chdir(folder)
            try:
                put(kind, name, version, folder)
                known[kind, version, workers] = outcome(kind, name, list(workers) if workers == WORKERS else workers)
            finally:
                os.chdir(before)
        return known[kind, version, workers]

    return of


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The working folder, which is left as it was, like OTAFL_DATA_DIR."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OTAFL_DATA_DIR", os.environ.get("OTAFL_DATA_DIR", ""))
    return tmp_path


def equal(found: Any, wanted: Any) -> bool:
    """Compare an outcome with the one that is wanted, to rounding."""
    return not isinstance(found, str) and np.allclose(found, wanted, rtol=1e-5)


def engine_of(engine: str, queued: Callable[[], None] = lambda: None) -> Any:
    """An engine that does something before it is given its second task."""
    if engine == "ray":
        from otafl.study.engines.ray import Ray
    kind: Any = {"here": InProcess, "local": Local, "ray": engine == "ray" and Ray}[engine]

    class Meddled(kind):
        def submit(self, task: Any) -> None:
            if getattr(task, "number", 0) == 1:
                queued()
            super().submit(task)

    return Meddled(1) if engine == "local" else Meddled()


def once(change: Callable[[], None]) -> Callable[[str, int, int], None]:
    """A listener to progress that changes something after the first iterations."""
    changed = []
    return lambda label, done, total: changed.append(change()) if done and not changed else None


@pytest.fixture(scope="module")
def cluster():
    """A cluster of Ray that outlives studies, as those do that are not a study's own."""
    ray = pytest.importorskip("ray", reason="needs Ray, which the extra ray brings")
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


CASES = [
    pytest.param(*case, marks=() if case in DAILY else pytest.mark.slow)
    for case in itertools.product(ENGINES, MOMENTS, KINDS)
]


@pytest.mark.parametrize(("engine", "moment", "kind"), CASES)
def test_a_study_brings_what_its_inputs_are_or_is_refused(engine, moment, kind, folder, truth, request, recwarn):
    if engine == "ray":
        request.getfixturevalue("cluster")
    name, workers = f"mine{next(numbers)}", 2 if moment == "between calls" else WORKERS

    def run(label: str, **how: Any) -> Any:
        how = {"out": folder / label, "store": folder / "store", "overwrite": True, "engine": engine_of(engine)} | how
        recwarn.clear()
        return outcome(kind, name, list(workers) if workers == WORKERS else workers, **how)

    def allowed(found: Any, version: int, imported: int = 1) -> bool:
        if isinstance(found, str):
            return REFUSED in found and (KINDS[kind].code or moment != "between calls")
        told = KINDS[kind].code and any(REMARKED in str(one.message) for one in recwarn if one.category is Remark)
        return equal(found, truth(kind, imported if told else version, workers))

    def change() -> None:
        put(kind, name, 2, folder)

    assert not equal(truth(kind, 1, workers), truth(kind, 2, workers)), "else nothing is tested"
    put(kind, name, 1, folder)
    if moment == "running":
        first = run("first", progress=once(change))
    else:
        first = run("first", engine=engine_of(engine, change if moment == "queued" else lambda: None))
    assert equal(first, truth(kind, 1, workers)) or (moment != "between calls" and allowed(first, 1))
    change()
    assert allowed(run("second"), 2)
    put(kind, name, 1, folder)
    assert allowed(run("third"), 1)


def test_a_global_that_a_session_sets_anew_is_heeded_where_nothing_is_stored(folder, truth):
    """No compiled program serves two studies with code of the user's."""
    name = f"mine{next(numbers)}"
    file = str(folder / f"{name}.py")
    put("method", name, 1, folder)
    for version in (1, 2, 1):
        modules = [module for module in sys.modules.values() if getattr(module, "__file__", "") == file]
        for module in modules:
            module.SCALE = float(version)
        assert equal(outcome("method", name, engine=InProcess()), truth("method", version))


def _session(folder: Path, version: int, store: Path, kinds: list[str]) -> dict[str, Any]:
    words = [sys.executable, "-m", "tests.stale.session", str(folder), str(version), str(store), *kinds]
    root = Path(__file__).parents[2]
    path = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(words, capture_output=True, text=True, cwd=root, env=os.environ | {"PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("kinds", [["data file", "method"], pytest.param([*KINDS], marks=pytest.mark.slow)], ids=len)
@pytest.mark.filterwarnings("ignore::otafl.errors.Remark")
@pytest.mark.slow
def test_processes_take_from_the_store_what_their_inputs_are(kinds, truth, folder, tmp_path_factory):
    """They share a store: this one, which computes version 1, and with files of version 2 what it has imported; and
    another one."""
    store = tmp_path_factory.mktemp("store")
    computed = {1: outcomes(folder, 1, store, kinds)}
    outcomes(folder, 2, store, kinds)
    computed[2] = _session(folder, 2, store, kinds)
    tried = itertools.product(computed, kinds)
    assert [case for case in tried if not equal(computed[case[0]][case[1]], truth(case[1], case[0]))] == []
