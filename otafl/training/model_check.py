"""Checks of a Keras model: that it ends in logits, keeps no state, mixes no samples, and has nothing left out."""

import contextlib
import inspect
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import keras
import numpy as np
import tensorflow as tf

from otafl.errors import OtaflError
from otafl.numerics.optimizers import Tensors
from otafl.numerics.tensors import Tensor
from otafl.training.models import Shape
from otafl.user_code import plugins

if TYPE_CHECKING:
    from otafl.training.networks import Network

KEY = "problem.model"
SAMPLES = 3
"""Samples on which a model is tried."""
DEVIATION = 0.1
"""Standard deviation of the noise on weights with which a model is tried."""
TOLERANCE = 0.02
"""Largest difference of outputs relative to the largest output: bfloat16 is below, normalisation over a batch above."""
TRIES = 8
"""Random weights, every second of opposite sign, with which no model that ends in logits has no negative output."""
UNCOMPILED = re.compile(r"No registered '(\w+)' OpKernel.*?{{node (\S+)}}", re.DOTALL)
"""Words of XLA on an operation that it lacks, and on the node that has it."""


@contextlib.contextmanager
def refusing(name: str, input_shape: Shape) -> Iterator[None]:
    """Turn failures of a user's function or model, also those that end the process, into one OtaflError."""
    try:
        yield
    except OtaflError:
        raise
    except (Exception, SystemExit) as error:
        rule = f"the function or its model fails on inputs of shape {input_shape}: {plugins.why(error)}"
        raise OtaflError(KEY, name, rule) from error


def usable(model: object, name: str, input_shape: Shape) -> keras.Model:
    """Return what a builder has returned, called once, if it is a Keras model with trainable weights."""
    if not isinstance(model, keras.Model):
        raise OtaflError(KEY, name, f"must return a keras.Model, not {type(model).__name__}")
    model(np.zeros((1, *input_shape), np.float32))
    if not model.trainable_variables:
        raise OtaflError(KEY, name, "must have trainable weights")
    return model


def is_seed(variable: keras.Variable) -> bool:
    """Return True for the state of one of Keras' random generators."""
    return variable.name == "seed_generator_state"


def check(network: "Network", input_shape: Shape) -> None:
    """Refuse a model whose outputs are not logits, that mixes samples, keeps state, or has what training leaves out."""
    probe = tf.random.stateless_uniform((SAMPLES, *input_shape), (0, 0))
    weights = _random_weights(network, 0)
    if network.draws and "training" not in inspect.signature(network.model.call).parameters:
        raise OtaflError(KEY, network.name, "must take training in its call, as some layer draws random numbers")
    seed = tf.constant([0, 0], tf.int64) if network.draws else None
    outputs, after = network.call(weights, probe, seed)
    rule = (
        _not_logits(network, probe, outputs, seed)
        or _keeps_state(network.model, after)
        or _mixes_samples(network, weights, probe, outputs, seed)
        or _left_out(network.model, probe)
        or _uncompiled(network, weights, probe, seed)
    )
    if not rule and network.regularised and network.regularisation(weights).shape.rank:
        rule = "must have regularisers whose value is one number"
    if rule:
        raise OtaflError(KEY, network.name, rule)


def looks_up(network: "Network", input_shape: Shape, scale: float) -> bool:
    """Return True for features, otherwise scaled, that a model looks up, as in an embedding: outputs have no slope."""
    if scale == 1.0:
        return False
    probe = tf.zeros((1, *input_shape))
    with tf.GradientTape() as tape:
        tape.watch(probe)
        outputs = network.apply(_random_weights(network, 0), probe)
    return tape.gradient(outputs, probe) is None


def _random_weights(network: "Network", number: int) -> Tensors:
    # Drawn at random, as a layer that starts at zero would hide the layers before it.
    pairs = zip(network.model.trainable_variables, network.shapes, strict=True)
    return [
        (-1) ** number * (variable.value + DEVIATION * tf.random.stateless_normal(shape, (place, number + 1)))
        for place, (variable, shape) in enumerate(pairs)
    ]


def _not_logits(network: "Network", probe: Tensor, outputs: Tensor, seed: Tensor | None) -> str:
    tries = (network.call(_random_weights(network, number), probe, seed)[0] for number in range(TRIES))
    if all(float(tf.reduce_min(tried)) >= 0 for tried in tries):
        return "must end in logits, which may be negative, not in a softmax, sigmoid or ReLU"
    if tuple(outputs.shape) != (SAMPLES, network.outputs):
        return f"must give {network.outputs} logits for each sample, not an output of shape {tuple(outputs.shape[1:])}"
    return ""


def _uncompiled(network: "Network", weights: Tensors, probe: Tensor, seed: Tensor | None) -> str:
    """Translate a user's model for XLA, without compiling it, and name the layer for which that fails."""
    if ":" not in network.name:
        return ""
    try:
        call = tf.function(lambda: network.call(weights, probe, seed)[0], jit_compile=True)
        call.experimental_get_compiler_ir()(stage="hlo")
    except ValueError as error:
        if not (lacking := UNCOMPILED.search(str(error))):
            raise
        operation, node = lacking.groups()
        place = f"/{node}"  # of layers within each other, perhaps with numbers behind their names
        layers = [layer.name for layer in network.model._flatten_layers() if f"/{layer.name}" in place]
        return f"must have operations that XLA compiles, but the layer {layers[-1]} has {operation}"
    return ""


def _keeps_state(model: keras.Model, after: Tensors) -> str:
    for variable, value in zip(model.non_trainable_variables, after, strict=True):
        if not is_seed(variable) and not np.array_equal(variable.value, value):
            return f"must not carry state across samples, but {variable.path} changes with every batch"
    return ""


def _mixes_samples(network: "Network", weights: Tensors, probe: Tensor, outputs: Tensor, seed: Tensor | None) -> str:
    """Compare each sample's output with that in a batch whose other samples are 0."""
    keeps = tf.reshape(tf.eye(SAMPLES), [SAMPLES, SAMPLES, *[1] * (len(probe.shape) - 1)])
    singles = [tf.where(keep > 0, probe, 0.0) for keep in tf.unstack(keeps)]
    alone = tf.stack([network.call(weights, single, seed)[0][place] for place, single in enumerate(singles)])
    if float(tf.reduce_max(tf.abs(outputs - alone))) > TOLERANCE * float(tf.reduce_max(tf.abs(alone))):
        return "must not carry state across samples: a sample's output depends on the others in its batch"
    return ""


def _left_out(model: keras.Model, probe: Tensor) -> str:
    # Constraints hold of no mean of models. Activity regularisers and added losses belong to a batch, not to a sample.
    end = "; only regularisers of weights are trained with"
    for variable in model.trainable_variables:
        if variable.constraint is not None:
            return f"must not have constraints, but {variable.path} has {type(variable.constraint).__name__}{end}"
    model(probe, training=True)
    for layer in reversed(model._flatten_layers()):  # inner layers first, as outer ones have their losses, too
        if len(layer.losses) > sum(weight.regularizer is not None for weight in layer.trainable_weights):
            has = "regularises its activity" if layer.activity_regularizer is not None else "adds a loss"
            return f"must not have losses of activities, but the layer {layer.name} {has}{end}"
    return ""
