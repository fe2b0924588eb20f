"""Calls from parallel threads compute what calls one after the other compute, and a fork that would hang is refused."""

import contextlib
import multiprocessing
import os
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from threadpoolctl import threadpool_info, threadpool_limits

import otafl
from otafl.channels.fading.layout import Layout
from otafl.channels.fading.paths import Traced
from otafl.errors import OtaflError
from otafl.settings import user_keys
from otafl.settings.keys import Settings
from otafl.study import engines
from otafl.system import process
from otafl.system.machine import in_one_thread
from otafl.training.networks import named_network
from otafl.user_code import plugins
from tests.otafl.small import SMALL

THREADS, PAUSE_S = 4, 0.05
"""Threads side by side, and seconds that they leave each other to come in between."""
RUN = {"federation.workers": 4, "run.iterations": 2, "run.seeds": 1}
LEARNING = {"problem.kind": "classification", "problem.dataset": "digits", "problem.model": "mlp_small"}
LEARNING |= {"method": "FedAvg", "local.steps": 2} | RUN
REGRESSION = SMALL | RUN | {"method": "A-GD"}


def _together(function, values):
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(function, values))


@pytest.mark.daily(1)
@pytest.mark.parametrize("keys", [REGRESSION, LEARNING], ids=["regression", "network"])
def test_parallel_threads_that_share_an_engine_compute_what_calls_in_turn_do(tmp_path, keys):
    here, seeds = engines.engine(processes=0), range(THREADS)

    def loss(seed, out=tmp_path, engine=here):
        folder = out and out / str(seed)
        return otafl.run("quickstart", keys | {"run.seed": seed}, folder, store=False, engine=engine)["loss"].values

    np.testing.assert_array_equal(_together(loss, seeds), [loss(seed, None, None) for seed in seeds])


@pytest.mark.slow
def test_functions_that_run_eagerly_are_compiled_and_graphs_that_are_being_built_refused():
    keys = LEARNING | {"local.steps": 3}  # of which no program is there yet
    tf.config.run_functions_eagerly(True)
    try:
        found = otafl.run("quickstart", keys)["loss"].values
        assert tf.config.functions_run_eagerly()
    finally:
        tf.config.run_functions_eagerly(False)
    np.testing.assert_array_equal(found, otafl.run("quickstart", keys)["loss"].values)
    with tf.Graph().as_default(), pytest.raises(OtaflError, match=r"tf\.executing_eagerly\(\) = False: must be True"):
        otafl.run("quickstart", REGRESSION)


def padded(model, x, y):
    """A loss with an operation that has no vectorised form."""
    return tf.square(tf.pad(tf.linalg.matvec(x, model) - y, [[1, 0]], "SYMMETRIC")[1:])


@pytest.mark.slow
def test_tensorflow_warns_of_no_program_here_and_afterwards_as_before(registries, caplog):
    """Neither of operations without a vectorised form, nor of programs that are traced again and again."""

    samples = tf.ones([2, 4]), tf.ones([2, 3, 4]), tf.ones([2, 3])

    def compute():
        again = tf.function(lambda number: number * tf.vectorized_map(lambda sample: padded(*sample), samples))
        return [again(number) for number in range(5)]

    otafl.problem("padded")(padded)
    otafl.run("quickstart", REGRESSION | {"problem.kind": "padded", "method": "FedAvg"})
    with process.alone():
        compute()
    assert not caplog.records
    compute()
    assert all(part in caplog.text for part in ("Using a while_loop for converting", "triggered tf.function retracing"))


def slow(input_shape, outputs):
    """A model whose layers draw their seeds with time between them."""
    first = keras.layers.Dense(8)
    first.build((None, *input_shape))
    time.sleep(PAUSE_S)
    return keras.Sequential([keras.Input(input_shape), first, keras.layers.Dense(outputs)])


def test_models_made_side_by_side_start_as_those_made_in_turn():
    model = named_network(f"{__name__}:slow", (4,), 3)
    before = random.getstate()
    found = _together(model.initial, range(THREADS))
    assert random.getstate() == before
    np.testing.assert_array_equal(found, [model.initial(seed) for seed in range(THREADS)])


def test_one_thread_for_sums_ends_with_the_last_who_asks_for_it():
    def threads():
        return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]

    def inside(place):
        with in_one_thread():
            time.sleep(PAUSE_S * (place + 1))
            return threads()

    def limited(number):
        """A thread that has ended leaves numbers of threads to others; threadpoolctl obeys one at a time."""
        thread = threading.Thread(target=threadpool_limits, args=(number, "blas"))
        thread.start()
        thread.join()

    before = threads()
    limited(2)
    assert {number for found in _together(inside, range(THREADS)) for number in found} == {1}
    assert set(threads()) == {2}
    limited(before[0])


def test_paths_are_found_by_one_thread_at_a_time(monkeypatch, tmp_path):
    """A seed of Sionna is that of the process."""
    monkeypatch.setenv("OTAFL_CACHE_DIR", str(tmp_path))
    inside, most = threading.Semaphore(1), []

    def find(layout, seed, blocks):
        most.append(inside.acquire(blocking=False))
        time.sleep(PAUSE_S)
        inside.release()
        raise ValueError

    model: Any = SimpleNamespace(found=find, kept=True)

    def traced(seed):
        with contextlib.suppress(ValueError):
            Traced(model, Layout(2), np.random.SeedSequence(seed))

    _together(traced, range(THREADS))
    assert most == [True] * THREADS


def test_the_working_folder_stays_on_the_path_as_long_as_one_thread_needs_it(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def inside(place):
        with plugins.from_working_folder():
            time.sleep(PAUSE_S * (place + 1))
            return str(Path.cwd()) in sys.path

    assert all(_together(inside, range(THREADS)))
    assert str(tmp_path) not in sys.path
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    _together(inside, range(THREADS))
    assert str(tmp_path) in sys.path, "where it was before"
    checkout = str(Path(plugins.__file__).parents[2])  # which an editable installation puts last
    others = [entry for entry in sys.path if entry not in (checkout, str(tmp_path))]
    monkeypatch.setattr(sys, "path", [*others, checkout])
    with plugins.from_working_folder():
        assert sys.path[-2:] == [str(tmp_path), checkout]


def test_a_module_that_one_thread_imports_does_not_stop_another_ones_study(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    begun, go_on = threading.Event(), threading.Event()
    monkeypatch.setitem(sys.modules, "known_to_both", SimpleNamespace(begun=begun, go_on=go_on))
    Path("lengthy.py").write_text("import known_to_both\nknown_to_both.begun.set()\nknown_to_both.go_on.wait(60)\n")
    importing = threading.Thread(target=plugins.load, args=(["lengthy.py"],))
    importing.start()
    try:
        assert begun.wait(60)
        plugins.require_none_loading("starts a study")
        assert importing.is_alive()
    finally:
        go_on.set()
        importing.join()


@pytest.mark.usefixtures("registries")
def test_settings_made_before_a_key_was_added_have_its_default():
    before = Settings()
    user_keys.add("algorithm", "brought_later", otafl.key(0.5, "of a scheme of the user's"), "a scheme")
    assert before.algorithm.brought_later == 0.5  # pyright: ignore[reportAttributeAccessIssue]


HELD = """
import os, threading
from otafl.channels.fading import paths
from otafl.user_code import plugins

taken, done = threading.Event(), threading.Event()

def hold():
    with plugins._lock, paths.one_search:
        taken.set()
        done.wait()

threading.Thread(target=hold, daemon=True).start()
taken.wait()
child = os.fork()
if not child:
    os._exit(not (plugins._lock.acquire(blocking=False) and paths.one_search.acquire(blocking=False)))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_fork_does_not_wait_for_a_thread_that_it_does_not_have():
    """Which loads a plugin, or has Sionna find paths, while another one forks."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", HELD], capture_output=True, text=True)
    assert done.stdout == "0\n", done.stderr


def _study_in_a_fork(answer, out):
    try:
        answer.put(otafl.run("quickstart", REGRESSION, out=out).sizes["iteration"])
    except OtaflError as refusal:
        answer.put(str(refusal))
    os._exit(0)


def test_a_fork_of_a_process_with_tensorflow_does_not_compute(tmp_path):
    assert "tensorflow" in sys.modules
    answer = multiprocessing.get_context("fork").SimpleQueue()
    child = multiprocessing.get_context("fork").Process(target=_study_in_a_fork, args=(answer, tmp_path), daemon=True)
    child.start()
    child.join(120)
    hangs = child.is_alive()
    child.kill()
    assert not hangs
    assert "was forked from one that had loaded TensorFlow" in answer.get()
    assert not list(tmp_path.iterdir())


SCRIPT = """
import sys
from otafl.system.machine import import_without
import_without("keras", "matplotlib", "sklearn")
assert "keras" in sys.modules and "sklearn" not in sys.modules, "sklearn was imported"
import sklearn.base
"""


@pytest.mark.slow
def test_what_was_left_out_can_be_imported_afterwards():
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, timeout=120)
