"""Networks of some layers, as functions that a scenario can name."""

from collections.abc import Callable
from typing import Any

import keras


def stacked(layers: Callable[[int], list[Any]]) -> Callable[[Any, int], keras.Model]:
    """A function that builds the layers for a number of outputs on flattened inputs."""

    def build(input_shape, outputs):
        return keras.Sequential([keras.Input(input_shape), keras.layers.Flatten(), *layers(outputs)])

    return build
