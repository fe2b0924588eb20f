"""Keras models as pure functions of their weights."""

import contextlib
import functools
import inspect
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from otafl.errors import OtaflError
from otafl.numerics.tensors import Tensor
from otafl.system import process
from otafl.training.local import folded
from otafl.training.models import MODELS, Builder
from otafl.user_code import modules, plugins

PROBE_SAMPLES = 3
"""Samples on which a model is tried."""
PROBE_DEVIATION = 0.1
"""Standard deviation of the noise on weights with which a model is tried."""
PROBE_TOLERANCE = 0.02
"""Largest difference of outputs relative to the largest output: above the rounding of bfloat16, below that of
normalisation over a batch."""


@dataclass(frozen=True, eq=False)
class Network:
    """Keras model as a pure function of its trainable weights, d elements in all.

    Arguments:
        name: value of ``problem.model``.
        build: function that makes another Keras model of the same form.
        model: a model of that form, whose weights are not used.
        shapes: shape of each trainable weight.
        outputs: number of outputs for a sample.
    """

    name: str
    build: Callable[[], Any]
    model: Any
    shapes: tuple[tuple[int, ...], ...]
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
        return any(map(_is_seed, self.model.non_trainable_variables))

    @property
    def regularised(self) -> bool:
        """True where some weight has a regulariser of Keras'."""
        return any(variable.regularizer is not None for variable in self.model.trainable_variables)

    def regularisation(self, weights: list[Tensor], base: Tensor | None = None) -> Tensor:
        """Return the sum of the regularisers of a model's weights, which every local loss contains. Scalar, float32.

        Arguments:
            weights: trainable weights, an array of each shape in ``shapes``.
            base: frozen weights; None, as a network without adapters has none.
        """
        pairs = zip(self.model.trainable_variables, weights, strict=True)
        return tf.add_n(
            [variable.regularizer(weight) for variable, weight in pairs if variable.regularizer is not None]
        )

    def apply(
        self, weights: list[Tensor], inputs: Tensor, base: Tensor | None = None, seed: Tensor | None = None
    ) -> Tensor:
        """Return the outputs of the network, such as logits. Shape [samples, outputs], float32.

        Arguments:
            weights: trainable weights, an array of each shape in ``shapes``.
            inputs: scaled features of the samples. Shape [samples, ...].
            base: frozen weights; None, as a network without adapters has none.
            seed: seed of layers that draw random numbers in training; None: none are drawn. Shape [2], int64.
        """
        return self.call(weights, inputs, seed)[0]

    def call(self, weights: list[Tensor], inputs: Tensor, seed: Tensor | None = None) -> tuple[Tensor, list[Tensor]]:
        """Return the outputs of the network, and the model's other variables after the call.

        These should not have changed, but for the states of random generators.

        Arguments:
            weights: trainable weights, an array of each shape in ``shapes``.
            inputs: scaled features of the samples. Shape [samples, ...].
            seed: seed of layers that draw random numbers in training; None: none are drawn. Shape [2], int64.

        Returns:
            Outputs [samples, outputs], float32, and a list of the variables that are not trained.
        """
        frozen = [
            variable.value if seed is None or not _is_seed(variable) else folded(seed, tf.constant(place))
            for place, variable in enumerate(self.model.non_trainable_variables)
        ]
        training = seed is not None or not self.draws
        keys = {"training": training} if "training" in inspect.signature(self.model.call).parameters else {}
        outputs, after = self.model.stateless_call(weights, frozen, inputs, **keys)
        return tf.cast(outputs, tf.float32), after

    def unflatten(self, flat: Tensor) -> list[Tensor]:
        """Return vectors of d weights as arrays of the shapes of the model's weights.

        Arguments:
            flat: vectors of weights. Shape [..., d].

        Returns:
            List of arrays, [..., *shape] for each shape in ``shapes``.
        """
        parts = tf.split(flat, self._sizes, axis=-1)
        return [tf.reshape(part, [*flat.shape[:-1], *shape]) for part, shape in zip(parts, self.shapes, strict=True)]

    def flatten(self, weights: list[Tensor]) -> Tensor:
        """Return the weights of n models as vectors of d elements. Shape [n, d].

        Arguments:
            weights: list of arrays, [n, *shape] for each shape in ``shapes``.
        """
        return tf.concat([tf.reshape(weight, [weight.shape[0], -1]) for weight in weights], axis=1)

    def initial(self, seed: int) -> np.ndarray:
        """Return all d weights, drawn by the model's own initialisers under a seed. Shape [d], float32.

        Arguments:
            seed: seed of the initialisers.

        Raises:
            OtaflError: the model's function returns another model than before.
        """
        with _seeded(seed):
            model = self.build()
        if _shapes(model) != self.shapes:
            raise OtaflError("problem.model", self.name, "must return the same model at every call")
        return np.concatenate([variable.numpy().reshape(-1) for variable in model.trainable_variables])


def network(name: str, input_shape: tuple[int, ...], outputs: int, precision: str = "float32") -> Network:
    """Return the network that ``problem.model`` names: one of MODELS, or ``package.module:function``.

    Such a function takes the shape of an input and the number of outputs, and returns a Keras model that ends in
    logits.

    Arguments:
        name: value of ``problem.model``.
        input_shape: shape of one sample's features, such as [height, width, channels].
        outputs: number of outputs of a sample, such as classes.
        precision: type in which layers compute, "float32" or "bfloat16".

    Raises:
        OtaflError: there is no such function, it does not return such a model, or the model carries state from sample
            to sample.
    """
    builder = _builder(name)
    call = modules.studies if ":" in name else 0
    return _network(builder, name, tuple(input_shape), outputs, precision, call)


@functools.lru_cache(maxsize=8)
def _network(
    builder: Builder, name: str, input_shape: tuple[int, ...], outputs: int, precision: str, call: int
) -> Network:
    """Return the network of a builder, kept by its arguments; ``call`` counts changes of user code."""

    def build() -> Any:
        with _settings(precision), _refusing(name, input_shape), plugins.from_working_folder():
            return _model(builder(input_shape, outputs), name, input_shape)

    with _seeded(0):
        model = build()
    made = Network(name, build, model, _shapes(model), outputs)
    with _refusing(name, input_shape):
        _check(made, name, input_shape, outputs)
    return made


@contextlib.contextmanager
def _settings(precision: str) -> Iterator[None]:
    """A context in which Keras has the settings that a model is built with, whatever a file or the session says."""
    before = keras.config.dtype_policy(), keras.config.floatx(), keras.config.image_data_format()
    _set("mixed_bfloat16" if precision == "bfloat16" else "float32", "float32", "channels_last")
    try:
        yield
    finally:
        _set(*before)


def _set(policy: Any, floats: str, images: str) -> None:
    keras.config.set_floatx(floats)
    keras.config.set_dtype_policy(policy)
    keras.config.set_image_data_format(images)


@contextlib.contextmanager
def _refusing(name: str, input_shape: tuple[int, ...]) -> Iterator[None]:
    """Turn failures of a user's function or model, also those that end the process, into one OtaflError."""
    try:
        yield
    except OtaflError:
        raise
    except (Exception, SystemExit) as error:
        rule = f"the function or its model fails on inputs of shape {input_shape}: {plugins.why(error)}"
        raise OtaflError("problem.model", name, rule) from error


def _model(found: Any, name: str, input_shape: tuple[int, ...]) -> Any:
    """Return a found object, called once, if it is a Keras model with trainable weights."""
    if not isinstance(found, keras.Model):
        raise OtaflError("problem.model", name, f"must return a keras.Model, not {type(found).__name__}")
    found(np.zeros((1, *input_shape), np.float32))
    if not found.trainable_variables:
        raise OtaflError("problem.model", name, "must have trainable weights")
    return found


def _is_seed(variable: Any) -> bool:
    """Return True for the state of one of Keras' random generators."""
    return variable.name == "seed_generator_state"


def _shapes(model: Any) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(variable.shape) for variable in model.trainable_variables)


def _builder(name: str) -> Builder:
    return MODELS[name] if name in MODELS else plugins.function("problem.model", name)


def _check(made: Network, name: str, input_shape: tuple[int, ...], outputs: int) -> None:
    """Refuse a model whose outputs are not logits, or that mixes samples or keeps state of them."""
    probe = tf.random.stateless_uniform((PROBE_SAMPLES, *input_shape), (0, 0))
    weights = [
        variable.value + PROBE_DEVIATION * tf.random.stateless_normal(shape, (place, 1))
        for place, (variable, shape) in enumerate(zip(made.model.trainable_variables, made.shapes, strict=True))
    ]
    if made.draws and "training" not in inspect.signature(made.model.call).parameters:
        raise OtaflError("problem.model", name, "must take training in its call, as some layer draws random numbers")
    seed = tf.constant([0, 0], tf.int64) if made.draws else None
    together, after = made.call(weights, probe, seed)
    if tuple(together.shape) != (PROBE_SAMPLES, outputs):
        rule = f"must give {outputs} logits for each sample, not an output of shape {tuple(together.shape[1:])}"
        raise OtaflError("problem.model", name, rule)
    if float(tf.reduce_min(together)) >= 0 and np.allclose(tf.reduce_sum(together, axis=1), 1, atol=1e-2):
        raise OtaflError("problem.model", name, "must end in logits, not in a softmax")
    for variable, value in zip(made.model.non_trainable_variables, after, strict=True):
        if not _is_seed(variable) and not np.array_equal(variable.value, value):
            rule = f"must not carry state across samples, but {variable.path} changes with every batch"
            raise OtaflError("problem.model", name, rule)
    others = [tf.where(tf.reshape(row, [-1, *[1] * len(input_shape)]) > 0, probe, 0.0) for row in np.eye(PROBE_SAMPLES)]
    alone = tf.stack([made.call(weights, batch, seed)[0][place] for place, batch in enumerate(others)])
    if float(tf.reduce_max(tf.abs(together - alone))) > PROBE_TOLERANCE * float(tf.reduce_max(tf.abs(alone))):
        rule = "must not carry state across samples: a sample's output depends on the others in its batch"
        raise OtaflError("problem.model", name, rule)
    if left_out := _left_out(made.model, probe):
        raise OtaflError("problem.model", name, f"{left_out}; only regularisers of weights are trained with")
    if made.regularised and made.regularisation(weights).shape.rank:
        raise OtaflError("problem.model", name, "must have regularisers whose value is one number")


def _left_out(model: Any, probe: Tensor) -> str:
    """Return which of Keras' ways to shape training a model has that averages of models or samples' losses cannot keep."""
    for variable in model.trainable_variables:
        if variable.constraint is not None:
            return f"must not have constraints, but {variable.path} has {type(variable.constraint).__name__}"
    model(probe, training=True)
    for layer in reversed(model._flatten_layers()):
        if len(layer.losses) > sum(weight.regularizer is not None for weight in layer.trainable_weights):
            has = "regularises its activity" if layer.activity_regularizer is not None else "adds a loss"
            return f"must not have losses of activities, but the layer {layer.name} {has}"
    return ""


@contextlib.contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seed Python's generator, from which Keras takes the seeds of initialisers, and restore its state afterwards."""
    with process.alone():
        state = random.getstate()
        random.seed(seed)
        try:
            yield
        finally:
            random.setstate(state)
