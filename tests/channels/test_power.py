"""Power control: every worker within its budget, the binding one at it."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from otafl.channels.power import (
    common_scaling,
    scaling_factors,
    transmit_power_w,
    transmitted_energy_j,
    upload_budget,
)

SLOT = 1e-3
SYMBOLS = st.just(0j) | st.complex_numbers(min_magnitude=1e-6, max_magnitude=1e6)
SIGNALS = hnp.arrays(np.complex128, hnp.array_shapes(min_dims=2, max_dims=2, max_side=8), elements=SYMBOLS)
BUDGETS = st.floats(1e-9, 1e9)


@settings(deadline=None)
@given(SIGNALS, BUDGETS)
def test_no_worker_exceeds_the_budget_and_the_binding_one_meets_it(signals, budget):
    assume(signals.any())
    energy = transmitted_energy_j(signals, common_scaling(signals, budget), SLOT)
    assert energy.shape == (len(signals),)
    assert np.all(energy <= budget * SLOT * (1 + 1e-12))
    assert energy.max() == pytest.approx(budget * SLOT, rel=1e-12)


@settings(deadline=None)
@given(SIGNALS, BUDGETS)
def test_own_factor_spends_the_whole_budget(signals, budget):
    """α_n² Σ|x|² = budget for every worker that has something to send."""
    speaks = signals.any(axis=1)
    spent = scaling_factors(signals, budget)[speaks] ** 2 * np.sum(np.abs(signals[speaks]) ** 2, axis=1)
    np.testing.assert_allclose(spent, budget, rtol=1e-12)


@settings(deadline=None)
@given(SIGNALS, BUDGETS)
def test_silent_worker_never_binds(signals, budget):
    assume(signals.any())
    with_silent = np.concatenate([signals, np.zeros_like(signals[:1])])
    assert scaling_factors(with_silent, budget)[-1] == np.inf
    assert common_scaling(with_silent, budget) == common_scaling(signals, budget)
    assert transmitted_energy_j(with_silent, common_scaling(with_silent, budget), SLOT)[-1] == 0


def test_hand_computed_scaling():
    """Σ|x|² = 25 and 4 at a budget of 100: factors 2 and 5, energies 100·T and 16·T."""
    signals = np.array([[3, 4j], [0, 2]])
    np.testing.assert_allclose(scaling_factors(signals, 100.0), [2.0, 5.0], rtol=1e-15)
    assert common_scaling(signals, 100.0) == pytest.approx(2.0)
    np.testing.assert_allclose(transmitted_energy_j(signals, 2.0, SLOT), [0.1, 0.016], rtol=1e-15)


@given(st.floats(1e-9, 1e9), st.integers(1, 10**6))
def test_budget_per_subcarrier_is_elements_times_per_upload(power, elements):
    per_upload = upload_budget(power, elements, "per_upload")
    assert per_upload == power
    assert upload_budget(power, elements, "per_subcarrier") == pytest.approx(elements * per_upload, rel=1e-15)


def test_snr_of_zero_decibels_is_the_noise_power():
    assert transmit_power_w(0.0, 15e3, 1e-9) == pytest.approx(15e3 * 1e-9, rel=1e-15)


@pytest.mark.parametrize(("snr_db", "ratio"), [(-10, 0.1), (10, 10), (20, 100), (40, 1e4)])
def test_snr_is_power_over_spacing_times_density(snr_db, ratio):
    assert transmit_power_w(snr_db, 15e3, 1e-9) / (15e3 * 1e-9) == pytest.approx(ratio, rel=1e-12)


def test_infinite_snr_is_infinite_power():
    power = transmit_power_w(np.array([20.0, np.inf]), 15e3, 1e-9)
    assert np.isfinite(power[0])
    assert power[1] == np.inf
