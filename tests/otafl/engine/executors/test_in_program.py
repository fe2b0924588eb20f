"""Programs of the resident executor: what they compile, and what they compute in another form."""

import dataclasses
import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tensorflow as tf

import otafl
from benchmarks.groups import first_group
from otafl.algorithms import METHODS, fadmm
from otafl.algorithms.local_problem import Round
from otafl.algorithms.method import named_tuple
from otafl.channels.effective_channel import Effective
from otafl.engine.executors import Resident
from otafl.engine.executors import in_program as resident
from otafl.problems.classification import Classification
from tests.otafl.engine.test_networks import DIGITS, run
from tests.otafl.uplinks.links import draw_of
from tests.rounding import SINGLE, assert_close


def test_dual_flip_keeps_local_models_over_a_change():
    """Where the channel changes no worker trains: the loss is that of the kept models on all samples, and the dual is
    what makes them stationary, (31)."""
    problem = classification_of(DIGITS)
    start = tf.repeat(problem.start, 6, axis=0)
    model, gain = 0.9 * problem.start, tf.constant(np.random.default_rng(0).exponential(size=start.shape), tf.float32)
    method, parameters = METHODS["A-SFADMM"], named_tuple(rho=tf.constant([0.5]))
    ones = tf.ones([6, 1, 1])
    client = fadmm.Client(start, tf.zeros_like(start))
    prepared = fadmm.Prepared(0.5 * gain, None)
    channel = Effective(gain, None, 1 / gain, None)
    draw = draw_of(channel, weight=ones / 6, steps=5 * ones, changed=True)
    now = Round(problem, parameters, None, draw, prepared, model)

    def flip():
        return method.local_update(fadmm.Model(model), client, now), problem.gradient(start)

    local, (slope, losses) = tf.function(flip, autograph=False)()
    np.testing.assert_array_equal(local.client.theta, start)
    assert_close(local.done.losses, losses, SINGLE)
    np.testing.assert_array_equal(local.done.epochs, 0)
    np.testing.assert_allclose(slope + local.client.mu + 0.5 * gain * (start - model), 0.0, atol=1e-6)


def classification_of(overrides: dict) -> Classification:
    group = first_group(otafl.load("digits_quickstart").override(overrides))
    shared, own = group.task.shared(np.array([0])), group.task.own(np.arange(group.workers))
    return Classification(group.task.learner, shared, own, tf.constant(0), None)


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
