"""Digital uploads against brute force and Shannon's limits; shares of the band against closed forms and others."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import optimize, sparse

from otafl.channels.allocation import MinMakespan, ProportionalFair
from otafl.channels.digital import band_split, spectral_efficiency, subcarriers_for_one_slot, upload_slots

EIGHTHS = st.integers(1, 400).map(lambda eighths: eighths / 8)
"""Rates whose sums are exact in binary, so that brute force and closed form must agree to the last slot."""


@given(st.integers(1, 200), st.integers(1, 500))
@example(workers=7, subcarriers=20)
@example(workers=10, subcarriers=10)
@example(workers=3, subcarriers=1)
def test_band_is_split_equally_and_wholly(workers, subcarriers):
    """Worker n has the band from n·S/N to (n + 1)·S/N, of whose subcarriers k is from k to k + 1."""
    index, share = band_split(workers, subcarriers)
    assert (share.min() >= 0) & (share.max() <= 1)
    assert (index.min() >= 0) & (index.max() < subcarriers)
    owned = np.zeros((workers, subcarriers))
    np.add.at(owned, (np.arange(workers)[:, None], index), share)
    subcarrier, first = np.arange(subcarriers), subcarriers / workers * np.arange(workers)[:, None]
    within = np.minimum(subcarrier + 1, first + subcarriers / workers) - np.maximum(subcarrier, first)
    np.testing.assert_allclose(owned, np.maximum(within, 0), atol=1e-9)


@given(st.integers(1, 2000), st.lists(EIGHTHS, min_size=1, max_size=6))
def test_upload_slots_agree_with_sending_slot_by_slot(bits, rates):
    slots = upload_slots(bits, np.array(rates))
    expected = [next(count for count in itertools.count(1) if count * rate >= bits) for rate in rates]
    np.testing.assert_array_equal(slots, expected)
    assert upload_slots(bits, np.array([0.0, np.inf])).tolist() == [np.inf, 1]


@given(st.integers(1, 500), st.integers(1, 4), st.integers(1, 12), st.data())
def test_subcarriers_for_one_slot_agree_with_adding_one_by_one(bits, workers, subcarriers, data):
    row = st.lists(st.just(0.0) | EIGHTHS, min_size=subcarriers, max_size=subcarriers)
    rates = data.draw(st.lists(row, min_size=workers, max_size=workers))
    expected = [
        next((count for count in range(1, subcarriers + 1) if sum(row[:count]) >= bits), np.inf) for row in rates
    ]
    np.testing.assert_array_equal(subcarriers_for_one_slot(bits, np.cumsum(rates, axis=-1)), expected)


@pytest.mark.parametrize("gain", [0.3, 1.0, 2j, 1 - 1j])
def test_rate_grows_by_log2_of_10_per_decade_at_high_snr_and_is_linear_in_received_power_at_low(gain):
    h = np.array([gain])
    low, high = spectral_efficiency(h, 1e9), spectral_efficiency(h, 1e10)
    assert (high - low)[0] == pytest.approx(np.log2(10), rel=1e-7)
    for snr in (1e-7, 1e-15, 1e-30):
        assert spectral_efficiency(h, snr)[0] == pytest.approx(snr * abs(gain) ** 2 / np.log(2), rel=1e-5)


def test_rate_by_hand():
    """SNR 3 at |h| = 1 is 2 bit/s/Hz; |h| = 2 gives log2(13), or log2(7) as the paper prints."""
    gains = np.array([1.0, -2j, 0.0])
    np.testing.assert_allclose(spectral_efficiency(gains, 3.0), [2.0, np.log2(13), 0.0])
    assert spectral_efficiency(np.array(0.2j), np.inf) == np.inf
    np.testing.assert_allclose(spectral_efficiency(gains, 3.0, rate_gain="amplitude"), [2.0, np.log2(7), 0.0])


RATES = hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=3, max_side=5), elements=st.floats(0.05, 10))


def shares(kind, rates):
    return kind().shares(rates, rates.shape[-1])


@pytest.mark.parametrize("kind", [MinMakespan, ProportionalFair])
@settings(max_examples=25)
@given(rates=RATES)
def test_the_band_is_shared_and_no_more(kind, rates):
    found = shares(kind, rates)
    assert found.shape == rates.shape
    assert (found >= -1e-9).all()
    assert (found.sum(axis=-2) <= 1 + 1e-9).all()


def test_flat_channels_end_together():
    """b·Σ(1/c_n)/S slots, and equal time for proportional fairness."""
    flat = np.array([1.0, 2.0, 5.0])[:, None] * np.ones(4)
    brought = (shares(MinMakespan, flat) * flat).sum(axis=-1)
    np.testing.assert_allclose(brought, 4 / np.sum(1 / flat[:, 0]), rtol=1e-6)
    np.testing.assert_allclose(shares(ProportionalFair, flat).sum(axis=-1), 4 / 3, rtol=1e-6)


@pytest.mark.parametrize(("workers", "subcarriers"), [(3, 4), (20, 10), (10, 40)])
def test_the_soonest_end_is_that_of_a_linear_program(workers, subcarriers):
    """max t, Σ_k x_nk·r_nk ≥ t for all n, Σ_n x_nk ≤ 1, over mean gains that differ by some 10 dB."""
    rng = np.random.default_rng(3)
    means = 10 ** rng.normal(0.0, 0.5, (workers, 1))
    rates = np.log2(1 + 15 * means * rng.exponential(size=(workers, subcarriers)))
    own = sparse.block_diag([-row[None] for row in rates])
    whole = sparse.kron(np.ones((1, workers)), sparse.identity(subcarriers))
    most = sparse.bmat([[own, np.ones((workers, 1))], [whole, None]], format="csr")
    limits = np.repeat([0.0, 1.0], [workers, subcarriers])
    best = -optimize.linprog(np.append(np.zeros(rates.size), -1.0), A_ub=most, b_ub=limits).fun
    found = (shares(MinMakespan, rates) * rates).sum(axis=-1).min()
    assert 0.99 * best <= found <= best * (1 + 1e-6)


def test_proportional_fairness_meets_its_condition():
    """Whoever has of a subcarrier is among those whom r_nk/R_n is highest for."""
    rates = np.random.default_rng(2).exponential(size=(6, 30))
    share = shares(ProportionalFair, rates)
    worth = rates / (share * rates).sum(axis=-1, keepdims=True)
    lost = (share * (worth.max(axis=0) - worth)).sum() / 30
    assert lost < 0.02


def test_one_that_carries_nothing_stops_nobody_else_with_fairness():
    rates = np.array([[0.0, 0.0], [1.0, 2.0]])
    np.testing.assert_allclose((shares(ProportionalFair, rates) * rates).sum(axis=-1), [0.0, 3.0], rtol=0.05)
