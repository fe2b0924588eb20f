"""Codewords of finite length against the normal approximation, its limits, and sending slot by slot."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from channels.coding import Code, dispersion


@pytest.mark.parametrize(("snr", "error"), [(0.1, 1e-3), (1.0, 1e-5), (100.0, 0.1)])
def test_a_codeword_carries_what_the_normal_approximation_says(snr, error):
    """n symbols: n·C - √(nV)·Q⁻¹(ε), V = (1 - (1 + γ)⁻²)·log2²(e)."""
    count, capacity = 500, np.log2(1 + snr)
    spread = (1 - (1 + snr) ** -2) * np.log2(np.e) ** 2
    assert dispersion(np.array(capacity)) == pytest.approx(spread, rel=1e-9)
    carried = Code("normal", error).carried(count * capacity, count * spread)
    assert carried == pytest.approx(count * capacity - np.sqrt(count * spread) * norm.isf(error), rel=1e-9)


@settings(deadline=None)
@given(
    bits=st.floats(10, 1e5),
    rate=st.floats(0.01, 50),
    spread=st.floats(0, 50),
    error=st.floats(1e-9, 0.95),
    begun=st.tuples(st.floats(0, 5), st.floats(0, 5)),
)
def test_a_codeword_is_as_long_as_it_must_be(bits, rate, spread, error, begun):
    """After that many slots it carries the bits, and up to 1% before it does not."""
    code = Code("normal", error)
    length = code.length(bits, np.array(rate), np.array(spread), begun)

    def carried(slots):
        return code.carried(begun[0] + slots * rate, begun[1] + slots * spread)

    assert carried(length) == pytest.approx(bits, rel=1e-6)
    assert carried(1.01 * length) > bits
    if code.backoff >= 0:
        assert (carried(np.linspace(0, 0.99, 50) * length) < bits).all()


def test_long_codewords_reach_capacity():
    """The rate that is lost falls as 1/√n."""
    code, capacity = Code("normal", 1e-3), np.array(2.0)
    lost = [1 - n / code.length(2.0 * n, capacity, dispersion(capacity)) for n in (1e2, 1e4, 1e6, 1e8)]
    np.testing.assert_allclose(np.divide(lost[1:], lost[:-1]), 0.1, rtol=0.2)
    assert lost[-1] < 1e-3


def test_half_of_the_codewords_reach_capacity_and_a_code_of_shannons_always_does():
    rate = np.array([0.0, 0.5, 4.0])
    np.testing.assert_allclose(Code("normal", 0.5).length(100.0, rate, rate)[1:], [200.0, 25.0], rtol=1e-9)
    np.testing.assert_array_equal(Code().length(100.0, rate, rate), [np.inf, 200.0, 25.0])
    assert Code("normal", 0.5).length(100.0, rate, rate)[0] == np.inf
    assert (Code("normal", 0.5).attempts, Code().attempts) == (2.0, 1.0)


@pytest.mark.parametrize("error", [0.0, 1.0, -0.1, np.nan])
def test_impossible_errors_are_refused(error):
    with pytest.raises(ValueError, match="block_error = "):
        Code("normal", error)
