"""Elements rounded at random, to fractions of a norm or multiples of a common step: laws, seeds, bits, a run."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

import otafl
from otafl.compressors import Qsgd, Uniform
from otafl.compressors.qsgd import uniform
from tests.otafl.small import SMALL, dotted, group_of
from tests.rounding import assert_close

WORKERS = 4000


def packed(made, message: np.ndarray, seed: int = 2) -> np.ndarray:
    """Vectors [workers, d, runs] as they are sent, each run under two words of its own."""
    words = tf.constant(np.random.default_rng(seed).standard_normal((2, message.shape[2])))
    return made.packed(tf.constant(message), words, tf.constant(0)).sent.numpy()


def of_elements(levels: float, element_range: float) -> Uniform:
    return Uniform(*(tf.constant([float(value)], tf.float64) for value in (levels, element_range)))


@pytest.mark.parametrize("most", [1, 3, 7])
@pytest.mark.parametrize("kind", [Qsgd, Uniform])
def test_rounding_has_no_bias_and_the_known_variance(kind, most):
    """E(l - p)² = f(1 - f) for an element at p steps, f the fraction of p, within 5 standard errors."""
    vector = np.random.default_rng(1).uniform(-1, 1, 9)
    step = (np.linalg.norm(vector) if kind is Qsgd else 1.0) / most
    bits = tf.constant([np.log2(most + 1) + 1])
    made = Qsgd(bits) if kind is Qsgd else of_elements(2 * most + 1, 1.0)
    found = packed(made, np.broadcast_to(vector[None, :, None], (WORKERS, 9, 1)))[..., 0].T / step
    np.testing.assert_allclose(found, np.rint(found), atol=1e-6)
    place = (vector / step)[:, None]
    variance = (place % 1 * (1 - place % 1))[:, 0]
    assert (np.abs(found.mean(axis=1) - place[:, 0]) < 5 * np.sqrt(variance / WORKERS) + 1e-6).all()
    squares = (found - place) ** 2
    assert (np.abs(squares.mean(axis=1) - variance) < 5 * squares.std(axis=1) / np.sqrt(WORKERS) + 1e-6).all()
    assert not packed(made, np.zeros((4, 30, 3))).any()


@given(seed=st.integers(0, 1000), half=st.integers(1, 40), element_range=st.floats(1e-3, 1e3))
def test_levels_are_integers_within_the_range_and_neighbours_of_the_element(seed, half, element_range):
    message = np.random.default_rng(seed).standard_normal((3, 50, 2)) * element_range
    found = packed(of_elements(2 * half + 1, element_range), message, seed) / (element_range / half)
    np.testing.assert_allclose(found, np.rint(found), atol=1e-9)
    assert np.abs(found).max() <= half + 1e-9
    place = np.clip(message / element_range * half, -half, half)
    assert (np.abs(found - place) < 1 + 1e-9).all()


def test_the_range_is_that_of_weighed_messages_and_never_exceeded_in_single_precision():
    assert Uniform(5, 0.2).weighed(1 / 8).step == pytest.approx(0.2 / 8 / 2)
    made = Uniform(tf.constant([65535.0]), tf.constant([0.1]))
    message = tf.fill([1, 100_000, 1], tf.constant(0.1))
    sent = made.packed(message, tf.constant([[0.3], [0.7]]), tf.constant(0)).sent / made.step
    assert tf.reduce_max(sent) < 32767.5


def test_chances_depend_on_a_runs_own_seed_alone():
    seeds = tf.constant(np.random.default_rng(3).standard_normal((2, 3)), tf.float32)
    together = uniform(seeds, tf.zeros([4, 5, 3])).numpy()
    alone = uniform(seeds[:, 1:2], tf.zeros([4, 5, 1])).numpy()
    np.testing.assert_array_equal(together[..., 1:2], alone)
    assert len(np.unique(together)) == together.size


@pytest.mark.parametrize(
    ("keys", "bits", "norm"),
    [
        ({"uplink.compressor": "qsgd", "uplink.bits_per_element": 4}, 4, 32),
        *(({"uplink.compressor": "uniform", "uplink.levels": q}, b, 0) for q, b in ((3, 2), (7, 3), (9, 4), (255, 8))),
    ],
)
def test_bits_are_those_of_elements_and_norms_of_both_vectors(keys, bits, norm):
    uplink = group_of("digits_quickstart", {"method": "SCAFFOLD@digital"} | keys).uplink
    assert uplink.bits == 2 * (bits * uplink.elements + norm)


def run(**keys):
    small = SMALL | {"method": "FedAvg@digital", "run.seeds": 1, "run.iterations": 5, "local.learning_rate": 0.1}
    return otafl.run("quickstart", small | {"federation.workers": 5, "channel.fading": "none"} | dotted(keys))


def test_a_run_has_the_error_in_its_model_and_the_bits_on_its_ledger():
    made, plain = run(uplink__bits_per_element=[4, 8, 16], uplink__compressor="qsgd"), run()
    assert "aggregation_nmse" not in plain
    error = made["aggregation_nmse"]
    assert (error.sel(bits_per_element=4) > 1e-4).all()
    assert (error.sel(bits_per_element=16) < 1e-3 * error.sel(bits_per_element=8)).all()
    assert not np.array_equal(made["loss"].sel(bits_per_element=4), plain["loss"])
    assert (made["time_slots"] < plain["time_slots"]).all()
    per_use, of_plain = (data["energy"] / data["channel_uses"] for data in (made, plain))
    np.testing.assert_allclose(per_use / of_plain, 1.0)


@pytest.mark.slow
def test_quantised_sums_are_the_same_whatever_runs_beside():
    keys = {"method": "D-FADMM", "uplink.compressor": "qsgd", "uplink.bits_per_element": 12, "run.iterations": 20}
    seeds = ({"run.seeds": 3}, {"run.seeds": 1, "run.seed": 1})
    both, alone = (otafl.run("quickstart", keys | more)["loss"] for more in seeds)
    assert_close(both.sel(seed=1), alone.sel(seed=1))
