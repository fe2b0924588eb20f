"""A store of runs: what it takes for one, what longer runs tell of shorter ones, and who is at work."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from otafl.engine.outcome import judged
from otafl.errors import Remark
from otafl.settings.run import Run
from otafl.store import array_file
from otafl.store.result import Result, merged
from otafl.store.store import Store

NAME = "0123456789abcdef0123456789abcdef"


def result(iterations, losses, outcome="completed", slots=None) -> Result:
    values = {"loss": losses, "time_slots": slots or iterations, "test_accuracy": np.divide(losses, 8)}
    return Result(np.array(iterations), {k: np.array(v, float) for k, v in values.items()}, outcome, {"by": "hand"})


def test_a_result_is_kept(tmp_path):
    store = Store(tmp_path)
    assert store.result(NAME) is None
    store.save(NAME, result([1, 2, 3], [3, 2, 1]))
    found = store.result(NAME)
    np.testing.assert_array_equal(found.values["loss"], [3, 2, 1])
    assert (found.outcome, found.info) == ("completed", {"by": "hand"})


@pytest.mark.parametrize("every", [4, 3])
def test_a_longer_run_without_the_last_reading_of_a_shorter_one_does_not_tell_of_it(every):
    """Nor does one that ended before its first reading; a regression has none to lose."""
    nan = np.nan
    read = result([1, 2, 3, 4, 5], [5, 4, 3, 2, 1])
    read.values["test_accuracy"][:] = [nan] * (every - 1) + [0.5] + [nan] * (4 - every) + [0.75]
    ended = result([1, 2, 3], [3, 2, nan], slots=[1, 2, nan])._replace(info={"family": "classification"})
    ended.values["test_accuracy"][:] = nan
    regression = read._replace(values=read.values | {"test_accuracy": np.full(5, nan)})
    assert [read.of(Run(iterations=n, evaluate_every=every)) is None for n in (2, every, 5)] == [True, False, False]
    assert ended.of(Run(iterations=2, evaluate_every=every)) is None
    assert ended.of(Run(iterations=9, evaluate_every=every))
    assert regression.of(Run(iterations=2, evaluate_every=every))


@given(st.integers(0, 2**32))
def test_a_store_tells_of_a_run_what_it_is_alone_or_nothing(seed):
    """Whatever longer and shorter ones it holds, which ended at a target or a budget, diverged, or were completed."""
    rng, numbers = np.random.default_rng(seed), np.arange(1, 131)
    loss, accuracy, slots = rng.integers(1, 4, 130) * 1.0, rng.integers(1, 4, 130) / 4, numbers * 1.0
    for curve, most in ((loss, 3), (accuracy, 0.25)):
        curve[rng.integers(5, 130) :] = most
    loss[rng.integers(1, 400) :: 7], slots[rng.integers(1, 400) :] = np.inf, np.nan
    target = rng.choice([{}, {"loss": 2.0}, {"loss": 3.0}, {"test_accuracy": 0.25}])
    keys = {"record": rng.choice(["all", "log"]), "evaluate_every": int(rng.integers(1, 20)), "stop_at": target}

    def alone(run: Run) -> Result:
        at, there = run.recorded - 1, ~np.isnan(slots)
        read = np.where(there & np.isin(numbers, run.evaluated), accuracy, np.nan)
        values = {"loss": np.where(there, loss, np.nan)[at], "time_slots": slots[at], "test_accuracy": read[at]}
        return Result(run.recorded, *judged(values, run.recorded, run.stop_at), {"family": "classification"})

    store, before = None, set[int]()
    for iterations in rng.integers(90, 131, 5).tolist():
        run = Run(iterations=iterations, **keys)
        told, right = store.of(run) if store else None, alone(run)
        assert told is None or told.outcome == right.outcome
        np.testing.assert_equal((told or right).values, right.values)
        assert told or iterations not in before
        store = merged(store, right) if store else right
        before.add(iterations)


def test_results_of_one_run_go_together():
    both = merged(result([1, 2, 4], [4, 3, 1]), result([1, 2, 3], [4, 3, 2]))
    np.testing.assert_array_equal(both.iterations, [1, 2, 3, 4])
    np.testing.assert_array_equal(both.values["loss"], [4, 3, 2, 1])


def test_a_damaged_result_is_said_and_forgotten_where_the_store_is_not_only_read(tmp_path):
    store = Store(tmp_path)
    store.save(NAME, result([1], [1]))
    path = store.path(NAME)
    path.write_bytes(path.read_bytes()[:-1])
    for only_read in (True, False):
        with pytest.warns(Remark, match="damaged.*does not count"):
            assert Store(tmp_path, only_read=only_read).result(NAME) is None
        assert path.exists() == only_read
    assert not Store(tmp_path, only_read=True).in_use(NAME)


def test_a_run_is_held_by_one_process(tmp_path):
    code = f"""
import sys, time
from pathlib import Path
from otafl.store.store import Store
with Store(Path({str(tmp_path)!r})).held([{NAME!r}]) as names:
    print(len(names), flush=True)
    time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"1\n"
        store, free = Store(tmp_path), "f" * 32
        with store.held([NAME, free]) as names:
            assert names == {free}
        other.kill()
        other.wait()
    with store.held([NAME, free]) as names:
        assert names == {NAME, free}


def test_stores_share_files(tmp_path):
    one, other = Store(tmp_path / "one"), Store(tmp_path / "other")
    one.save(NAME, result([1], [1]))
    for _ in range(2):
        other.take(NAME, one)
    assert other.path(NAME).samefile(one.path(NAME))
    assert len(list(other.path(NAME).parent.iterdir())) == 1


def test_a_longer_result_completes_a_shorter_one(tmp_path):
    one, other = Store(tmp_path / "one"), Store(tmp_path / "other")
    one.save(NAME, result([1, 2], [5, 4]))
    other.save(NAME, result([1, 2, 3], [5, 4, 3]))
    one.complete(NAME, other, Run(iterations=2))
    assert one.result_of(NAME, Run(iterations=3)) is None
    one.complete(NAME, other, Run(iterations=3))
    assert one.result_of(NAME, Run(iterations=3))


def test_what_dead_processes_have_left_is_pruned(tmp_path):
    store, gone = Store(tmp_path), subprocess.Popen(["true"])
    gone.wait()
    store.save(NAME, result([1], [1]))
    left = store.path(NAME).with_name(f".{NAME}.state.{gone.pid}")
    mine = store.path(NAME).with_name(f".{NAME}.run.{os.getpid()}")
    other = tmp_path / "photos" / "cat.jpeg"
    other.parent.mkdir()
    for path in (left, mine, other):
        path.write_bytes(b"1234")
    assert store.pruned(days=1.0) == (1, 4)
    assert [path.exists() for path in (left, mine, other, store.path(NAME))] == [False, True, True, True]
    assert {path.name for path in tmp_path.iterdir()} == {NAME[:2], "photos"}


def test_old_runs_are_pruned(tmp_path):
    store = Store(tmp_path)
    names = [letter * 32 for letter in "abc"]
    for name in names:
        store.save(name, result([1], [1]))
    for name in names[:2]:
        os.utime(store.path(name), (0, 0))
    with Store(tmp_path).held([names[0]]):
        assert store.pruned(days=1.0)[0] == 1
    assert [store.path(name).exists() for name in names] == [True, False, True]
    assert store.size[0] == 2


DTYPES = st.sampled_from([np.float64, np.float32, np.uint64, np.int32, np.bool_])
SHAPES = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
ARRAYS = DTYPES.flatmap(lambda dtype: arrays.arrays(dtype, SHAPES))


@given(st.dictionaries(st.text(max_size=5), ARRAYS, max_size=4))
@settings(max_examples=50)
def test_what_is_written_is_read(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("files") / "a" / "b.run"
    array_file.write(path, content, {"words": ["a", 1]})
    read, info = array_file.read(path, lambda *content: content)
    assert info == {"words": ["a", 1]}
    assert list(read) == list(content)
    for name, array in content.items():
        assert read[name].dtype == array.dtype
        np.testing.assert_array_equal(read[name], array)
    assert [file.name for file in path.parent.iterdir()] == ["b.run"]


def test_every_flipped_bit_and_every_cut_is_noticed(tmp_path):
    path = tmp_path / "a.run"
    array_file.write(path, {"x": np.arange(5.0), "y": np.zeros((2, 0))}, {"outcome": "completed"})
    whole = path.read_bytes()
    for at in range(len(whole)):
        for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :]):
            path.write_bytes(damaged)
            with pytest.raises(array_file.Damaged):
                array_file.read(path, lambda *content: content)


def test_a_pipe_in_the_place_of_a_file_is_damaged(tmp_path):
    os.mkfifo(tmp_path / "a.run")
    with pytest.raises(array_file.Damaged, match="not a file"):
        array_file.info(tmp_path / "a.run")
