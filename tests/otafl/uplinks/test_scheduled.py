"""Scheduled norms of updates: by the weight that a method gives to what workers send, in whole rounds too."""

import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl.algorithms import METHODS
from otafl.algorithms.pseudo_labels import PseudoLabels
from tests.otafl.algorithms.quadratics import WORKERS, Descent, a_round, options, parameters, quadratics
from tests.otafl.small import FEDERATED, SMALL, chosen

ANALOG = [
    name for name in FEDERATED if "analog" in METHODS[name].uplinks and not isinstance(METHODS[name], PseudoLabels)
]


@pytest.mark.parametrize("name", ANALOG)
def test_a_method_says_whether_it_weighs_what_workers_send(name):
    """Twice the weight makes messages twice as long if it does, and else it changes nothing."""
    method, p, choice = METHODS[name], parameters(), options(warm_start="global")
    server, client = method.init(tf.ones([1, 4, 1], tf.float64), choice, p)
    count, once = tf.fill([WORKERS, 1, 1], tf.constant(3.0, tf.float64)), tf.ones([1, 1, 1], tf.float64)

    def sent(weight):
        weight = tf.fill([WORKERS, 1, 1], tf.constant(weight, tf.float64))
        now = a_round(Descent(quadratics(), np.full(WORKERS, 3), 3), p, choice, weight, count, once, server)
        return method.upload(method.local_update(server, client, now), now)

    one, other = sent(0.1), sent(0.2)
    for before, after in zip(one, other, strict=True):
        np.testing.assert_allclose(after, before * (2 if method.weighted else 1), rtol=1e-12)
        assert np.abs(before).max() > 0


def test_without_noise_nothing_is_lost_of_updates_that_are_short_enough():
    """Above the norm of every update the sum arrives as it was meant; at 1% of it, 1% of the length is left."""
    keys = SMALL | {"federation.workers": 10, "run.iterations": 2, "run.seeds": 1, "channel.fading": "none"}
    keys |= {"channel.snr_db": np.inf, "local.learning_rate": 0.01, "local.batch_size": 10}
    parts = {"scheme": "COTAF", "inversion_threshold": 0.5, "update_norm": [1e-6, 1e3], "update_norm_decay": 0.0}
    error = otafl.run("quickstart", keys | chosen("FedAvg@analog", parts))
    short, whole = error["aggregation_nmse"].squeeze().transpose("update_norm", "iteration").values
    assert (whole < 1e-10).all()
    assert (short > 0.9).all()
