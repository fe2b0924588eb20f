"""Keras models as pure functions of their weights."""

import contextlib
import functools
import inspect
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import keras
import numpy as np
import tensorflow as tf

from otafl.errors import OtaflError
from otafl.numerics.optimizers import Tensors
from otafl.numerics.tensors import FlatModels, Tensor
from otafl.system import process
from otafl.training import batched_convolution, model_check
from otafl.training.local import folded
from otafl.training.models import MODELS, Builder, Shape
from otafl.user_code import modules, plugins


@dataclass(frozen=True, eq=False)
class Network:
    """Keras model as a pure function of its trainable weights, d elements in all; those in it are not used."""

    name: str
    build: Callable[[], keras.Model]
    model: keras.Model
    shapes: tuple[Shape, ...]
    outputs: int

    @property
    def elements(self) -> int:
        """Number d of trainable weights."""
        return sum(self._sizes)

    @property
    def _sizes(self) -> list[int]:
        return [int(np.prod(shape)) for shape in self.shapes]

    @property
    def convolves(self) -> bool:
        """True where some layer is a convolution, with a weight of more than two axes."""
        return any(len(shape) > 2 for shape in self.shapes)

    @property
    def draws(self) -> bool:
        """True where some layer draws random numbers in training, such as dropout."""
        return any(map(model_check.is_seed, self.model.non_trainable_variables))

    @property
    def regularised(self) -> bool:
        """True where some weight has a regulariser of Keras'."""
        return any(variable.regularizer is not None for variable in self.model.trainable_variables)

    def regularisation(self, weights: Tensors, base: Tensor | None = None) -> Tensor:
        """Return the sum of the regularisers of a model's weights, which every local loss contains. Scalar, float32."""
        pairs = zip(self.model.trainable_variables, weights, strict=True)
        regularised = [(variable.regularizer, weight) for variable, weight in pairs]
        return tf.add_n([regulariser(weight) for regulariser, weight in regularised if regulariser is not None])

    def apply(self, weights: Tensors, inputs: Tensor, base: Tensor | None = None, seed: Tensor | None = None) -> Tensor:
        """Return the outputs of the network, such as logits. Shape [samples, outputs], float32.

        Inputs are scaled features, [samples, ...]. Adapters have a frozen base beneath, [1, weights]. Layers that draw
        random numbers do so from a seed, [2], int64, in training alone.
        """
        return self.call(weights, inputs, seed)[0]

    def call(self, weights: Tensors, inputs: Tensor, seed: Tensor | None = None) -> tuple[Tensor, Tensors]:
        """Return the outputs of the network, and the model's other variables after the call."""
        frozen = [
            variable.value if seed is None or not model_check.is_seed(variable) else folded(seed, tf.constant(place))
            for place, variable in enumerate(self.model.non_trainable_variables)
        ]
        training = seed is not None or not self.draws
        keys = {"training": training} if "training" in inspect.signature(self.model.call).parameters else {}
        outputs, after = self.model.stateless_call(weights, frozen, inputs, **keys)
        return tf.cast(outputs, tf.float32), after

    def unflatten(self, flat: Tensor) -> Tensors:
        """Return vectors of d weights, [..., d], as arrays of the shapes of the model's weights, [..., *shape] each."""
        parts = tf.split(flat, self._sizes, axis=-1)
        return [tf.reshape(part, [*flat.shape[:-1], *shape]) for part, shape in zip(parts, self.shapes, strict=True)]

    def flatten(self, weights: Tensors) -> FlatModels:
        """Return the weights of models, [models, *shape] each, as vectors of d elements."""
        return tf.concat([tf.reshape(weight, [weight.shape[0], -1]) for weight in weights], axis=1)

    def initial(self, seed: int) -> np.ndarray:
        """Return all d weights, drawn by the model's own initialisers under a seed. Shape [d], float32."""
        with seeded(seed):
            model = self.build()
        if _shapes(model) != self.shapes:
            raise OtaflError("problem.model", self.name, "must return the same model at every call")
        return np.concatenate([variable.numpy().reshape(-1) for variable in model.trainable_variables])

    def merged(self, weights: Tensors, base: Tensor | None) -> Tensors:
        """Return the weights of the Keras model, which adapters change in frozen ones, [1, weights]."""
        return weights

    def keras_model(self, weights: Tensors) -> keras.Model:
        with seeded(0):
            model = self.build()
        for variable, weight in zip(model.trainable_variables, weights, strict=True):
            variable.assign(weight)
        return model


def named_network(name: str, input_shape: Shape, outputs: int, precision: str = "float32") -> Network:
    """Return the network that ``problem.model`` names: one of MODELS, or a ``Builder``, ``package.module:function``.

    >>> named_network("mlp_small", (8, 8), 10).elements
    2368
    """
    builder = MODELS[name] if name in MODELS else plugins.function("problem.model", name)
    call = modules.studies if ":" in name else 0
    return _built_network(builder, name, tuple(input_shape), outputs, precision, call)


@functools.lru_cache(maxsize=8)
def _built_network(builder: Builder, name: str, input_shape: Shape, outputs: int, precision: str, call: int) -> Network:
    """Return the network of a builder, kept by its arguments; ``call`` counts changes of user code."""

    def build() -> keras.Model:
        with _settings(precision), model_check.refusing(name, input_shape), plugins.from_working_folder():
            return model_check.usable(builder(input_shape, outputs), name, input_shape)

    with seeded(0):
        model = build()
    if tf.config.list_physical_devices("GPU"):
        batched_convolution.convolve_by_products(model)
    built = Network(name, build, model, _shapes(model), outputs)
    with model_check.refusing(name, input_shape):
        model_check.check(built, input_shape)
    return built


@contextlib.contextmanager
def _settings(precision: str) -> Iterator[None]:
    """A context in which Keras has the settings that a model is built with, whatever a file or the session says."""
    keys, policy = keras.config, "mixed_bfloat16" if precision == "bfloat16" else "float32"
    with (
        process.changed(keys.dtype_policy, keys.set_dtype_policy, policy),
        process.changed(keys.floatx, keys.set_floatx, "float32"),
        process.changed(keys.image_data_format, keys.set_image_data_format, "channels_last"),
    ):
        yield


def _shapes(model: keras.Model) -> tuple[Shape, ...]:
    return tuple(tuple(variable.shape) for variable in model.trainable_variables)


@contextlib.contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed Python's generator, and restore its state afterwards."""
    # Keras takes the seeds of initialisers from there alone, so no other thread may make a model meanwhile.
    with process.alone(), process.changed(random.getstate, random.setstate, random.Random(seed).getstate()):
        yield
