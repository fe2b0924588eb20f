"""Training of the initial model at the server, on samples that no worker has."""

import numpy as np
import pytest

from otafl.algorithms import METHODS
from otafl.data import shares
from otafl.problems.training_task import Training
from otafl.settings.keys import Settings
from tests.otafl.small import dotted, settings_of
from tests.rounding import SINGLE, assert_close


def settings(partition="iid", **more) -> Settings:
    keys = {"method": "FedAvg", "problem.pretraining": 0.2, "federation.workers": 5}
    return settings_of("digits_quickstart", keys | {"federation.partition": partition} | dotted(more))


def accuracy(chosen: Settings, seed: int = 3) -> float:
    """Test accuracy of the initial model."""
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


def test_adapters_start_from_the_model_that_is_trained_without_them():
    whole, beside = (
        Training(settings(problem__adapter_rank=r), METHODS["FedAvg"], [3]).shared(np.array([0])) for r in (0, 2)
    )
    assert_close(beside.base, whole.start[:, :, 0], SINGLE)
    assert accuracy(settings(problem__adapter_rank=2)) == pytest.approx(accuracy(settings()), abs=0.01)
    assert whole.base is None
