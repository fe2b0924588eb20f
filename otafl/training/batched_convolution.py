"""Convolutions as products: TensorFlow has none of many inputs with a kernel each, and goes from worker to worker."""

import functools

import keras
import tensorflow as tf

from otafl.numerics.tensors import Tensor


def convolve_by_products(model: keras.Model) -> None:
    """Have a model's plain two-dimensional convolutions computed by products from now on."""
    for layer in model._flatten_layers():
        if type(layer) is keras.layers.Conv2D and layer.groups == 1 and layer.dilation_rate == (1, 1):
            how = {"strides": layer.strides, "padding": layer.padding}
            setattr(layer, "convolution_op", functools.partial(convolved, **how))  # noqa: B010


def convolved(inputs: Tensor, kernel: Tensor, strides: tuple[int, ...], padding: str) -> Tensor:
    """Return the convolution of images with a kernel, as ``tf.nn.conv2d``. Shape [images, rows, columns, outputs]."""
    axes = zip(inputs.shape[1:3], kernel.shape[:2], strides, strict=True)
    (rows, down, above), (columns, across, beside) = [_places(*axis, padding) for axis in axes]
    padded = tf.pad(inputs, [[0, 0], above, beside, [0, 0]])
    parts = [
        padded[:, i : i + down : strides[0], j : j + across : strides[1]]
        for i in range(kernel.shape[0])
        for j in range(kernel.shape[1])
    ]
    patches = tf.reshape(tf.concat(parts, axis=-1), [-1, kernel.shape[0] * kernel.shape[1] * kernel.shape[2]])
    products = patches @ tf.reshape(kernel, [-1, kernel.shape[-1]])
    return tf.reshape(products, [-1, rows, columns, kernel.shape[-1]])


def _places(size: int, width: int, stride: int, padding: str) -> tuple[int, int, tuple[int, int]]:
    """Return how many places a kernel has on an axis, the pixels that they span, and the zeros at both ends."""
    count = -(-size // stride) if padding == "same" else (size - width) // stride + 1
    span = (count - 1) * stride + 1
    zeros = max(span - 1 + width - size, 0) if padding == "same" else 0
    return count, span, (zeros // 2, zeros - zeros // 2)
