"""Layers that draw random numbers in training: their statistics, their seeds, and runs with them."""

import numpy as np
import pytest
import tensorflow as tf
from keras.layers import Dense, Dropout

import otafl
from otafl.engine import inputs
from otafl.training.local import Samples
from otafl.training.networks import named_network
from tests.otafl.engine.test_checkpoint import goes_on
from tests.otafl.small import group_of
from tests.otafl.training.stacked import stacked

RATE = 0.25
MODEL = f"{__name__}:dropping"
DIGITS = {"method": "FedAvg", "run.seeds": 1, "run.iterations": 3, "federation.workers": 5, "local.steps": 4}
DIGITS |= {"problem.model": MODEL, "local.batch_size": 20}


dropping = stacked(lambda outputs: [Dense(16, activation="relu"), Dropout(RATE), Dense(outputs)])
at_once = stacked(lambda outputs: [Dropout(RATE), Dense(outputs)])
blocked = stacked(lambda outputs: [Dropout(1 - 1e-6), Dense(outputs)])


def seed(*words):
    return tf.constant(words, tf.int64)


def masks(*words) -> np.ndarray:
    """Factors by which a layer of dropout multiplies its inputs."""
    net = named_network(f"{__name__}:at_once", (16,), 16)
    return net.apply([tf.eye(16), tf.zeros(16)], tf.ones((2000, 16)), seed=seed(*words)).numpy()


def test_masks_have_their_rate_leave_the_mean_and_depend_on_the_seed_alone():
    """Nothing is drawn in an evaluation."""
    found = masks(3, 4)
    values, counts = np.unique(found, return_counts=True)
    np.testing.assert_allclose(values, [0, 1 / (1 - RATE)], rtol=1e-6)
    share, total = counts[0] / counts.sum(), counts.sum()
    assert abs(share - RATE) < 5 * np.sqrt(RATE * (1 - RATE) / total)
    across = np.corrcoef(found.T) - np.eye(found.shape[1])
    assert np.abs(across).max() < 5 / np.sqrt(len(found))
    np.testing.assert_array_equal(masks(3, 4), found)
    assert not np.array_equal(masks(3, 5), found)
    net, inputs = named_network(f"{__name__}:at_once", (16,), 16), tf.random.stateless_normal((5, 16), (0, 0))
    np.testing.assert_allclose(net.apply([tf.eye(16), tf.zeros(16)], inputs), inputs, rtol=1e-6)


def test_every_step_of_every_worker_in_every_round_has_its_own_seed():
    at = [
        Samples(*[None] * 5, masks=seed(key, k)[None]).seed(tf.constant(first), tf.constant(step)).numpy()
        for key in (0, 7) for k in (0, 1, 2) for first in (0, 1, 100) for step in (0, 1, 2)
    ]  # fmt: skip
    assert len(np.unique(at, axis=0)) == len(at)
    assert len(np.unique(at)) == 2 * len(at)


@pytest.mark.slow
def test_a_resumed_run_has_the_bits_of_one_in_a_piece(monkeypatch):
    monkeypatch.setattr(inputs, "CHUNK_ROUNDS", 12)
    keys = DIGITS | {"run.iterations": 7, "run.evaluate_every": 2}
    goes_on(lambda: group_of("digits_quickstart", keys))


def test_dropout_is_there_in_training():
    """A network whose inputs are nearly all dropped learns biases alone, and keeps a loss of about ln 10."""
    data = otafl.run("digits_quickstart", DIGITS | {"problem.model": f"{__name__}:blocked"})
    assert data["loss"].values.ravel()[-1] == pytest.approx(np.log(10), abs=0.1)
