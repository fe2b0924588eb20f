"""Low-rank adapters: what they start from, what they can represent, how many numbers they are."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from otafl.training.adapters import with_adapters
from otafl.training.networks import named_network
from tests.otafl.small import group_of
from tests.otafl.training.stacked import stacked
from tests.rounding import SINGLE, assert_close

RNG = np.random.default_rng(0)


def tensor(*shape):
    return tf.constant(RNG.standard_normal(shape).astype(np.float32))


@pytest.mark.parametrize("model", ["mlp_small", "mlp_biased", "cnn"])
def test_adapters_change_nothing_before_training(model):
    full = named_network(model, (8, 8, 1), 10)
    net, base, images = with_adapters(full, 3, 8.0), tensor(1, full.elements), tensor(4, 8, 8, 1)
    outputs = net.apply(net.unflatten(tf.constant(net.initial(5))), images, base)
    assert_close(outputs, full.apply(full.unflatten(base[0]), images), SINGLE)


def test_regularisers_are_those_of_the_whole_model():
    full = named_network("tests.otafl.training.test_learner:regularised", (8, 8, 1), 10)
    net, base = with_adapters(full, 3, 8.0), tensor(1, full.elements)
    weights = [tensor(*shape) for shape in net.shapes]
    assert net.regularised
    np.testing.assert_array_equal(net.regularisation(weights, base), full.regularisation(net.merged(weights, base)))


@given(st.integers(1, 100))
@settings(deadline=None, max_examples=20)
def test_number_of_elements_is_rank_times_sum_of_sides(rank):
    """The rank of a matrix of 64 x 32 or 32 x 10 is cut to 32 or to 10."""
    net = with_adapters(named_network("mlp_small", (8, 8, 1), 10), rank, 8.0)
    assert net.elements == min(rank, 32) * (64 + 32) + min(rank, 10) * (32 + 10)


def test_convolutions_are_matrices_and_biases_have_no_adapters():
    full = named_network("cnn", (8, 8, 1), 10)
    net = with_adapters(full, 2, 8.0)
    assert net.shapes == ((9, 2), (2, 16), (144, 2), (2, 32), (128, 2), (2, 10))
    base = tensor(1, full.elements)
    moved = net.merged([tensor(*shape) for shape in net.shapes], base)
    for new, old in zip(moved, full.unflatten(base[0]), strict=True):
        assert np.array_equal(new, old) == (len(old.shape) == 1)
    assert net.convolves


def test_costs_are_those_of_adapters():
    """The uplink of a study sends 2,368 elements of the model, and 276 of its adapters."""
    groups = [group_of("digits_quickstart", {"method": "FedAvg", "problem.adapter_rank": rank}) for rank in (0, 2)]
    assert [group.uplink.elements for group in groups] == [2368, 276]


scaled = stacked(lambda outputs: [keras.layers.LayerNormalization(), keras.layers.Lambda(lambda x: x[:, :outputs])])
"""A model without a weight matrix."""
