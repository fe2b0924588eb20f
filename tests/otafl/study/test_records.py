"""Recorded iterations, told once each and in order: while this process computes, else when a run has ended."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest

import otafl
from otafl.errors import OtaflError
from otafl.study import engines
from tests.otafl.small import SMALL

KEYS = SMALL | {"method": ["A-FADMM", "A-GD"], "federation.workers": 4, "run.iterations": 20, "run.seeds": 2}
NETWORK = {"method": "FedAvg", "federation.workers": 4, "federation.participation": 0.5, "run.iterations": 4}


def telling(calls: list) -> Callable[..., None]:
    """Callback ``on_record`` that keeps its calls, by method, SNR, seed and iteration."""
    return lambda point, seed, iteration, values: calls.append(
        ((point["method"], point.get("channel.snr_db"), seed), iteration, values)
    )


def agrees(told: list, data) -> None:
    """Every value of the result that is not NaN was told, once, and iterations of a run in their order."""
    values = {(*run, at): values for run, at, values in told}
    assert len(values) == len(told) == int(data["time_slots"].notnull().sum())
    for _, group in itertools.groupby(sorted(told, key=lambda call: str(call[0])), key=lambda call: call[0]):
        iterations = [at for _, at, _ in group]
        assert iterations == sorted(iterations)
    for (method, _, seed, at), found in values.items():
        there = data.sel(scheme=method) if "scheme" in data.dims else data
        there = there.sel(seed=seed, iteration=at)
        expected = {name: one.item() for name, one in there.data_vars.items() if name != "outcome"}
        assert found == {name: value for name, value in expected.items() if not np.isnan(value)}


def test_it_is_told_while_the_run_is_computed():
    """A round of few participants is a chunk, so that each is told before the next is done."""
    done, told = [], []
    keys = NETWORK | {"run.seeds": 1, "run.evaluate_every": 2}
    otafl.run(
        "digits_quickstart",
        keys,
        store=False,
        progress=lambda label, count, total: done.append(len(told)),
        on_record=lambda point, seed, iteration, values: told.append((iteration, "test_accuracy" in values)),
    )
    assert told == [(1, False), (2, True), (3, False), (4, True)]
    assert set(done) >= {0, 1, 2, 3}


def test_all_that_is_recorded_is_told_and_nothing_after_a_run_s_end():
    told = []
    agrees(told, otafl.run("quickstart", KEYS, store=False, on_record=telling(told)))
    told = []
    data = otafl.run("quickstart", KEYS | {"run.max_channel_uses": 30.0}, store=False, on_record=telling(told))
    assert 0 < len(told) < data["loss"].size
    agrees(told, data)


@pytest.mark.slow
def test_runs_of_worker_processes_are_told_as_they_end_and_those_that_are_there_first(tmp_path):
    keys = KEYS | {"method": "A-FADMM", "channel.snr_db": 20.0}
    for seeds in (1, 2):
        told = []
        asked = keys | {"run.seeds": seeds}
        engine = engines.engine(processes=1)
        data = otafl.run("quickstart", asked, out=tmp_path, store=False, engine=engine, on_record=telling(told))
        agrees(told, data)
        assert [run[2] for run, at, _ in told if at == 1] == list(range(seeds))


def test_an_exception_ends_the_study_and_what_is_no_function_is_refused():
    def fail(point, seed, iteration, values):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        otafl.run("quickstart", KEYS, store=False, on_record=fail)
    with pytest.raises(OtaflError, match="on_record = 'print': must be a function"):
        otafl.run("quickstart", KEYS, on_record="print")  # pyright: ignore[reportArgumentType]
