"""Programs of the resident executor: what they compile, and what they compute in another form."""

import dataclasses
import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tensorflow as tf

import otafl
from benchmarks.groups import first_group
from otafl.engine.executors import Resident
from otafl.engine.executors import in_program as resident
from tests.otafl.engine.test_networks import DIGITS, run


def test_numbers_alone_compile_nothing_anew():
    base = run()
    form_count = resident.compiled.cache_info().misses
    traced = {program: program.experimental_get_tracing_count() for program in compiled_programs()}
    run({"channel.snr_db": [0.0, 10.0], "algorithm.rho": 0.7, "local.learning_rate": 0.02, "run.seed": 4})
    assert resident.compiled.cache_info().misses == form_count
    assert {program: program.experimental_get_tracing_count() for program in compiled_programs()} == traced
    assert base["loss"].size


NAMES = {"advance", "_of_groups"}


def compiled_programs():
    kind = type(tf.function(lambda: 0))
    return [made for made in gc.get_objects() if isinstance(made, kind) and made.__name__ in NAMES]


def first_chunk_of(group):
    executor = Resident(group)
    with ThreadPoolExecutor(1) as pool:
        return executor.advance(next(executor.inputs()).inputs, pool)


@pytest.mark.slow
def test_the_form_for_gpus_computes_the_same():
    scenario = otafl.load("digits_quickstart").override(DIGITS)
    group = first_group(scenario)
    expected = first_chunk_of(group)
    group.task.whole = True
    group.task.learner = dataclasses.replace(group.task.learner, chunk=group.workers, parts=1)
    whole = first_chunk_of(group)
    assert set(whole) == set(expected)
    for name, values in whole.items():
        assert values.shape == ((3, group.workers, 1) if name == "worker_epochs" else (3, 1))
        np.testing.assert_allclose(values, expected[name], rtol=1e-3)


@pytest.mark.skipif(not tf.config.list_physical_devices("GPU"), reason="needs a GPU that TensorFlow sees")
def test_on_a_gpu_the_loop_stays_there():
    scenario = otafl.load("digits_quickstart").override(DIGITS)
    group = first_group(scenario)
    assert group.task.whole
    executor = Resident(group)
    (stream,) = executor.streams
    chunk = next(executor.inputs()).inputs[stream.seeds]
    code = stream.program.experimental_get_compiler_ir(stream.state, stream.columns, chunk)(stage="hlo")
    assert not any(word in code for word in ("outfeed", "infeed", "send(", "recv(", "xla_ffi_python"))
    stream.advance(chunk)
    assert all("GPU" in leaf.device for leaf in tf.nest.flatten(stream.state))
