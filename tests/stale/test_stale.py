"""A stored run is what its name says: inputs of all kinds that change between calls, between processes and under way.

Whatever happens, what a study brings are the numbers of its inputs as they are when it begins, or a refusal.
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

from otafl.study.engines.in_process import InProcess
from otafl.study.engines.local import Local
from tests.registries import forgotten
from tests.stale.kinds import KINDS, WORKERS, outcome, put
from tests.stale.session import outcomes

REFUSED = "has changed since"
ENGINES = ["here", "local", "ray"]
MOMENTS = ["between calls", "running", "queued"]
DAILY = {("local", "queued", "method's helper")}
"""Cases of other engines than this process, which take seconds to start."""
COMPILED_DAILY = {kind for kind in KINDS if "data" in kind} | {
    "model of a package that imports it",
    "uplink's helper",
    "compressor",
}
"""Kinds for which a program is compiled every day, once."""
CHANGED_DAILY = {"data file", "data function's helper", "channel file", "method"}
"""Kinds that change while a study runs, or between processes, every day."""
ALIKE = {"fading's helper", "precoder's helper", "power control's helper"}
"""Kinds whose classes those of the same name without a helper show to count, and whose helpers a method's does."""
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
        pytest.importorskip("ray", reason="needs Ray, which the extra ray brings")
    from otafl.study.engines.ray import Ray

    kind: Any = {"here": InProcess, "local": Local, "ray": Ray}[engine]

    class Meddled(kind):
        def submit(self, task: Any) -> None:
            if getattr(task, "number", 0) == 1:
                queued()
            super().submit(task)

    return Meddled(1) if engine == "local" else Meddled()


def once(change: Callable[[], None]) -> Callable[[str, int, int], None]:
    """A listener to progress that changes something after the first iterations."""
    changed = []

    def progress(label: str, done: int, total: int) -> None:
        if done and not changed:
            changed.append(change())

    return progress


def cases() -> list[Any]:
    """All kinds at all moments on all engines; those that take long are slow, but for one of each."""
    found = []
    for engine, moment, kind in itertools.product(ENGINES, MOMENTS, KINDS):
        compiled = moment == "between calls" and kind in COMPILED_DAILY
        quick = engine == "here" and (compiled or (not KINDS[kind].compiles and _is_daily(moment, kind)))
        daily = quick or (engine, moment, kind) in DAILY
        found.append(pytest.param(engine, moment, kind, marks=() if daily else pytest.mark.slow))
    return found


def _is_daily(moment: str, kind: str) -> bool:
    return (moment == "between calls" and kind not in ALIKE) or kind in CHANGED_DAILY


@pytest.fixture(scope="module")
def cluster():
    """A cluster of Ray that outlives studies, as those do that are not a study's own."""
    ray = pytest.importorskip("ray", reason="needs Ray, which the extra ray brings")
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


@pytest.mark.parametrize(("engine", "moment", "kind"), cases())
def test_a_study_brings_what_its_inputs_are_or_is_refused(engine, moment, kind, folder, truth, request):
    if engine == "ray":
        request.getfixturevalue("cluster")
    name, sweep = f"mine{next(numbers)}", 2 if moment == "between calls" else list(WORKERS)
    workers = 2 if moment == "between calls" else WORKERS

    def run(label: str, **how: Any) -> Any:
        how = {"engine": engine_of(engine)} | how
        return outcome(kind, name, sweep, out=folder / label, store=folder / "store", overwrite=True, **how)

    def change() -> None:
        put(kind, name, 2, folder)

    assert not equal(truth(kind, 1, workers), truth(kind, 2, workers)), "else nothing is tested"
    put(kind, name, 1, folder)
    if moment == "running":
        first = run("first", progress=once(change))
    elif moment == "queued":
        first = run("first", engine=engine_of(engine, change))
    else:
        first = run("first")
        change()
    refused = isinstance(first, str) and REFUSED in first
    assert equal(first, truth(kind, 1, workers)) or (refused and moment != "between calls")
    second = run("second")
    refused = isinstance(second, str) and REFUSED in second
    assert equal(second, truth(kind, 2, workers)) or (refused and KINDS[kind].code)
    put(kind, name, 1, folder)
    daily = (engine, moment, kind) in DAILY  # this process reads the same store, and starts no other one
    third = run("third", engine=engine_of("here" if daily else engine))
    assert equal(third, truth(kind, 1, workers)) or (engine == "ray" and isinstance(third, str) and REFUSED in third)


SETS_ANEW = ["method", "fading", "uplink", "precoder", "compressor", "method's helper", "model", "model's helper"]


def _every_day(kinds: list[str], one: str) -> list[Any]:
    return [pytest.param(kind, marks=() if kind == one else pytest.mark.slow) for kind in kinds]


@pytest.mark.parametrize("kind", _every_day(SETS_ANEW, "method"))
@pytest.mark.parametrize("keeps", [True, False], ids=["stored", "not kept"])
def test_a_global_that_a_session_sets_anew_is_heeded(kind, keeps, folder, truth):
    """There and back, by what is compiled and by the store; the numbers are those of a file that says so."""
    name = f"mine{next(numbers)}"
    put(kind, name, 1, folder)
    found = []
    for version in (1.0, 2.0, 1.0):
        module = next((one for one in sys.modules.values() if _lies_in(one, folder / f"{name}.py")), None)
        if module:
            module.SCALE = version
        how = {"out": folder / "out", "store": folder / "store", "overwrite": True} if keeps else {}
        found.append(outcome(kind, name, engine=InProcess(), **how))
    assert [equal(one, truth(kind, version)) for one, version in zip(found, (1, 2, 1), strict=True)] == [True] * 3, (
        found
    )


def _lies_in(module: Any, file: Path) -> bool:
    return getattr(module, "__file__", None) == str(file)


@pytest.mark.slow
def test_a_worker_process_that_has_another_value_is_refused(folder):
    name = f"mine{next(numbers)}"
    put("method", name, 1, folder)
    outcome("method", name)
    next(one for one in sys.modules.values() if _lies_in(one, folder / f"{name}.py")).SCALE = 2.0
    found = outcome("method", name, out=folder / "out", store=folder / "store", engine=Local(1))
    assert f"global = '{name}.py: SCALE': was changed in this session" in found
    assert not list(folder.glob("store/**/*.nc"))


def processes(daily: bool) -> list[str]:
    """The kinds that are tried between processes, every day or not."""
    return [kind for kind in KINDS if daily == (kind in ("data file", "method"))]


def _session(folder: Path, version: int, store: Path, kinds: list[str]) -> dict[str, Any]:
    words = [sys.executable, "-m", "tests.stale.session", str(folder), str(version), str(store), *kinds]
    root = Path(__file__).parents[2]
    path = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(words, capture_output=True, text=True, cwd=root, env=os.environ | {"PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("daily", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_processes_take_from_the_store_what_their_inputs_are(daily, truth, folder, tmp_path_factory):
    """Three processes share a store, the second with other inputs than the first and the third; all kinds at once. The
    first is this one, as a process takes seconds to start."""
    store, kinds, versions = tmp_path_factory.mktemp("store"), processes(daily), (1, 2, 1)
    found = [outcomes(folder, 1, store, kinds), *(_session(folder, version, store, kinds) for version in versions[1:])]
    tried = itertools.product(zip(versions, found, strict=True), kinds)
    assert [(kind, version) for (version, one), kind in tried if not equal(one[kind], truth(kind, version))] == []
