"""Accuracies of workers on their own samples, and their statistics over workers."""

from types import SimpleNamespace

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

import otafl
from otafl.errors import OtaflError
from otafl.metrics import REGISTERED, RoundRecord
from otafl.problems.training_task import Training
from tests.otafl.small import group_of

NAMES = ["worker_accuracy", "worker_accuracy_worst", "worker_accuracy_low", "worker_accuracy_high"]
LEARNS = {"method": "FedAvg", "problem.kind": "classification", "problem.model": "linear", "run.seeds": 1}
DIGITS = LEARNS | {"problem.dataset": "digits", "run.iterations": 3, "run.metrics": NAMES}
SHARES = arrays.arrays(np.float64, st.tuples(st.integers(1, 41), st.just(2)), elements=st.floats(0, 1))


def read(name: str, values: np.ndarray) -> np.ndarray:
    """A metric of workers whose accuracies are known."""
    everyone = type("Known", (), {"accuracies": lambda self, model: values})()
    server = SimpleNamespace(model=None)
    return np.asarray(REGISTERED[name].compute(RoundRecord(everyone=everyone, server=server)))


@given(SHARES)
def test_statistics_are_those_of_numpy(values):
    worst = np.sort(values, axis=0)[: int(np.ceil(len(values) / 10))].mean(axis=0)
    expected = [values.mean(axis=0), worst, *np.quantile(values, [0.1, 0.9], axis=0)]
    np.testing.assert_allclose([read(name, values) for name in NAMES], expected, atol=1e-12)


def right(task: Training, model: np.ndarray) -> np.ndarray:
    """The share of own samples on which a linear model has the largest output at their class, worker by worker."""
    samples = task.samples
    (weights,) = task.network.unflatten(model)
    flat = samples.features.reshape(len(samples.features), -1)
    found = np.argmax(flat @ np.asarray(weights), axis=1)
    return np.array([np.mean(found[share] == samples.targets[share]) for share in task.shares])


@pytest.mark.parametrize("partition", ["iid", "labels"])
def test_accuracies_are_those_of_each_worker_s_samples(partition):
    keys = DIGITS | {"federation.workers": 7, "federation.partition": partition}
    task = group_of("digits_quickstart", keys).task
    assert isinstance(task, Training)
    shared, model = task.shared(np.array([0])), np.random.default_rng(0).normal(size=task.elements).astype(np.float32)
    problem = task.kind(task.learner, shared, task.own(np.arange(7)), 0, None)
    found = problem.accuracies(model[None, :, None])[:, 0].numpy()
    np.testing.assert_allclose(found, right(task, model), atol=1e-6)
    places, labels = tf.range(len(task.together)), tf.constant(task.samples.targets[task.together])
    together = problem.unordered._replace(index=places[None], targets=labels[None], count=tf.size(labels)[None])
    every = task.learner.number_right(together, model[None])
    np.testing.assert_allclose(np.sum(found * task.counts), float(every[0]), rtol=1e-6)
    assert np.isnan(problem.accuracies(model[None, :, None] * np.inf)).all()


def test_a_regression_has_none():
    keys = {"method": "A-FADMM", "run.metrics": ["worker_accuracy"], "run.iterations": 2, "run.seeds": 1}
    with pytest.raises(OtaflError, match=r"run\.metrics = 'worker_accuracy': reads accuracies of workers, which only"):
        otafl.run("quickstart", keys, store=False)
