"""What otafl leaves as it was of Python, NumPy, TensorFlow and the process: nearly all, and pages name the rest."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "own-code.md").read_text(encoding="utf-8")
STATE = """
import decimal, gc, json, locale, logging, os, random, resource, signal, sys, threading, warnings
import numpy as np

def state():
    return {
        "meta_path": sys.meta_path, "path": sys.path, "path_hooks": sys.path_hooks, "argv": sys.argv,
        "environment": sorted(os.environ.items()), "folder": os.getcwd(), "streams": [sys.stdout, sys.stderr],
        "signals": [(number, signal.getsignal(number)) for number in signal.valid_signals()],
        "warnings": warnings.filters, "showwarning": warnings.showwarning, "hooks": [sys.excepthook, sys.displayhook],
        "threads": [threading.excepthook, threading.active_count(), threading.stack_size()],
        "numpy": [np.geterr(), np.get_printoptions()], "random": [hash(random.getstate()), np.random.get_state()],
        "garbage": [gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), gc.callbacks],
        "locale": locale.setlocale(locale.LC_ALL), "decimals": decimal.getcontext(), "cores": os.sched_getaffinity(0),
        "limits": [sys.getrecursionlimit(), sys.getswitchinterval(), resource.getrlimit(resource.RLIMIT_NOFILE)],
        "logging": [logging.root.level, logging.root.handlers, logging.raiseExceptions],
    }

def told(found):
    return {name: repr(value) for name, value in found.items()}

"""
IMPORT = """
before = told(state())
import otafl
after = told(state())
heavy = [name for name in ("tensorflow", "keras", "matplotlib", "xarray", "sklearn") if name in sys.modules]
print(json.dumps([before, after, heavy]))
"""
RUN = """
import keras, matplotlib, otafl, tensorflow as tf, threadpoolctl, xarray
from otafl.results import figure_files
from otafl.study.engines import in_process, local

def whole():
    settings = [keras.config.dtype_policy().name, keras.config.floatx(), keras.config.image_data_format()]
    more = {
        "keras": settings, "logger": tf.get_logger().level, "eager": tf.config.functions_run_eagerly(),
        "generator": tf.random.get_global_generator().state.numpy().tolist(), "figures": dict(matplotlib.rcParams),
        "libraries": [(one["user_api"], one["num_threads"]) for one in threadpoolctl.threadpool_info()],
    }
    return told(state() | more)

before = whole()
for study in ("quickstart", "digits_quickstart"):
    for engine in ("in_process", "local"):
        keys = {"run.iterations": 2, "run.seeds": 1}
        data = otafl.run(study, keys, out=f"{study}-{engine}", progress=False, store=False, engine=engine)
    figure_files.save(figure_files.figure(data), study)
print(json.dumps([before, whole(), []]))
"""


def states(program: str, folder: Path) -> list:
    known = {name: value for name, value in os.environ.items() if name not in ("TF_CPP_MIN_LOG_LEVEL", "KERAS_BACKEND")}
    words = [sys.executable, "-W", "ignore", "-c", STATE + program]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, env=known)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_an_import_sets_two_variables_of_the_environment_and_nothing_else(tmp_path):
    before, after, heavy = states(IMPORT, tmp_path)
    assert heavy == []
    were, are = (eval(one.pop("environment")) for one in (before, after))
    assert sorted({*are} - {*were}) == [("KERAS_BACKEND", "tensorflow"), ("TF_CPP_MIN_LOG_LEVEL", "3")]
    assert {name: (value, after[name]) for name, value in before.items() if after[name] != value} == {}
    assert all(f"`{name}`" in PAGE for name, _ in {*are} - {*were})


@pytest.mark.slow
def test_studies_leave_the_process_as_it_was(tmp_path):
    before, after, _ = states(RUN, tmp_path)
    assert {name: (value, after[name]) for name, value in before.items() if after[name] != value} == {}


LIST = """
import sys
from otafl import cli
from otafl.user_code import files_beside
sys.argv = ["otafl", "list"]
cli.main()
assert not files_beside._statements.cache_info().misses
"""


def test_libraries_in_whatever_folder_are_not_parsed(tmp_path):
    """As pip install --target puts them, or a layer of an image: on PYTHONPATH, not in site-packages."""
    libraries = tmp_path / "deps"
    libraries.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        (libraries / entry.name).symlink_to(entry)
    path = os.pathsep.join([str(Path(__file__).parents[2]), str(libraries)])
    python = getattr(sys, "_base_executable", sys.executable)
    done = subprocess.run([python, "-c", LIST], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    assert "quickstart" in done.stdout
