"""Codewords of finite length against the normal approximation, its limits, and sending slot by slot."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from otafl.channels.codes import Normal, Nr, Shannon, dispersion, until_decoded


@pytest.mark.parametrize(("snr", "error"), [(0.1, 1e-3), (1.0, 1e-5), (100.0, 0.1)])
def test_a_codeword_carries_what_the_normal_approximation_says(snr, error):
    """n symbols: n·C - √(nV)·Q⁻¹(ε), V = (1 - (1 + γ)⁻²)·log2²(e)."""
    count, capacity = 500, np.log2(1 + snr)
    spread = (1 - (1 + snr) ** -2) * np.log2(np.e) ** 2
    assert dispersion(np.array(capacity)) == pytest.approx(spread, rel=1e-9)
    carried = Normal(error).carried(count * capacity, count * spread)
    assert carried == pytest.approx(count * capacity - np.sqrt(count * spread) * norm.isf(error), rel=1e-9)


@given(
    bits=st.floats(10, 1e5),
    rate=st.floats(0.01, 50),
    spread=st.floats(0, 50),
    error=st.floats(1e-9, 0.95),
    begun=st.tuples(st.floats(0, 5), st.floats(0, 5)),
)
def test_a_codeword_is_as_long_as_it_must_be(bits, rate, spread, error, begun):
    """After that many slots it carries the bits, and up to 1% before it does not."""
    code = Normal(error)
    length = code.length(bits, np.array(rate), np.array(spread), begun)

    def carried(slots):
        return code.carried(begun[0] + slots * rate, begun[1] + slots * spread)

    assert carried(length) == pytest.approx(bits, rel=1e-6)
    assert carried(1.01 * length) > bits
    if code.backoff >= 0:
        assert (carried(np.linspace(0, 0.99, 50) * length) < bits).all()


def test_half_of_the_codewords_reach_capacity_and_a_code_of_shannons_always_does():
    rate = np.array([0.0, 0.5, 4.0])
    for code, attempts in ((Normal(0.5), 2.0), (Shannon(), 1.0)):
        np.testing.assert_allclose(code.length(100.0, rate, rate), [np.inf, 200.0, 25.0], rtol=1e-9)
        assert code.attempts == attempts
    for error in (0.0, 1.0, -0.1, np.nan):
        with pytest.raises(ValueError, match="block_error = "):
            Normal(error)


@pytest.mark.parametrize(
    ("slots", "error"), [([7.0, 7.0, 3.0], 0.3), ([12.0, 5.0, 11.0, 1.0], 0.6), ([300.0, 1.0], 0.9)]
)
def test_an_upload_ends_with_the_last_worker(slots, error):
    """The mean of max_n(s_n·G_n) over 200,000 draws of geometric G_n, within 4 standard errors."""
    rounds = np.random.default_rng(0).geometric(1 - error, (200_000, len(slots)))
    drawn = np.max(rounds * np.array(slots), axis=-1)
    found = Normal(error).upload_slots(np.array(slots))
    assert abs(found - drawn.mean()) < 4 * drawn.std() / np.sqrt(len(drawn)) + 1e-9


@pytest.mark.parametrize(("workers", "error"), [(1, 0.5), (100, 0.01), (10, 1e-3), (1000, 0.9)])
def test_workers_that_are_alike_need_the_largest_of_geometric_numbers(workers, error):
    """Σ_k [1 - (1 - ε^k)^N]: 1.64 for ε = 0.01 and N = 100, where a single one needs 1.01."""
    k = np.arange(1000.0)
    expected = np.sum(1 - (1 - error**k) ** workers)
    assert until_decoded(np.full((2, workers), 3.0), error) == pytest.approx(np.full(2, 3 * expected), rel=1e-8)
    if (workers, error) == (100, 0.01):
        assert expected == pytest.approx(1.64, abs=0.005)


def test_limits_of_retransmissions():
    """Rare failures add what each worker alone does; frequent ones come to exponential times, of mean H_N/(1 - ε)."""
    slots = np.array([5.0, 3.0, 5.0])
    assert until_decoded(slots, 1e-6) == pytest.approx(5 + 1e-6 * (5 + 1 + 5), rel=1e-9)
    assert until_decoded(np.ones(4), 1 - 1e-9) == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) * 1e9, rel=1e-2)
    np.testing.assert_array_equal(until_decoded(np.array([[1.0, np.inf], [np.inf, np.inf]]), 0.1), np.inf)
    assert Shannon().upload_slots(slots) == Nr().upload_slots(slots) == 5
