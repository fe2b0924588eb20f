"""Convolutions by products are those of TensorFlow, with their gradients, also of many kernels at once."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from otafl.training.batched_convolution import convolve_by_products, convolved

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
