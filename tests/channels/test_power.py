"""Power control: every worker within its budget, the binding one at it."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from otafl.channels.power import common_scaling, transmit_power_w, transmitted_energy_j, upload_budget

SLOT = 1e-3
SYMBOLS = st.just(0j) | st.complex_numbers(min_magnitude=1e-6, max_magnitude=1e6)
SIGNALS = hnp.arrays(np.complex128, hnp.array_shapes(min_dims=2, max_dims=2, max_side=8), elements=SYMBOLS)
BUDGETS = st.floats(1e-9, 1e9)


@given(SIGNALS, BUDGETS)
def test_no_worker_exceeds_the_budget_and_the_binding_one_meets_it(signals, budget):
    """By its own factor each spends it all; who has nothing to send never binds."""
    assume(signals.any())
    energy = transmitted_energy_j(signals, common_scaling(signals, budget), SLOT)
    assert energy.shape == (len(signals),)
    assert np.all(energy <= budget * SLOT * (1 + 1e-12))
    assert energy.max() == pytest.approx(budget * SLOT, rel=1e-12)
    speaks = signals.any(axis=1)
    alone = np.array([common_scaling(signal[None], budget) for signal in signals])
    spent = alone[speaks] ** 2 * np.sum(np.abs(signals[speaks]) ** 2, axis=1)
    np.testing.assert_allclose(spent, budget, rtol=1e-12)
    with_silent = np.concatenate([signals, np.zeros_like(signals[:1])])
    assert common_scaling(with_silent[-1:], budget) == np.inf
    assert common_scaling(with_silent, budget) == common_scaling(signals, budget)
    assert transmitted_energy_j(with_silent, common_scaling(with_silent, budget), SLOT)[-1] == 0


def test_budget_per_subcarrier_is_elements_times_per_upload():
    assert [upload_budget(0.5, 30, kind) for kind in ("per_upload", "per_subcarrier")] == [0.5, 15.0]


def test_snr_is_power_over_spacing_times_density():
    power = transmit_power_w(np.array([-10, 0, 10, 20, np.inf]), 15e3, 1e-9)
    np.testing.assert_allclose(power / (15e3 * 1e-9), [0.1, 1, 10, 100, np.inf], rtol=1e-12)
