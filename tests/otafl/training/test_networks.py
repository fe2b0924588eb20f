"""Networks by name and of the user's own: their sizes, their flat weights, and those that cannot be trained."""

import warnings

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
from tests.otafl.small import some
from tests.otafl.training.stacked import stacked

DIGITS = {"run.seeds": 1, "run.iterations": 3, "federation.workers": 6, "local.steps": 5, "local.batch_size": 20}


def use(policy, floats, images):
    keras.config.set_floatx(floats)
    keras.config.set_dtype_policy(policy)
    keras.config.set_image_data_format(images)


def test_settings_of_a_session_change_no_model():
    before = named_network("cnn", (8, 8, 3), 10)
    networks._built_network.cache_clear()
    use("mixed_float16", "float16", "channels_first")
    try:
        after = named_network("cnn", (8, 8, 3), 10)
        settings = keras.config.dtype_policy().name, keras.config.floatx(), keras.config.image_data_format()
        assert settings == ("mixed_float16", "float16", "channels_first")
    finally:
        use("float32", "float32", "channels_last")
    assert (before.shapes, before.model.input_dtype) == (after.shapes, after.model.input_dtype)
    np.testing.assert_array_equal(before.initial(0), after.initial(0))


@pytest.mark.parametrize("model", MODELS)
def test_models_that_are_said_not_to_convolve_do_not(model):
    shape = (8,) if model == "transformer" else (32, 32, 3)
    assert named_network(model, shape, 10).convolves == (model not in DENSE)


@pytest.mark.parametrize(
    ("model", "shape", "elements"),
    [
        ("mlp_small", (8, 8, 1), 2368),
        ("mlp", (28, 28, 1), 109_184),
        ("mlp_biased", (60,), 2282),
        ("cnn1", (28, 28, 1), 1_663_370),
        ("cnn2", (32, 32, 3), 1_105_098),
        ("resnet18", (32, 32, 3), 11_172_170),
        ("transformer", (8,), 2 * 32 * 10 + 10 + 2 * (12 * 32**2 + 9 * 32) + 2 * 32),
    ],
)
def test_networks_of_the_papers_have_their_sizes(model, shape, elements):
    """The transformer's two blocks have four w x w of attention, w x 4w and back, with scales, shifts and biases."""
    assert named_network(model, shape, 10).elements == elements


def test_what_gong_et_al_published_in_place_of_cnn1():
    """PyTorch's initial weights and biases, no ReLU after convolutions, and probabilities in place of logits."""
    names = ("cnn1", "cnn1_torch", "cnn1_linear", "cnn1_released")
    nets = {name: named_network(name, (28, 28, 1), 10) for name in names}
    assert {net.elements for net in nets.values()} == {1_663_370}
    for weight in nets["cnn1_torch"].unflatten(tf.constant(nets["cnn1_torch"].initial(0))):
        fan_in = {1: None, 2: weight.shape[0], 4: np.prod(weight.shape[:3])}[len(weight.shape)]
        if fan_in:
            assert float(tf.reduce_max(tf.abs(weight))) == pytest.approx(fan_in**-0.5, rel=0.02)
            assert float(tf.math.reduce_std(weight)) == pytest.approx((3 * fan_in) ** -0.5, rel=0.1)
        else:
            assert float(tf.reduce_max(tf.abs(weight))) > 0
    released = nets["cnn1_released"]
    images = tf.random.stateless_uniform((4, 28, 28, 1), (0, 0))
    outputs = released.apply(released.unflatten(tf.constant(released.initial(0))), images)
    np.testing.assert_allclose(tf.reduce_sum(outputs, axis=1), 0, atol=1e-6)
    rectified = {name: net.model.layers[0].activation is keras.activations.relu for name, net in nets.items()}
    assert rectified == {"cnn1": True, "cnn1_torch": True, "cnn1_linear": False, "cnn1_released": False}


@pytest.mark.parametrize("model", ["mlp_small", "cnn"])
def test_flat_weights_and_back(model):
    """Initial ones are those of a seed."""
    net = named_network(model, (8, 8, 1), 10)
    flat = tf.constant(np.random.default_rng(0).standard_normal((3, net.elements)).astype(np.float32))
    np.testing.assert_array_equal(net.flatten(net.unflatten(flat)), flat)
    np.testing.assert_array_equal(net.initial(1), net.initial(1))
    assert not np.array_equal(net.initial(1), net.initial(2))


@pytest.mark.parametrize("model", some(["resnet20", "resnet18"], ["resnet20"]))
def test_residual_networks_keep_no_statistics_of_batches(model):
    """ResNet-20 has 19 convolutions on the main path and a dense layer; two convolutions 1 x 1 lie beside it."""
    net = named_network(model, (32, 32, 3), 10)
    assert not net.model.non_trainable_variables
    weights = net.unflatten(tf.constant(net.initial(0)))
    images = tf.random.stateless_uniform((3, 32, 32, 3), (0, 0))
    together, alone = net.apply(weights, images), [net.apply(weights, images[k : k + 1])[0] for k in range(3)]
    assert together.shape == (3, 10)
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-3)
    main = [shape for shape in net.shapes if len(shape) == 2 or (len(shape) == 4 and shape[0] == 3)]
    assert len(main) == int(model.removeprefix("resnet"))


def test_attention_is_the_mean_of_values_by_the_softmax_of_scaled_products():
    """And the transformer sees the order of characters."""
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
    net, text = named_network("transformer", (8,), 16), np.arange(8, dtype=np.float32)[None]
    weights = net.unflatten(tf.constant(net.initial(0)))
    assert not np.allclose(net.apply(weights, text), net.apply(weights, text[:, [1, 0, *range(2, 8)]]), atol=1e-4)


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


def frozen(input_shape, outputs):
    model = normalised(input_shape, outputs)
    model.layers[1].trainable = False
    return model


def failing(input_shape, outputs):
    raise RuntimeError("no such layer")


def built(kind):
    return lambda input_shape, outputs: kind(outputs)


Dense = keras.layers.Dense
TURNS = keras.Sequential([keras.layers.RandomRotation(0.1, name="turn")])
subclassed, dropping_unasked, not_a_model = built(Subclassed), built(DroppingUnasked), built(int)
normalised = stacked(lambda outputs: [keras.layers.BatchNormalization(), Dense(outputs)])
dropping_and_centred = stacked(lambda outputs: [Centre(), keras.layers.Dropout(0.5), Dense(outputs)])
two_headed = stacked(lambda outputs: [Dense(outputs + 1)])
turning = stacked(lambda outputs: [keras.layers.Reshape((8, 8, 1)), TURNS, keras.layers.Flatten(), Dense(outputs)])
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
    f"{__name__}:absent": "cannot be imported",
    "no_such_module:absent": "there is no module no_such_module on Python's path or in the working folder",
    f"{__name__}:normalised": "must not carry state across samples",
    f"{__name__}:dropping_unasked": "must take training in its call",
    f"{__name__}:dropping_and_centred": "depends on the others in its batch",
    f"{__name__}:two_headed": "must give 10 logits",
    f"{__name__}:not_a_model": "must return a keras.Model",
    f"{__name__}:failing": "no such layer",
    f"{__name__}:turning": "but the layer turn has ImageProjectiveTransformV3",
    f"{__name__}:empty": "must have trainable weights",
}


@pytest.mark.daily(8)
@pytest.mark.parametrize("model", BAD_MODELS)
def test_models_that_cannot_be_trained_are_refused(model, tmp_path):
    with pytest.raises(OtaflError, match=r"problem\.model") as refused:
        otafl.run("digits_quickstart", DIGITS | {"problem.model": model}, out=tmp_path)
    assert BAD_MODELS[model] in str(refused.value)
    assert not list(tmp_path.iterdir())


rescaled = stacked(lambda outputs: [keras.layers.Rescaling(1 / 255), Dense(outputs)])


@pytest.mark.parametrize("name", ["cnn", "cnn1", "resnet20"])
def test_grey_images_need_no_channel_axis(name):
    assert named_network(name, (8, 8), 3).elements == named_network(name, (8, 8, 1), 3).elements


def remark_of(keys, x=None):
    data = None if x is None else {"x_train": x, "y_train": np.arange(20) % 2, "x_test": x, "y_test": np.arange(20) % 2}
    with warnings.catch_warnings(record=True) as said:
        otafl.run(
            "digits_quickstart", DIGITS | {"method": "FedAvg@ideal", "run.iterations": 1} | keys, data=data, store=False
        )
    return " ".join(str(warning.message) for warning in said)


@pytest.mark.slow
def test_inputs_that_are_scaled_twice_or_not_at_all_get_a_remark():
    x = np.random.default_rng(0).normal(size=(20, 3))
    linear = {"problem.model": "linear", "federation.workers": 2}
    assert "its layer rescaling" in remark_of({"problem.model": f"{__name__}:rescaled"})
    assert "its layer" not in remark_of(linear | {"problem.model": f"{__name__}:rescaled"}, 255 * x)
    assert "problem.standardise = true brings" in remark_of(linear, x * [1, 200, 1])
    assert "standardise" not in remark_of(linear, x) + remark_of(
        linear | {"problem.standardise": True}, x * [1, 200, 1]
    )


def functional(activation):
    def build(input_shape, outputs):
        inputs = keras.Input(input_shape)
        return keras.Model(inputs, activation(Dense(outputs)(keras.layers.Flatten()(inputs))))

    return build


@pytest.mark.parametrize("activation", ["softmax", "sigmoid", "relu"])
def test_a_model_that_ends_in_no_logits_is_refused_in_any_form(activation, monkeypatch):
    """An activation that ends in no logits is found as an argument, a layer, a function, within, and for one output."""
    function, last = getattr(keras.ops, activation), {"softmax": "Softmax", "relu": "ReLU"}.get(activation)
    layers = [lambda: keras.layers.Activation(activation), *([getattr(keras.layers, last)] if last else [])]
    forms = [stacked(lambda outputs: [Dense(outputs, activation=activation)]), functional(function)]
    forms += [stacked(lambda outputs, layer=layer: [Dense(outputs), layer()]) for layer in layers]
    forms += [stacked(lambda outputs, layer=layer: [keras.Sequential([Dense(outputs), layer()])]) for layer in layers]
    forms += [stacked(lambda outputs: [Dense(1, activation=activation)])]
    for number, form in enumerate(forms):
        monkeypatch.setitem(MODELS, f"m:{number}", form)
        with pytest.raises(OtaflError, match="must end in logits, which may be negative"):
            named_network(f"m:{number}", (8, 8), 2)
    monkeypatch.setitem(MODELS, "m:logits", stacked(lambda outputs: [Dense(outputs, bias_initializer="ones")]))
    assert named_network("m:logits", (8, 8), 2).outputs == 2


def test_a_model_of_the_users_own_trains():
    keys = DIGITS | {"method": "FedAvg", "local.learning_rate": 1.0, "problem.model": f"{__name__}:frozen"}
    data = otafl.run("digits_quickstart", keys)
    assert data["test_accuracy"].isel(seed=0, iteration=-1) > 0.3


@pytest.mark.slow
def test_pseudo_labels_of_a_subclassed_model():
    """Classes are counted without the model's help: Keras knows no output shape of such a model."""
    keys = {"method": "FedVRA-U", "problem.model": f"{__name__}:subclassed", "federation.labelled": 0.5}
    data = otafl.run("digits_quickstart", DIGITS | keys | {"local.steps": None, "run.iterations": 2})
    assert np.isfinite(data["loss"]).all()
