"""Digital uploads: the band's split, slots and subcarriers against brute force, and Shannon's limits."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

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


@pytest.mark.parametrize(
    ("bits", "rate", "slots"),
    [(100, 10, 10), (101, 10, 11), (1, 10, 1), (192, 64, 3), (192, 0.5, 384), (192, 0, np.inf), (1e9, np.inf, 1)],
)
def test_upload_slots_by_hand(bits, rate, slots):
    assert upload_slots(bits, np.array([rate], dtype=float))[0] == slots


@given(st.integers(1, 2000), st.lists(EIGHTHS, min_size=1, max_size=6))
def test_upload_slots_agree_with_sending_slot_by_slot(bits, rates):
    slots = upload_slots(bits, np.array(rates))
    expected = [next(count for count in itertools.count(1) if count * rate >= bits) for rate in rates]
    np.testing.assert_array_equal(slots, expected)


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
