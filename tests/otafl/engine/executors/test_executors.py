"""Executors of single rounds and of whole programs: idle workers, equivalences of methods, what is compiled."""

import dataclasses
import gc
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest
import tensorflow as tf

import otafl
from benchmarks.groups import first_group
from otafl.algorithms import METHODS
from otafl.algorithms.method import EVERYBODY
from otafl.engine.executors import Resident, Sampled
from otafl.engine.executors import in_program as resident
from otafl.engine.iteration import problem_of
from tests.otafl.engine.test_networks import DIGITS, run
from tests.otafl.small import FEDERATED, dotted, group_of, some

WORKERS, RATE, EPOCHS = 10, 0.1, 2
BASE = {"run.iterations": 4, "run.seeds": 1, "federation.workers": WORKERS, "local.epochs": EPOCHS}
BASE |= {"federation.participation": 0.3, "uplink.kind": "ideal", "local.batch_size": 36}
KEEPING = [
    name
    for name in FEDERATED
    if EVERYBODY not in METHODS[name].limits and name not in ("FedSGD", "FedAvg", "FedAdam", "FedProx", "FedNova")
]


class Played(NamedTuple):
    """A round: who took part, and server and all workers' rows after it."""

    workers: np.ndarray
    server: object
    rows: list[np.ndarray]


def stream(method: str, **keys) -> Sampled:
    return Sampled(group_of("digits_quickstart", BASE | {"method": method} | dotted(keys)))


def play(run: Sampled, rounds: int = 4, **parameters):
    """Its rounds; parameters take the place of the scenario's, functions of who takes part."""
    for ((workers, drawn), *_), _ in zip(run.inputs(), range(rounds), strict=False):
        columns, draw = run.given(workers, drawn)
        own = {name: tf.constant(value(drawn), tf.float32) for name, value in parameters.items()}
        run.round(columns._replace(parameters=columns.parameters._replace(**own)), draw, workers)
        yield Played(workers, run.server, [rows.copy() for rows in run.rows.arrays])


def models(played) -> np.ndarray:
    return np.array([one.server.model.numpy().ravel() for one in played])


def close(one, other, tolerance=2e-5):
    np.testing.assert_allclose(one, other, atol=tolerance * np.abs(other).max())
    assert np.abs(np.diff(other, axis=0)).max() > 1e-3


@pytest.mark.parametrize("method", some(KEEPING, ("FedADMM-InSa",)))
def test_idle_workers_keep_what_they_had(method):
    run = stream(method)
    before = [rows.copy() for rows in run.rows.arrays]
    assert before
    drawn = set()
    for workers, _, rows in play(run, 3):
        idle = np.setdiff1d(np.arange(WORKERS), workers)
        drawn |= set(workers)
        for old, new in zip(before, rows, strict=True):
            np.testing.assert_array_equal(new[idle], old[idle])
        assert any((new[workers] != old[workers]).any() for old, new in zip(before, rows, strict=True))
        before = rows
    assert 3 < len(drawn) < WORKERS


@pytest.mark.slow
def test_fedvra_with_normalised_steps_is_fednova():
    """Section 3 of Wang et al.: a = 0, γ = 0, d_i = Q_eff/(Q_i Σω), with different amounts of local work."""
    uneven = {"local__epochs": 5, "local__work": "uniform"}
    steps = []

    def normalised(draw):
        own, weight = draw.steps, draw.weight
        steps.extend(own.ravel())
        return (weight * own).sum() / weight.sum() / (own * weight.sum())

    own = models(
        play(stream("FedVRA", algorithm__rho=0.0, algorithm__dual_step=0.0, **uneven), 4, aggregation_step=normalised)
    )
    close(own, models(play(stream("FedNova", **uneven))))
    assert len(set(steps)) > 2


@pytest.mark.slow
def test_fedvra_approaches_scaffold_as_its_penalty_goes():
    """From c = λ = 0, c_i = λ_i: uploads, (23), and new control variates, (24), differ by O(γ); a = 1/(γηQ)."""
    control = stream("SCAFFOLD")
    rng = np.random.default_rng(2)
    shape = control.rows.arrays[0].shape
    own = (0.1 * rng.standard_normal(shape)).astype(np.float32)
    control.rows.arrays[0][:] = own
    (target,) = play(control, 1)
    server = control.server
    errors = []
    for gamma in (0.3, 0.03):
        run = stream("FedVRA", algorithm__rho=gamma, algorithm__aggregation_step=WORKERS / 3)
        run.rows.arrays[0][:] = own / gamma
        step = {"dual_step": lambda draw, gamma=gamma: 1 / (gamma * RATE * draw.steps)}
        (one,) = play(run, 1, **step)
        shifted = one.server.model + one.server.dual
        who = one.workers
        errors.append((np.abs(shifted - server.model).max(), np.abs(gamma * one.rows[0] - target.rows[0])[who].max()))
    ratios = np.divide(*np.array(errors))
    np.testing.assert_allclose(ratios, 10, rtol=0.25)
    assert np.max(errors[1]) < 0.02 * np.abs(own).max()


@pytest.mark.slow
def test_criterion_is_met_by_every_participant():
    """(3.7) and (3.8): ‖e(u_i')‖ ≤ σ_i‖e(z)‖ after every round."""
    keys = {"local__epochs": 60, "local__batch_size": "all", "algorithm__rho": 0.5}
    run = stream("FedADMM-InSa", algorithm__strong_convexity=2.0, **keys)
    met = 0
    rows = [row.copy() for row in run.rows.arrays]
    model = run.server.model
    for ((who, drawn), *_), one in zip(run.inputs(), play(run, 2), strict=False):
        problem = problem_of(run.group.form, *run.given(who, drawn))
        (_, dual, beta, _), after = ([row[who] for row in part] for part in (rows, one.rows))

        def residual(theta, dual=dual, beta=beta, model=model, problem=problem):
            slope = problem.gradient(tf.zeros_like(dual) + theta).slope
            return np.linalg.norm(slope - dual + beta * (theta - model), axis=1)

        sigma = np.sqrt(2) / (np.sqrt(2) + np.sqrt(beta[:, 0] / 2.0))
        small = residual(after[0]) <= 0.9991 * sigma * residual(model)
        met += small.sum()
        assert small.all()
        rows, model = one.rows, one.server.model
    assert met == 6


def test_penalty_is_the_mean_of_those_that_workers_have_sent():
    """The mean is over all workers, idle ones with their last penalty; with μ = 1 each is adapted in every round."""
    keys = {"method": "FedADMM-InSa", "algorithm.penalty_ratio": 1.0, "algorithm.rho": 0.3}
    curve = otafl.run("digits_quickstart", BASE | keys)["penalty"].values.ravel()
    played = play(stream("FedADMM-InSa", algorithm__penalty_ratio=1.0, algorithm__rho=0.3))
    np.testing.assert_allclose(curve, [one.rows[3].mean() for one in played], rtol=1e-6)
    assert curve[0] == pytest.approx(0.3)
    assert curve[-1] != pytest.approx(0.3, rel=1e-3)


@pytest.mark.slow
def test_pseudo_labels_are_probabilities_that_move():
    run = stream("FedVRA-U", federation__labelled=0.1, algorithm__pseudo_learning_rate=0.05)
    *_, last = play(run, 3)
    labels = last.rows[1]
    np.testing.assert_allclose(labels.sum(axis=-1), 1, atol=1e-5)
    assert labels.min() >= 0
    moved = np.abs(labels - 0.1).max(axis=(1, 2)) > 1e-3
    assert 3 <= moved.sum() < WORKERS


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
