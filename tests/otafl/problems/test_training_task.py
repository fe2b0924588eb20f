"""Runs that train networks: remarks, pre-training at the server, accuracy and loss against their definitions."""

import numpy as np
import pytest

from otafl import algorithms
from otafl.algorithms import METHODS
from otafl.data import shares, sources, user_data
from otafl.problems.training_task import Training
from otafl.settings.keys import Settings
from tests.otafl.small import dotted, settings_of
from tests.otafl.training.test_learner import classification, compiled
from tests.rounding import SINGLE, assert_close

NAME = "mine.npz"
KEYS = {"problem.dataset": NAME, "problem.model": "linear", "federation.workers": 2, "method": "FedAvg"}


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (range(5), ""),
        (range(1, 6), "makes 6 classes, as labels count from 0, but no training sample has the label 0"),
        ([0, 1, 2, 3, 999], "makes 1,000 classes, as labels count from 0, but no training sample has the label 4, 5"),
    ],
)
def test_classes_without_a_sample_are_remarked_upon(labels, said):
    y = np.repeat(list(labels), 8)
    arrays = dict.fromkeys(("x_train", "x_test"), np.ones((len(y), 3))) | dict.fromkeys(("y_train", "y_test"), y)
    settings = settings_of("digits_quickstart", KEYS)
    with sources.given(user_data.checked("classification", arrays, NAME), "classification", NAME):
        found = Training(settings, algorithms.parse(settings.method)[0], [0])
    assert said in found.remark
    assert bool(said) == ("classes" in found.remark)
    assert found.network.outputs == max(labels) + 1


def test_accuracy_counts_every_test_sample_once():
    problem = classification()
    accuracy = compiled(lambda: problem.test_accuracy(problem.start)).numpy()[0]
    logits = compiled(lambda: problem.learner.outputs(problem.start[0, :, 0], problem.shared.evaluation.features))
    assert accuracy == pytest.approx(np.mean(np.argmax(logits, axis=1) == problem.shared.evaluation.labels.numpy()))


def settings(partition="iid", **more) -> Settings:
    keys = {"method": "FedAvg", "problem.pretraining": 0.2, "federation.workers": 5}
    return settings_of("digits_quickstart", keys | {"federation.partition": partition} | dotted(more))


def accuracy(chosen: Settings, seed: int = 3) -> float:
    task = Training(chosen, METHODS["FedAvg"], [seed])
    shared = task.shared(np.array([0]))
    problem = task.kind(task.learner, shared, task.own(np.arange(5)), 0, None)
    return float(problem.test_accuracy(shared.start)[0])


@pytest.mark.parametrize("partition", ["iid", "two_classes", "dirichlet"])
def test_servers_samples_are_no_workers(partition):
    """1,438 training samples, of which 288 are the server's."""
    chosen = settings(partition)
    server = shares.at_server(chosen, 3, 1438)
    workers = np.concatenate(shares.shares(chosen, 3))
    assert len(server) == 288
    assert len(np.unique(server)) == 288
    assert not np.isin(workers, server).any()
    assert len(np.unique(workers)) == len(workers)
    if partition == "iid":
        assert len(workers) == 1438 - 288


@pytest.mark.slow
def test_adapters_start_from_the_model_that_is_trained_without_them():
    whole, beside = (
        Training(settings(problem__adapter_rank=r), METHODS["FedAvg"], [3]).shared(np.array([0])) for r in (0, 2)
    )
    assert_close(beside.base, whole.start[:, :, 0], SINGLE)
    assert accuracy(settings(problem__adapter_rank=2)) == pytest.approx(accuracy(settings()), abs=0.01)
    assert whole.base is None
