"""Remarks on the data of runs that train networks."""

import numpy as np
import pytest

import otafl
from otafl import algorithms
from otafl.data import sources, user_data
from otafl.problems.training_task import Training

NAME = "mine.npz"
KEYS = {"problem.dataset": NAME, "problem.model": "linear", "federation.workers": 2, "method": "FedAvg"}


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (range(5), ""),
        (range(1, 6), "makes 6 classes, as labels count from 0, but no training sample has the label 0"),
        (
            [0, 1, 2, 3, 999],
            "makes 1,000 classes, as labels count from 0, but no training sample has the label 4, 5, 6",
        ),
    ],
)
def test_classes_without_a_sample_are_remarked_upon(labels, said):
    y = np.repeat(list(labels), 8)
    arrays = dict.fromkeys(("x_train", "x_test"), np.ones((len(y), 3))) | dict.fromkeys(("y_train", "y_test"), y)
    _, settings = next(otafl.load("digits_quickstart", KEYS).points())
    with sources.given("classification", NAME, user_data.checked("classification", arrays, NAME)):
        found = Training(settings, algorithms.parse(settings.method)[0], [0])
    assert said in found.remark
    assert bool(said) == ("classes" in found.remark)
    assert found.network.outputs == max(labels) + 1
