"""Low-rank adapters: what they start from, what they can represent, how many numbers they are."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import otafl
from otafl.engine.group import Group
from otafl.engine.run_spec import RunSpec
from otafl.errors import OtaflError
from otafl.training import networks
from otafl.training.adapters import with_adapters
from otafl.training.networks import named_network
from tests.rounding import SINGLE, assert_close

RNG = np.random.default_rng(0)
DIGITS = {
    "run.seeds": 1,
    "run.iterations": 3,
    "federation.workers": 6,
    "local.steps": 5,
    "local.batch_size": 20,
    "method": "FedAvg",
    "problem.adapter_rank": 2,
}


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


def test_adapters_of_full_rank_reach_any_model():
    """B and A of a matrix come from the singular values of what it lacks."""
    full = named_network("mlp_small", (8, 8, 1), 10)
    net, base, aim = with_adapters(full, 64, 3.0), tensor(1, full.elements), tensor(full.elements)
    weights = []
    for lack in full.unflatten(aim - base[0]):
        left, values, right = np.linalg.svd(lack, full_matrices=False)
        weights += [left * values * len(values) / 3.0, right]
    found = net.merged([tf.constant(weight) for weight in weights], base)
    np.testing.assert_allclose(full.flatten([weight[None] for weight in found])[0], aim, rtol=0, atol=1e-4)


@pytest.mark.parametrize("rank", [1, 3])
def test_an_update_has_the_rank_of_its_adapters(rank):
    full = named_network("mlp_small", (8, 8, 1), 10)
    net, base = with_adapters(full, rank, 8.0), tensor(1, full.elements)
    moved = net.merged([tensor(*shape) for shape in net.shapes], base)
    for new, old in zip(moved, full.unflatten(base[0]), strict=True):
        assert np.linalg.matrix_rank(new - old, tol=1e-3) == rank


def test_gradients_follow_from_those_of_the_whole_model():
    """With W = W0 + sAB: dA = s G Bᵀ and dB = s Aᵀ G, G being the gradient of W."""
    full = named_network("mlp_small", (8, 8, 1), 10)
    net, base, images = with_adapters(full, 4, 8.0), tensor(1, full.elements), tensor(5, 8, 8, 1)
    weights = [tensor(*shape) for shape in net.shapes]
    with tf.GradientTape() as tape:
        tape.watch(weights)
        value = tf.reduce_sum(net.apply(weights, images, base) ** 2)
    found = tape.gradient(value, weights)
    merged = net.merged(weights, base)
    with tf.GradientTape() as tape:
        tape.watch(merged)
        value = tf.reduce_sum(full.apply(merged, images) ** 2)
    for place, slope in enumerate(tape.gradient(value, merged)):
        a, b = weights[2 * place : 2 * place + 2]
        np.testing.assert_allclose(found[2 * place], 2.0 * slope @ tf.transpose(b), rtol=1e-3, atol=1e-2)
        np.testing.assert_allclose(found[2 * place + 1], 2.0 * tf.transpose(a) @ slope, rtol=1e-3, atol=1e-2)


def test_initial_adapters_have_their_stated_distribution():
    net = with_adapters(named_network("mlp", (28, 28, 1), 10), 64, 8.0)
    first, second, *_ = net.unflatten(tf.constant(net.initial(1)))
    assert float(tf.math.reduce_std(first)) == pytest.approx(784**-0.5, rel=0.02)
    assert not second.numpy().any()
    assert not np.array_equal(net.initial(1), net.initial(2))


def test_costs_are_those_of_adapters():
    """The uplink of a study sends 2,368 elements of the model, and 276 of its adapters."""
    found = []
    for rank in (0, 2):
        ((_, settings),) = otafl.load("digits_quickstart", DIGITS | {"problem.adapter_rank": rank}).points()
        found.append(Group([RunSpec(settings, 0)]).uplink.elements)
    assert found == [2368, 276]


@pytest.mark.slow
def test_workers_together_train_as_one_by_one():
    """A vectorised program and that of single workers see the same base."""
    chunks = [otafl.run("digits_quickstart", DIGITS | {"run.worker_chunk": n})["loss"].values for n in (1, 3)]
    np.testing.assert_allclose(*chunks, rtol=1e-4)


def test_a_model_without_matrices_is_refused():
    with pytest.raises(OtaflError, match=r"problem\.adapter_rank.*no weight matrix"):
        otafl.run("digits_quickstart", DIGITS | {"problem.model": f"{__name__}:scaled"})


def scaled(input_shape, outputs):
    layers = networks.keras.layers
    logits = [layers.Flatten(), layers.LayerNormalization(), layers.Lambda(lambda x: x[:, :outputs])]
    return networks.keras.Sequential([networks.keras.Input(input_shape), *logits])


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"problem.adapter_rank": -1}, "adapter_rank"),
        ({"problem.adapter_rank": 0, "problem.adapter_alpha": 2.0}, "adapter_alpha"),
        ({"algorithm.start": "random", "method": "A-SFADMM"}, r"algorithm\.start.*common"),
    ],
)
def test_contradictions_are_refused(changed, rule):
    with pytest.raises(OtaflError, match=rule):
        otafl.run("digits_quickstart", DIGITS | changed)
