"""Largest elements and measurements of them: what is kept and remembered, and the limit without compression."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import otafl
from otafl.compressors import RandomProjection, TopK
from otafl.compressors.random_projection import HALVINGS
from tests.otafl.small import SMALL
from tests.rounding import SINGLE, assert_close

NOTHING_DRAWN = [(None, tf.constant(0))]


def sparsified(message, memory, share):
    """The largest elements of a message and a memory, and what is left."""
    (chosen,), (left,) = TopK(tf.reshape(share, [1])).compress((message,), (memory,), NOTHING_DRAWN)
    return chosen, left


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), share=st.floats(0.001, 1.0), power=st.integers(1, 9))
def test_the_largest_elements_go_and_the_rest_stays(seed, share, power):
    """Nothing is lost: both add up to the message and what was left before; whether tails are light or heavy."""
    message, memory = np.random.default_rng(seed).standard_normal((2, 3, 500, 2)) ** power
    chosen, left = map(np.asarray, sparsified(*map(tf.constant, (message, memory, np.float64(share)))))
    np.testing.assert_array_equal(chosen + left, message + memory)
    wanted = max(1, round(share * 500))
    np.testing.assert_array_equal(np.count_nonzero(chosen, axis=1), wanted)
    assert (np.abs(left).max(axis=1) <= np.where(chosen != 0, np.abs(chosen), np.inf).min(axis=1)).all()
    assert not np.any(sparsified(*map(tf.constant, (message, memory, 0.0)))[0])


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), share=st.floats(0.001, 1.0), power=st.integers(1, 9))
def test_a_few_elements_more_may_be_measured(seed, share, power):
    message = np.random.default_rng(seed).standard_normal((3, 500, 1)) ** power
    made = RandomProjection(tf.constant([share], tf.float64))
    chosen, wanted = made.kept(tf.constant(message), None, tf.constant(0)).numpy(), max(1, round(share * 500))
    none = RandomProjection(tf.zeros([1], tf.float64)).kept(tf.constant(message), None, tf.constant(0))
    assert not np.any(none)
    size = np.sort(np.abs(message), axis=1)
    slack = np.sqrt(np.sum(size**2, axis=1, keepdims=True) / wanted) / 2**HALVINGS
    assert (np.count_nonzero(chosen, axis=1) >= wanted).all()
    assert (np.count_nonzero(chosen, axis=1) <= np.count_nonzero(size >= size[:, [-wanted]] - slack, axis=1)).all()
    assert (np.abs(message - chosen).max(axis=1) <= np.where(chosen != 0, np.abs(chosen), np.inf).min(axis=1)).all()


@pytest.mark.parametrize("factor", [0.25, -3.0, 0.0])
def test_a_multiple_of_a_message_stays_one(factor):
    """FedVRA's server forms two sums of one vector, both sparse in the same places; of nothing it is what was left."""
    message, memory = np.random.default_rng(1).standard_normal((2, 4, 200, 1))
    messages = tuple(map(tf.constant, (message, factor * message)))
    chosen, left = TopK(tf.constant([0.1], tf.float64)).compress(messages, (tf.constant(memory),), NOTHING_DRAWN)
    np.testing.assert_allclose(chosen[1], factor * chosen[0], rtol=1e-12)
    np.testing.assert_array_equal(chosen[0] + left[0], message + memory)
    assert len(left) == 1
    zeros = tf.zeros_like(message)
    chosen, _ = TopK(tf.ones([1], tf.float64)).compress((zeros, zeros), (tf.constant(memory),), NOTHING_DRAWN)
    np.testing.assert_array_equal(chosen[1], memory)


def test_whole_vectors_are_plain_analog_uploads():
    """k = s = d, but for the rounding of the factor between FedVRA's two sums of one vector."""
    keys = SMALL | {"problem.dimension": 50, "federation.workers": 6, "run.iterations": 2, "run.seeds": 1}
    keys |= {"method": "FedVRA@analog", "algorithm.dual_step": 0.5, "local.learning_rate": 0.1}
    whole = {"uplink.scheme": "CA-DSGD", "uplink.compression_ratio": 1.0, "uplink.sparsity": 1.0}
    plain, made = (otafl.run("quickstart", keys | parts) for parts in ({}, whole))
    for name in ("loss", "aggregation_nmse", "worker_power", "energy", "channel_uses"):
        assert_close(made[name], plain[name], SINGLE, name)
