"""A stored run is what its name says: inputs of all kinds that change between calls, between processes and under way.

Whatever happens, what a study brings are the numbers of its inputs as they are when it begins, or a refusal, or, where
this process computes, the numbers of the code that it has imported, with a remark and without a trace in the store.
"""

import contextlib
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from otafl.errors import Remark
from otafl.study.engines.in_process import InProcess
from otafl.study.engines.local import Local
from tests.stale.kinds import KINDS, WORKERS, outcome, put

pytestmark = pytest.mark.usefixtures("registries")
REFUSED, REMARKED = "has changed since", "and not stored"
ENGINES = {"here": InProcess, "local": Local}
MOMENTS = ["between calls", "running", "queued"]
DAILY = {("here", "between calls", "data file"), ("here", "between calls", "data function")}
DAILY |= {("here", "running", "method"), ("here", "queued", "data file")}
"""Cases of every day; others are slow, as they start processes or compile programs."""
numbers = itertools.count()


@pytest.fixture(scope="module")
def truth(tmp_path_factory) -> Callable[..., Any]:
    folder, known = tmp_path_factory.mktemp("truth"), {}

    def of(kind: str, version: int, workers: Any = 2) -> list[float]:
        if (kind, version, workers) not in known:
            name = f"truth{next(numbers)}"
            with contextlib.chdir(folder):
                put(kind, name, version, folder)
                known[kind, version, workers] = outcome(kind, name, list(workers) if workers == WORKERS else workers)
        return known[kind, version, workers]

    return of


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def equal(found: Any, wanted: Any) -> bool:
    return not isinstance(found, str) and np.allclose(found, wanted, rtol=1e-5)


def engine_of(engine: str, queued: Callable[[], None] = lambda: None) -> Any:
    kind: Any = ENGINES[engine]

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


CASES = [
    pytest.param(*case, marks=() if case in DAILY else pytest.mark.slow)
    for case in itertools.product(ENGINES, MOMENTS, KINDS)
]


@pytest.mark.parametrize(("engine", "moment", "kind"), CASES)
def test_a_study_brings_what_its_inputs_are_or_is_refused(engine, moment, kind, folder, truth, recwarn):
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
    name = f"mine{next(numbers)}"
    file = str(folder / f"{name}.py")
    put("method", name, 1, folder)
    for version in (1, 2, 1):
        modules = [module for module in sys.modules.values() if getattr(module, "__file__", "") == file]
        for module in modules:
            module.SCALE = float(version)
        assert equal(outcome("method", name, engine=InProcess()), truth("method", version))
