"""Digital uploads of a fixed number of channel uses: what they carry follows from their capacity."""

import math
from typing import Any

import numpy as np
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import otafl
from otafl.compressors import SignMean, TopK
from tests.otafl.small import dotted
from tests.otafl.uplinks.test_combinations import ELEMENTS, SMALL, carried, drawn, in_bfloat16, largest, uplink
from tests.rounding import SINGLE, assert_close

DIGITAL = {"method": "FedAvg@digital", "uplink.compressor": "top_k", "uplink.allocation": "fixed_uses"}
WORKERS = SMALL["federation.workers"]


def run(**keys: Any) -> Any:
    return otafl.run("digits_quickstart", SMALL | DIGITAL | dotted(keys))


def fixed(uses: int) -> Any:
    """A digital uplink of fixed uses over 8 subcarriers, for vectors of ELEMENTS."""
    parts = {"compressor": "top_k", "allocation": "fixed_uses", "bits_per_element": 16}
    return uplink("digital", method="FedAvg", uses_per_round=uses, **parts)


@given(st.integers(1, 300), st.floats(0, 5000), st.sampled_from([1, 4, 32]), st.sampled_from([TopK, SignMean]))
def test_as_many_elements_are_sent_as_bits_allow(elements, bits, each, compressor):
    count = round(float(compressor().share(np.array(bits), elements, each)) * elements)
    needed = [compressor(sparsity=k / elements).bits(elements, each) for k in range(1, elements + 1)]
    assert count == 0 or needed[count - 1] <= bits
    assert all(max(needed[:k]) > bits for k in range(count + 1, elements + 1))


def test_each_worker_sends_its_own_share():
    message = drawn()
    upload, _, h, _ = carried(fixed(150), "rayleigh", message)
    capacity = 150 / WORKERS * np.log2(1 + 10**0.3 * 15 * np.abs(h[:, :8]) ** 2).mean(axis=-1)
    counts = ELEMENTS * TopK().share(capacity, ELEMENTS, 16)
    kept = (largest(one[None], k / ELEMENTS)[0] for one, k in zip(message, counts, strict=True) if round(k))
    wanted = sum(map(in_bfloat16, kept))
    assert len(set(counts.round())) > 1
    np.testing.assert_allclose(upload.total[0, :, 0], wanted, rtol=1e-12)


@settings(max_examples=20)
@given(st.integers(0, 1000), st.sampled_from([0.05, 0.3, 1.0]))
def test_means_of_one_sign_are_those_of_a_twin(seed, share):
    vector = np.random.default_rng(seed).standard_normal(ELEMENTS)
    count = max(1, round(share * ELEMENTS))
    halves = [np.sort(sign * vector[sign * vector > 0])[::-1][:count] for sign in (1, -1)]
    means = [half.mean() if len(half) else 0.0 for half in halves]
    sign, mean, half = (1, means[0], halves[0]) if means[0] > means[1] else (-1, means[1], halves[1])
    wanted = np.where((sign * vector >= half.min()) & (sign * vector > 0), sign * mean, 0.0)
    made = SignMean(sparsity=tf.constant([share], tf.float64))
    sent = made.kept(tf.constant(vector[None, :, None]), None, tf.constant(0))
    np.testing.assert_allclose(sent[0, :, 0], wanted, atol=1e-12)


def test_uses_slots_and_energy_are_those_given():
    data = run(uplink__uses_per_round=1000, uplink__subcarriers=64, uplink__symbols_per_slot=4)
    first = data.isel(iteration=0, seed=0)
    power = 10 * 15e3 * 1e-9
    assert float(first["channel_uses"]) == 1000
    assert float(first["time_slots"]) == math.ceil(1000 / (64 * 4))
    np.testing.assert_allclose(first["energy"], 1000 / 4 * power * 1e-3)


def test_many_uses_carry_all_elements():
    plain = run(uplink__compressor="none", uplink__allocation="equal")
    made = run(uplink__uses_per_round=10**8)
    for name in ("loss", "test_accuracy"):
        assert_close(made[name], plain[name], SINGLE, name)
