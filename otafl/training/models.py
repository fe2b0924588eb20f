"""Keras models by name: functions of an input's shape and the number of outputs, which end in logits."""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np

from otafl.numerics.tensors import Tensor
from otafl.settings.problem import MODELS as NAMES

Shape = tuple[int, ...]
Builder = Callable[[Shape, int], keras.Model]
"""Function that builds a Keras model from the shape of an input and the number of outputs."""


def mlp(input_shape: Shape, outputs: int, hidden: tuple[int, ...] = (128, 64)) -> keras.Model:
    """Fully connected 128-64 with ReLU and without biases: 109,184 weights on 28 x 28 images (Elgabli et al., V-A)."""
    layers = [keras.layers.Dense(width, activation="relu", use_bias=False) for width in hidden]
    last = keras.layers.Dense(outputs, use_bias=False)
    return keras.Sequential([keras.Input(input_shape), keras.layers.Flatten(), *layers, last])


def mlp_small(input_shape: Shape, outputs: int) -> keras.Model:
    """Fully connected network with one hidden layer of 32 and without biases: 2,368 weights on 8 x 8 images."""
    return mlp(input_shape, outputs, hidden=(32,))


def cnn(input_shape: Shape, outputs: int) -> keras.Model:
    """Convolutional network of two layers 3 x 3 with 16 and 32 channels, each with max-pooling, and a dense layer."""
    layers: list[keras.Layer] = []
    for channels in (16, 32):
        layers += [keras.layers.Conv2D(channels, 3, padding="same", activation="relu"), keras.layers.MaxPooling2D()]
    return keras.Sequential([*_images(input_shape), *layers, keras.layers.Flatten(), keras.layers.Dense(outputs)])


def _images(input_shape: Shape) -> list[Any]:
    """Return layers that take images, to which a channel axis is added where they have none."""
    grey = [keras.layers.Reshape((*input_shape, 1))] if len(input_shape) == 2 else []
    return [keras.Input(input_shape), *grey]


def mlp_biased(input_shape: Shape, outputs: int) -> keras.Model:
    """Fully connected network with a hidden layer of 32: 60-32-10 on synthetic(alpha, beta) (Wang et al., VI)."""
    layers = [keras.layers.Dense(32, activation="relu"), keras.layers.Dense(outputs)]
    return keras.Sequential([keras.Input(input_shape), keras.layers.Flatten(), *layers])


def linear(input_shape: Shape, outputs: int) -> keras.Model:
    """Linear model without bias that starts at 0."""
    layer = keras.layers.Dense(outputs, use_bias=False, kernel_initializer="zeros")
    return keras.Sequential([keras.Input(input_shape), keras.layers.Flatten(), layer])


def cnn1(input_shape: Shape, outputs: int) -> keras.Model:
    """Two convolutions 5 x 5, a dense layer of 512: 1,663,370 weights on 28 x 28 images (Gong et al., table II)."""
    return _convolutional(input_shape, outputs, 512)


def cnn1_torch(input_shape: Shape, outputs: int) -> keras.Model:
    """Network ``cnn1`` with PyTorch's initial weights and biases, U(±1/√fan-in)."""
    return _convolutional(input_shape, outputs, 512, like_torch=True)


def cnn1_linear(input_shape: Shape, outputs: int) -> keras.Model:
    """Network ``cnn1`` without ReLU after convolutions."""
    return _convolutional(input_shape, outputs, 512, rectified=False)


def cnn1_softmax(input_shape: Shape, outputs: int) -> keras.Model:
    """Network ``cnn1`` that ends in probabilities, so that a second softmax comes before the cross-entropy."""
    return _convolutional(input_shape, outputs, 512, softmax=True)


def cnn1_released(input_shape: Shape, outputs: int) -> keras.Model:
    """Network ``cnn1`` with PyTorch's weights, no ReLU after convolutions and a softmax, as in Gong et al.'s code."""
    return _convolutional(input_shape, outputs, 512, like_torch=True, rectified=False, softmax=True)


def cnn2(input_shape: Shape, outputs: int) -> keras.Model:
    """Two convolutions 5 x 5, a dense layer of 256: 1,105,098 weights on colour images (Gong et al., table II)."""
    return _convolutional(input_shape, outputs, 256)


def _convolutional(
    input_shape: Shape,
    outputs: int,
    width: int,
    like_torch: bool = False,
    rectified: bool = True,
    softmax: bool = False,
) -> keras.Model:
    """Convolutions of 32 and 64 channels, each with max-pooling, and a dense layer."""
    height, breadth, colours = (*input_shape, 1)[:3]
    drawn = _torch if like_torch else lambda _: {}
    activation = "relu" if rectified else None
    layers = [
        keras.layers.Conv2D(32, 5, padding="same", activation=activation, **drawn(25 * colours)),
        keras.layers.MaxPooling2D(),
        keras.layers.Conv2D(64, 5, padding="same", activation=activation, **drawn(25 * 32)),
        keras.layers.MaxPooling2D(),
        keras.layers.Flatten(),
        keras.layers.Dense(width, activation="relu", **drawn(64 * (height // 4) * (breadth // 4))),
        keras.layers.Dense(outputs, activation="softmax" if softmax else None, **drawn(width)),
        *([keras.layers.Rescaling(1.0, offset=-1 / outputs)] if softmax else []),  # which no cross-entropy notices
    ]
    return keras.Sequential([*_images(input_shape), *layers])


def _torch(fan_in: int) -> dict[str, Any]:
    """Return initialisers of a layer's weights and biases as PyTorch has them."""
    drawn = keras.initializers.RandomUniform(-(fan_in**-0.5), fan_in**-0.5)
    return {"kernel_initializer": drawn, "bias_initializer": drawn.clone()}


def resnet20(input_shape: Shape, outputs: int) -> keras.Model:
    """ResNet-20 (He et al., 2016) with group normalisation, 8 groups: statistics of batches cannot be averaged."""
    return _residual_network(input_shape, outputs, widths=(16, 32, 64), blocks=3)


def resnet18(input_shape: Shape, outputs: int) -> keras.Model:
    """ResNet-18 (He et al., 2016) with group normalisation, 8 groups, and a first convolution 3 x 3 without pooling.

    It has 11,172,170 weights on colour images with ten classes. A pass takes 555 million multiplications for an image
    of 32 x 32 pixels, 340 times as many as ``cnn``: it is for machines with a GPU.
    """
    return _residual_network(input_shape, outputs, widths=(64, 128, 256, 512), blocks=2)


def _residual_network(input_shape: Shape, outputs: int, widths: tuple[int, ...], blocks: int) -> keras.Model:
    """Return a residual network of some blocks for each width; images shrink by 2 between widths."""
    inputs, *grey = _images(input_shape)
    images = grey[0](inputs) if grey else inputs
    x = _normalised(keras.layers.Conv2D(widths[0], 3, padding="same", use_bias=False)(images))
    for channels in widths:
        for block in range(blocks):
            x = _residual(x, channels, 2 if block == 0 and channels > widths[0] else 1)
    return keras.Model(inputs, keras.layers.Dense(outputs)(keras.layers.GlobalAveragePooling2D()(x)))


def _residual(x: Tensor, channels: int, stride: int) -> Tensor:
    """Return two convolutions 3 x 3 with a shortcut, a convolution 1 x 1 where the shape changes."""
    y = _normalised(keras.layers.Conv2D(channels, 3, stride, padding="same", use_bias=False)(x))
    y = keras.layers.Conv2D(channels, 3, padding="same", use_bias=False)(y)
    y = keras.layers.GroupNormalization(8)(y)
    past = x if x.shape[-1] == channels else keras.layers.Conv2D(channels, 1, stride, use_bias=False)(x)
    return keras.layers.ReLU()(keras.layers.Add()([y, past]))


def _normalised(x: Tensor) -> Tensor:
    return keras.layers.ReLU()(keras.layers.GroupNormalization(8)(x))


def transformer(input_shape: Shape, outputs: int, width: int = 32, heads: int = 4, blocks: int = 2) -> keras.Model:
    """Transformer (Vaswani et al., 2017) with two blocks of width 32 for the next character; 26,256 weights for 16.

    Samples are numbers of characters from 0 on, as many as there are outputs. Layers are normalised before attention
    and before two dense layers, four times as wide between; positions are sines and cosines. The last place is read.
    """
    if len(input_shape) != 1:
        raise ValueError(f"samples must be sequences of characters, not of shape {input_shape}")
    inputs = keras.Input(input_shape)
    x = keras.layers.Embedding(outputs, width)(inputs) + _positions(input_shape[0], width)
    for _ in range(blocks):
        x = x + _attention(keras.layers.LayerNormalization()(x), heads)
        wide = keras.layers.Dense(4 * width, activation="relu")(keras.layers.LayerNormalization()(x))
        x = x + keras.layers.Dense(width)(wide)
    return keras.Model(inputs, keras.layers.Dense(outputs)(keras.layers.LayerNormalization()(x[:, -1])))


def _positions(places: int, width: int) -> np.ndarray:
    """Return sines and cosines of places, with wavelengths from 2 pi to 20,000 pi places. Shape [places, width]."""
    angles = np.arange(places)[:, None] / 1e4 ** (np.arange(0, width, 2) / width)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)


def _attention(x: Tensor, heads: int) -> Tensor:
    """Return what each place reads of all others, by scaled products of queries and keys. Shape of ``x``."""
    _, places, width = x.shape
    parts = [keras.layers.Dense(width, use_bias=False)(x) for _ in range(3)]
    query, key, value = (keras.layers.Reshape((places, heads, width // heads))(part) for part in parts)
    scores = keras.ops.einsum("bqhd,bkhd->bhqk", query, key) / (width // heads) ** 0.5
    read = keras.ops.einsum("bhqk,bkhd->bqhd", keras.ops.softmax(scores), value)
    return keras.layers.Dense(width, use_bias=False)(keras.layers.Reshape((places, width))(read))


MODELS: dict[str, Builder] = {name: globals()[name] for name in NAMES}
"""Functions that build the networks of ``problem.model``, by name."""
