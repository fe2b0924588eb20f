"""Shares of the band against closed forms on flat channels, against other shares, and as shares."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import optimize, sparse

from otafl.channels.allocation import MinMakespan, ProportionalFair

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
