"""Elements as integers times a common step: no bias, the variance that is known, zeros, cuts, bits, and refusals."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

import otafl
from otafl.compressors import Uniform
from otafl.engine.group import Group
from otafl.engine.run_spec import RunSpec
from otafl.errors import OtaflError

DRAWS = 4000


def packed(message: np.ndarray, levels: float, element_range: float, seed: int = 2) -> np.ndarray:
    """Vectors [workers, d, runs] as they are sent, in steps."""
    runs = message.shape[2]
    numbers = (tf.fill([runs], tf.constant(float(value), tf.float64)) for value in (levels, element_range))
    words = tf.constant(np.random.default_rng(seed).standard_normal((2, runs)))
    made = Uniform(*numbers)
    return (made.packed(tf.constant(message), words, tf.constant(0)).sent / made.step).numpy()


@given(seed=st.integers(0, 1000), half=st.integers(1, 40), element_range=st.floats(1e-3, 1e3))
def test_levels_are_integers_within_the_range_and_neighbours_of_the_element(seed, half, element_range):
    message = np.random.default_rng(seed).standard_normal((3, 50, 2)) * element_range
    found = packed(message, 2 * half + 1, element_range, seed)
    np.testing.assert_allclose(found, np.rint(found), atol=1e-9)
    assert np.abs(found).max() <= half + 1e-9
    place = np.clip(message / element_range * half, -half, half)
    assert (np.abs(found - place) < 1 + 1e-9).all()


@pytest.mark.parametrize("levels", [3, 7, 15])
def test_rounding_has_no_bias_and_the_known_variance(levels):
    """E(l - p)² = f(1 - f) for an element at p steps, f the fraction of p; elements beyond the range are cut."""
    vector, step = np.random.default_rng(1).uniform(-1, 1, 9), 2 / (levels - 1)
    found = packed(np.tile(vector, DRAWS)[None, :, None], levels, 1.0).reshape(DRAWS, 9)
    place = vector / step
    fraction = place - np.floor(place)
    variance = fraction * (1 - fraction)
    assert (np.abs(found.mean(axis=0) - place) < 3 * np.sqrt(variance / DRAWS)).all()
    squares = (found - place) ** 2
    assert (np.abs(squares.mean(axis=0) - variance) < 3 * squares.std(axis=0) / np.sqrt(DRAWS) + 1e-9).all()
    assert (packed(np.full((1, 3, 5), 7.0), levels, 1.0) == (levels - 1) / 2).all()


def test_a_worker_without_a_message_sends_zeros():
    assert not packed(np.zeros((4, 30, 3)), 7, 0.1).any()


def test_largest_level_is_never_exceeded_in_single_precision():
    made = Uniform(tf.constant([65535.0]), tf.constant([0.1]))
    message = tf.fill([1, 100_000, 1], tf.constant(0.1))
    sent = made.packed(message, tf.constant([[0.3], [0.7]]), tf.constant(0)).sent / made.step
    assert tf.reduce_max(sent) < 32767.5


def test_the_range_is_that_of_weighed_messages():
    assert Uniform(5, 0.2).weighed(1 / 8).step == pytest.approx(0.2 / 8 / 2)


@pytest.mark.parametrize(("levels", "bits"), [(3, 2), (7, 3), (9, 4), (255, 8)])
def test_bits_of_a_digital_upload_are_those_of_its_levels(levels, bits):
    keys = {"method": "SCAFFOLD@digital", "uplink.compressor": "uniform", "uplink.levels": levels}
    ((_, settings),) = otafl.load("digits_quickstart", keys).points()
    uplink = Group([RunSpec(settings, 0)]).uplink
    assert uplink.bits == 2 * bits * uplink.elements


@pytest.mark.parametrize(
    ("keys", "rule"),
    [
        (
            {"uplink.levels": 4},
            "uplink.compressor = 'uniform': needs an odd uplink.levels, so that 0 is a level, not 4",
        ),
        ({"method": "FedNova@digital"}, "has one scale for all that is sent, but FedNova sends single numbers, too"),
        ({"method": "FedVRA@analog"}, "has one scale .*, but FedVRA sends multiples of its vector, too"),
        ({"method": "A-SFADMM"}, "already weighs by gains"),
        ({"uplink.levels": 1}, "uplink.levels"),
        ({"uplink.element_range": 0.0}, "uplink.element_range"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_reason(keys, rule):
    with pytest.raises(OtaflError, match=rule):
        otafl.load("digits_quickstart", {"method": "FedAvg@analog", "uplink.compressor": "uniform"} | keys)
