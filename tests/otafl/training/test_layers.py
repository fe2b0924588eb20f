"""Layers that networks have or are given: adapters, dropout, and convolutions by products."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from keras.layers import Dense, Dropout

import otafl
from otafl.engine import inputs
from otafl.training.adapters import with_adapters
from otafl.training.batched_convolution import convolve_by_products, convolved
from otafl.training.local import Samples
from otafl.training.networks import named_network
from tests.otafl.engine.test_checkpoint import goes_on
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


@pytest.mark.slow
def test_dropout_is_there_in_training():
    """A network whose inputs are nearly all dropped learns biases alone, and keeps a loss of about ln 10."""
    data = otafl.run("digits_quickstart", DIGITS | {"problem.model": f"{__name__}:blocked"})
    assert data["loss"].values.ravel()[-1] == pytest.approx(np.log(10), abs=0.1)


SIZES = st.integers(1, 3)


@given(
    st.tuples(st.integers(3, 7), st.integers(3, 7), SIZES),
    st.tuples(SIZES, SIZES),
    SIZES,  # TensorFlow's own kernel takes one stride for both axes
    st.sampled_from(["same", "valid"]),
)
def test_convolution_by_products_is_that_of_tensorflow(image, width, stride, padding):
    rng = np.random.default_rng(0)
    images = tf.constant(rng.standard_normal((2, *image), np.float32))
    kernel = tf.constant(rng.standard_normal((*width, image[-1], 2), np.float32))
    expected = tf.nn.conv2d(images, kernel, stride, padding.upper())
    np.testing.assert_allclose(convolved(images, kernel, (stride, stride), padding), expected, atol=1e-5)


@pytest.mark.parametrize("padding", ["same", "valid"])
def test_gradients_of_many_models_are_those_of_each(padding):
    layers = [keras.layers.Conv2D(4, 3, 2, padding, activation="relu"), keras.layers.Flatten(), keras.layers.Dense(2)]
    model = keras.Sequential([keras.Input((8, 8, 3)), *layers])
    rng = np.random.default_rng(1)
    images = tf.constant(rng.standard_normal((3, 5, 8, 8, 3), np.float32))
    weights = [tf.constant(rng.standard_normal((3, *own.shape), np.float32)) for own in model.trainable_variables]

    def gradient(own):
        with tf.GradientTape() as tape:
            tape.watch(own[:-1])
            total = tf.reduce_sum(model.stateless_call(own[:-1], [], own[-1])[0] ** 2)
        return tape.gradient(total, own[:-1])

    each = [gradient([array[n] for array in (*weights, images)]) for n in range(3)]
    convolve_by_products(model)
    together = tf.vectorized_map(gradient, [*weights, images], fallback_to_while_loop=False)
    for own, all_at_once in zip(zip(*each, strict=True), together, strict=True):
        np.testing.assert_allclose(all_at_once, tf.stack(own), rtol=1e-4, atol=1e-4)
