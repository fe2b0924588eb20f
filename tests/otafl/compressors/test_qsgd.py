"""Quantised uploads: no bias, the variance that is known, seeds of runs, bits and what a run records."""

import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl.compressors.qsgd import quantised, uniform
from otafl.engine.group import Group
from otafl.engine.run_spec import RunSpec
from tests.rounding import assert_close

RUNS = 4000


def drawn(levels):
    """A vector, quantised in many runs under seeds of their own."""
    vector = np.random.default_rng(1).standard_normal(7)
    many = tf.constant(np.broadcast_to(vector[None, :, None], (1, 7, RUNS)))
    seeds = tf.constant(np.random.default_rng(2).standard_normal((2, RUNS)))
    return vector, quantised(
        many, tf.fill([RUNS], tf.constant(float(levels), tf.float64)), uniform(seeds, many)
    ).numpy()


def variance(vector: np.ndarray, levels: int) -> float:
    """E‖Q(v) - v‖² = ‖v‖²/s²·Σ_i p_i(1 - p_i), p_i what is cut off of s·|v_i|/‖v‖. Shape of the vector: [d]."""
    norm = np.linalg.norm(vector)
    cut = levels * np.abs(vector) / norm % 1
    return float(norm**2 / levels**2 * np.sum(cut * (1 - cut)))


@pytest.mark.parametrize("levels", [7, *(pytest.param(levels, marks=pytest.mark.slow) for levels in (1, 127))])
def test_no_bias_and_the_known_variance(levels):
    vector, found = drawn(levels)
    off = found[0] - vector[:, None]
    assert (abs(off.mean(axis=1)) < 5 * off.std(axis=1) / np.sqrt(RUNS) + 1e-12).all()
    errors = np.sum(off**2, axis=0)
    assert abs(errors.mean() - variance(vector, levels)) < 5 * errors.std() / np.sqrt(RUNS)
    norm = np.linalg.norm(vector)
    assert variance(vector, levels) <= min(7 / levels**2, np.sqrt(7) / levels) * norm**2
    np.testing.assert_allclose(found * levels / norm, np.rint(found * levels / norm), atol=1e-6)


def test_a_vector_of_zeros_stays_one():
    zeros = tf.zeros([2, 3, 1])
    assert not quantised(zeros, tf.constant([3.0]), uniform(tf.ones([2, 1]), zeros)).numpy().any()


def test_chances_depend_on_a_runs_own_seed_alone():
    seeds = tf.constant(np.random.default_rng(3).standard_normal((2, 3)), tf.float32)
    together = uniform(seeds, tf.zeros([4, 5, 3])).numpy()
    alone = uniform(seeds[:, 1:2], tf.zeros([4, 5, 1])).numpy()
    np.testing.assert_array_equal(together[..., 1:2], alone)
    assert len(np.unique(together)) == together.size


def run(**keys):
    small = {"run.seeds": 1, "run.iterations": 10, "local.steps": 2, "federation.workers": 5, "channel.fading": "none"}
    return otafl.run("digits_quickstart", small | {key.replace("__", "."): value for key, value in keys.items()})


@pytest.mark.parametrize("method", ["FedAvg@digital", pytest.param("SCAFFOLD@digital", marks=pytest.mark.slow)])
def test_a_run_has_the_error_in_its_model_and_the_bits_on_its_ledger(method):
    made = run(method=method, uplink__bits_per_element=[4, 8, 16], uplink__compressor="qsgd")
    plain = run(method=method)
    assert "aggregation_nmse" not in plain
    error = made["aggregation_nmse"]
    assert (error.sel(bits_per_element=4) > 1e-4).all()
    assert (error.sel(bits_per_element=16) < 1e-3 * error.sel(bits_per_element=8)).all()
    few = {"bits_per_element": 4}
    assert not np.array_equal(made["loss"].sel(few), plain["loss"])
    assert (made["time_slots"] < plain["time_slots"]).all()
    per_use, of_plain = (data["energy"] / data["channel_uses"] for data in (made, plain))
    np.testing.assert_allclose(per_use / of_plain, 1.0)


def test_bits_are_those_of_elements_and_norms():
    keys = {"method": "SCAFFOLD@digital", "uplink.compressor": "qsgd", "uplink.bits_per_element": 4}
    ((_, settings),) = otafl.load("digits_quickstart", keys).points()
    uplink = Group([RunSpec(settings, 0)]).uplink
    assert uplink.bits == 2 * (4 * uplink.elements + 32)


def test_quantised_sums_are_the_same_whatever_runs_beside():
    keys = {"method": "D-FADMM", "uplink.compressor": "qsgd", "uplink.bits_per_element": 12, "run.iterations": 20}
    both, one = (
        otafl.run("quickstart", keys | {"run.seeds": count, "run.seed": first}) for count, first in ((3, 0), (1, 1))
    )
    assert_close(both["loss"].sel(seed=1), one["loss"].sel(seed=1))
