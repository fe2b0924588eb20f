"""Runs that train networks: remarks on their data, accuracy and loss against their definitions."""

import numpy as np
import pytest

from otafl import algorithms
from otafl.data import sources, user_data
from otafl.problems.training_task import Training
from tests.otafl.small import settings_of
from tests.otafl.training.test_learner import classification, compiled

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
    with sources.given("classification", NAME, user_data.checked("classification", arrays, NAME)):
        found = Training(settings, algorithms.parse(settings.method)[0], [0])
    assert said in found.remark
    assert bool(said) == ("classes" in found.remark)
    assert found.network.outputs == max(labels) + 1


def test_accuracy_counts_every_test_sample_once():
    problem = classification()
    accuracy = compiled(lambda: problem.test_accuracy(problem.start)).numpy()[0]
    logits = compiled(lambda: problem.learner.outputs(problem.start[0, :, 0], problem.shared.evaluation.features))
    assert accuracy == pytest.approx(np.mean(np.argmax(logits, axis=1) == problem.shared.evaluation.labels.numpy()))
