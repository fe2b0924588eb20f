"""Networks by name and of the user's own: their sizes, their flat weights, and those that cannot be trained."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl.errors import OtaflError
from otafl.settings.problem import DENSE
from otafl.training import models, networks
from otafl.training.models import MODELS
from otafl.training.networks import named_network

DIGITS = {
    "run.seeds": 1,
    "run.iterations": 3,
    "federation.workers": 6,
    "local.steps": 5,
    "local.batch_size": 20,
    "method": "A-SFADMM",
    "channel.coherence_iterations": 3.0,
}


def run(overrides=None, name="digits_quickstart", **keys):
    return otafl.run(name, DIGITS | (overrides or {}), **keys)


def test_initial_weights_depend_on_the_seed_alone():
    net = named_network("mlp_small", (8, 8, 1), 10)
    first, again, other = net.initial(1), net.initial(1), net.initial(2)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    assert first.shape == (2368,)


def test_settings_of_a_session_change_no_model():
    before = named_network("cnn", (8, 8, 3), 10)
    networks._built_network.cache_clear()
    networks._set("mixed_float16", "float16", "channels_first")
    try:
        after = named_network("cnn", (8, 8, 3), 10)
        assert keras.config.image_data_format() == "channels_first"
    finally:
        networks._set("float32", "float32", "channels_last")
    assert (before.shapes, before.model.input_dtype) == (after.shapes, after.model.input_dtype)
    np.testing.assert_array_equal(before.initial(0), after.initial(0))


@pytest.mark.parametrize("model", MODELS)
def test_models_that_are_said_not_to_convolve_do_not(model):
    shape = (8,) if model == "transformer" else (32, 32, 3)
    assert named_network(model, shape, 10).convolves == (model not in DENSE)


def test_the_papers_network_has_109184_weights():
    assert named_network("mlp", (28, 28, 1), 10).elements == 109_184


@pytest.mark.parametrize("model", ["mlp", "mlp_small", "cnn"])
def test_flat_weights_and_back(model):
    net = named_network(model, (8, 8, 1), 10)
    flat = tf.constant(np.random.default_rng(0).standard_normal((3, net.elements)).astype(np.float32))
    np.testing.assert_array_equal(net.flatten(net.unflatten(flat)), flat)


@pytest.mark.parametrize(
    ("model", "shape", "elements"),
    [("cnn1", (28, 28, 1), 1_663_370), ("cnn2", (32, 32, 3), 1_105_098), ("mlp_biased", (60,), 2282)],
)
def test_networks_of_the_papers_have_their_sizes(model, shape, elements):
    assert named_network(model, shape, 10).elements == elements


def test_what_gong_et_al_published_in_place_of_cnn1():
    """PyTorch's initial weights and biases, no ReLU after convolutions, and probabilities in place of logits."""
    nets = {
        name: named_network(name, (28, 28, 1), 10) for name in ("cnn1", "cnn1_torch", "cnn1_linear", "cnn1_released")
    }
    assert {net.elements for net in nets.values()} == {1_663_370}
    for weight in nets["cnn1_torch"].unflatten(tf.constant(nets["cnn1_torch"].initial(0))):
        fan_in = {1: None, 2: weight.shape[0], 4: np.prod(weight.shape[:3])}[len(weight.shape)]
        if fan_in:
            assert float(tf.reduce_max(tf.abs(weight))) == pytest.approx(fan_in**-0.5, rel=0.02)
            assert float(tf.math.reduce_std(weight)) == pytest.approx((3 * fan_in) ** -0.5, rel=0.1)
        else:
            assert float(tf.reduce_max(tf.abs(weight))) > 0
    images = tf.random.stateless_uniform((4, 28, 28, 1), (0, 0))
    released = nets["cnn1_released"]
    outputs = released.apply(released.unflatten(tf.constant(released.initial(0))), images)
    np.testing.assert_allclose(tf.reduce_sum(outputs, axis=1), 0, atol=1e-6)
    rectified = {name: net.model.layers[0].activation is keras.activations.relu for name, net in nets.items()}
    assert rectified == {"cnn1": True, "cnn1_torch": True, "cnn1_linear": False, "cnn1_released": False}


def test_resnet20_has_twenty_weighted_layers():
    """19 convolutions on the main path and one dense layer; two convolutions 1 x 1 lie beside it."""
    shapes = named_network("resnet20", (32, 32, 3), 10).shapes
    assert sum(len(shape) == 4 and shape[0] == 3 for shape in shapes) == 19
    assert sum(len(shape) == 2 for shape in shapes) == 1


def test_resnet18_has_its_layers_and_weights():
    """Convolutions 3 x 3 and 1 x 1, scale and shift of each of 17 normalised layers, and a dense layer."""
    net = named_network("resnet18", (32, 32, 3), 10)
    widths = (64, 128, 256, 512)
    before = (64, *widths[:-1])
    convolutions = 27 * 64 + sum(9 * (b + 3 * c) * c for b, c in zip(before, widths, strict=True))
    shortcuts = sum(b * c for b, c in zip(before, widths, strict=True) if b != c)
    assert net.elements == convolutions + shortcuts + 2 * (64 + 4 * sum(widths)) + 512 * 10 + 10 == 11_172_170
    assert sum((len(shape) > 1 and shape[0] == 3) or len(shape) == 2 for shape in net.shapes) == 18
    assert net.model.layers[-2].input.shape == (None, 4, 4, 512)


@pytest.mark.parametrize("model", ["resnet20", "resnet18"])
def test_residual_networks_keep_no_statistics_of_batches(model):
    net = named_network(model, (32, 32, 3), 10)
    assert not net.model.non_trainable_variables
    weights = net.unflatten(tf.constant(net.initial(0)))
    images = tf.random.stateless_uniform((3, 32, 32, 3), (0, 0))
    together, alone = net.apply(weights, images), [net.apply(weights, images[k : k + 1])[0] for k in range(3)]
    assert together.shape == (3, 10)
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-3)


def test_transformer_has_the_weights_of_its_layers():
    """Characters, width w and two blocks: four w x w of attention, w x 4w and back, with scales, shifts and biases."""
    w, characters = 32, 16
    block = 4 * w * w + 8 * w * w + 4 * w + w + 4 * w
    assert (
        named_network("transformer", (8,), characters).elements == 2 * characters * w + characters + 2 * block + 2 * w
    )


def test_transformer_sees_the_order_of_characters():
    net = named_network("transformer", (8,), 16)
    weights = net.unflatten(tf.constant(net.initial(0)))
    text = np.array([[1, 2, 3, 4, 5, 6, 7, 8]], np.float32)
    swapped = text[:, [1, 0, 2, 3, 4, 5, 6, 7]]
    assert not np.allclose(net.apply(weights, text), net.apply(weights, swapped), atol=1e-4)


def test_attention_is_the_mean_of_values_by_the_softmax_of_scaled_products():
    inputs = keras.Input((3, 4))
    model = keras.Model(inputs, models._attention(inputs, heads=2))
    x = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
    query, key, value, out = (variable.numpy() for variable in model.trainable_variables)
    heads = []
    for cols in (slice(0, 2), slice(2, 4)):
        scores = (x @ query)[:, cols] @ (x @ key)[:, cols].T / np.sqrt(2)
        shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        heads.append(shares @ (x @ value)[:, cols])
    np.testing.assert_allclose(model(x[None])[0], np.concatenate(heads, axis=1) @ out, rtol=1e-4, atol=1e-5)


def stacked(layers):
    """A function that builds a Keras model of an input and some layers."""

    def build(input_shape, outputs):
        return keras.Sequential([keras.Input(input_shape), keras.layers.Flatten(), *layers(outputs)])

    return build


@keras.saving.register_keras_serializable()
class Centre(keras.layers.Layer):
    """Takes the mean over the batch away."""

    def call(self, inputs):
        return inputs - tf.reduce_mean(inputs, axis=0, keepdims=True)


@keras.saving.register_keras_serializable()
class Adding(keras.layers.Layer):
    """Adds a loss as it trains."""

    def call(self, inputs, training=False):
        if training:
            self.add_loss(keras.ops.mean(inputs))
        return inputs


class Subclassed(keras.Model):
    """A model whose call takes no ``training``, with weights that it does not use."""

    def __init__(self, outputs):
        super().__init__()
        self.flatten, self.dense = keras.layers.Flatten(), keras.layers.Dense(outputs)
        self.unused = self.add_weight(shape=(3,), name="unused")

    def call(self, inputs):
        return self.dense(self.flatten(inputs))


class DroppingUnasked(Subclassed):
    """A model with dropout that is never told that it trains."""

    def __init__(self, outputs):
        super().__init__(outputs)
        self.dropout = keras.layers.Dropout(0.5)

    def call(self, inputs):
        return self.dense(self.dropout(self.flatten(inputs)))


def subclassed(input_shape, outputs):
    return Subclassed(outputs)


def dropping_unasked(input_shape, outputs):
    return DroppingUnasked(outputs)


def frozen(input_shape, outputs):
    model = normalised(input_shape, outputs)
    model.layers[1].trainable = False
    return model


def not_a_model(input_shape, outputs):
    return 7


def failing(input_shape, outputs):
    raise RuntimeError("no such layer")


Dense = keras.layers.Dense
normalised = stacked(lambda outputs: [keras.layers.BatchNormalization(), Dense(outputs)])
dropping_and_centred = stacked(lambda outputs: [Centre(), keras.layers.Dropout(0.5), Dense(outputs)])
centred = stacked(lambda outputs: [Centre(), Dense(outputs, kernel_initializer="zeros")])
two_headed = stacked(lambda outputs: [Dense(outputs + 1)])
ending_in_softmax = stacked(lambda outputs: [Dense(outputs, activation="softmax")])
empty = stacked(lambda outputs: [keras.layers.Activation("relu")])
constrained = stacked(lambda outputs: [Dense(outputs, kernel_constraint=keras.constraints.MaxNorm(0.01))])
active = stacked(lambda outputs: [Dense(outputs, activity_regularizer="l2", kernel_regularizer="l2", name="noisy")])
adding = stacked(lambda outputs: [keras.Sequential([Adding(name="costly"), Dense(outputs)])])
of_vectors = stacked(lambda outputs: [Dense(outputs, kernel_regularizer=lambda weight: keras.ops.sum(weight, axis=0))])


BAD_MODELS = {
    f"{__name__}:constrained": "must not have constraints, but sequential",
    f"{__name__}:active": "the layer noisy regularises its activity; only regularisers of weights are trained with",
    f"{__name__}:adding": "the layer costly adds a loss",
    f"{__name__}:of_vectors": "whose value is one number",
    "nonsense": "cnn2, resnet20, resnet18, or package.module:function",
    "no_such_package.models:net": "cannot be imported",
    f"{__name__}:absent": "cannot be imported",
    f"{__name__}:normalised": "must not carry state across samples",
    f"{__name__}:dropping_unasked": "must take training in its call",
    f"{__name__}:dropping_and_centred": "depends on the others in its batch",
    f"{__name__}:two_headed": "must give 10 logits",
    f"{__name__}:not_a_model": "must return a keras.Model",
    f"{__name__}:failing": "no such layer",
    f"{__name__}:centred": "depends on the others in its batch",
    f"{__name__}:ending_in_softmax": "must end in logits",
    f"{__name__}:empty": "must have trainable weights",
}


@pytest.mark.parametrize("model", BAD_MODELS)
def test_models_that_cannot_be_trained_are_refused(model, tmp_path):
    with pytest.raises(OtaflError, match=r"problem\.model") as refused:
        run({"problem.model": model}, out=tmp_path)
    assert BAD_MODELS[model] in str(refused.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("model", ["frozen", pytest.param("subclassed", marks=pytest.mark.slow)])
def test_a_model_of_the_users_own_trains(model):
    keys = {"run.iterations": 3, "method": "FedAvg", "local.learning_rate": 1.0}
    data = run({"problem.model": f"{__name__}:{model}"} | keys)
    assert data["test_accuracy"].isel(seed=0, iteration=-1) > 0.3


def test_pseudo_labels_of_a_subclassed_model():
    """Classes are counted without the model's help: Keras knows no output shape of such a model."""
    keys = {"method": "FedVRA-U", "problem.model": f"{__name__}:subclassed", "federation.labelled": 0.5}
    data = run(keys | {"local.steps": None, "channel.coherence_iterations": 10.0, "run.iterations": 2})
    assert np.isfinite(data["loss"]).all()


@pytest.mark.slow
def test_convolutions_train():
    data = run({"problem.model": "cnn", "run.iterations": 3, "local.steps": 10})
    assert data["test_accuracy"].isel(seed=0, iteration=-1) > 0.4
