"""The grid of subcarriers and slots, powers within budgets, and white noise behind the matched filter."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from otafl.channels.grid import CYCLIC_PREFIX, Grid, most_symbols
from otafl.channels.noise import complex_normal, matched_filter_variance, stable_factors
from otafl.channels.power import common_scaling, transmit_power_w, transmitted_energy_j, upload_budget

SLOTS = 20_000
NOISE_PSD = 1e-9
SLOT = 1e-3


def assert_variance(samples: np.ndarray, variance: float) -> None:
    """Within 5 standard deviations σ²·√(2/(n − 1)) of the variance estimator of real Gaussian samples."""
    deviation = variance * np.sqrt(2 / (samples.size - 1))
    assert abs(np.var(samples, ddof=1) - variance) <= 5 * deviation


@pytest.mark.parametrize("variance", [0.0, 1e-6, 1.0, 25.0])
def test_complex_normal_is_gaussian_and_circular_of_its_variance(variance):
    """E z² = 0, and half of the variance on each part."""
    samples = complex_normal(np.random.default_rng(0), (300, 200), variance)
    assert samples.shape == (300, 200)
    assert abs(np.mean(samples)) <= 5 * np.sqrt(variance / samples.size)
    assert abs(np.mean(samples**2)) <= 5 * np.sqrt(2 / samples.size) * variance
    for part in (samples.real, samples.imag):
        assert_variance(part, variance / 2)
        assert not variance or stats.kstest(part.ravel() / np.sqrt(variance / 2), "norm").pvalue > 1e-3


@pytest.mark.parametrize("samples_per_slot", [1, 15, 64])
def test_matched_filter_leaves_noise_density_over_slot(samples_per_slot):
    """Equation (12): the mean of white noise over a slot has the variance N0/T at any sampling rate."""
    rng, expected = np.random.default_rng(samples_per_slot), matched_filter_variance(NOISE_PSD, SLOT)
    assert expected == pytest.approx(NOISE_PSD / SLOT, rel=1e-15)
    z = complex_normal(rng, (SLOTS, samples_per_slot), NOISE_PSD * samples_per_slot / SLOT).mean(axis=-1)
    assert_variance(z.real, expected / 2)
    assert_variance(z.imag, expected / 2)


@pytest.mark.parametrize("alpha", [1.1, 1.5, 1.9])
def test_heavy_tailed_noise_has_the_characteristic_function(alpha):
    """φ = exp(-|ct|^α), c = σ/√2, in any direction: cosines have the variance (1 + φ(2t))/2 - φ(t)²."""
    normals = np.random.default_rng(5).standard_normal((4, 100_000))
    samples = stable_factors(normals[:2], alpha) * (normals[2] + 1j * normals[3])
    for angle in (0.0, 1.0):
        for t in (0.2, 0.7, 1.5, 3.0):
            phi, double = (np.exp(-((time / np.sqrt(2)) ** alpha)) for time in (t, 2 * t))
            found = np.mean(np.cos(t * np.real(samples * np.exp(1j * angle))))
            error = np.sqrt(((1 + double) / 2 - phi**2) / samples.size)
            assert abs(found - phi) < 3 * error, (angle, t, (found - phi) / error)
    np.testing.assert_array_equal(stable_factors(normals[:2], 2.0), 1.0)  # those of normal noise


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


ELEMENTS = st.integers(1, 3000)
SUBCARRIERS = st.integers(1, 400)


@given(ELEMENTS, SUBCARRIERS, st.booleans())
def test_elements_have_what_their_subcarriers_have(elements, subcarriers, whole_band):
    grid = Grid(subcarriers)
    count = subcarriers if whole_band else grid.subcarriers_in_use(elements)
    values = np.arange(2 * count).reshape(2, 1, count)
    expected = [values[..., i % subcarriers] for i in range(elements)]
    np.testing.assert_array_equal(grid.on_elements(values, elements), np.stack(expected, axis=-1))


@given(ELEMENTS, SUBCARRIERS, st.integers(1, 14), st.sampled_from([1, 2]))
def test_every_symbol_has_a_place_of_its_own(elements, subcarriers, symbols, on_each):
    """Symbol k rides subcarrier k mod S, as place ⌊k/S⌋ mod q of slot ⌊k/(S·q)⌋; no more than κ elements share it."""
    grid = Grid(subcarriers, symbols_per_slot=symbols, elements_per_symbol=on_each)
    place, rides = np.arange(elements) // on_each, grid.on_elements(np.arange(grid.subcarriers), elements)
    slot, at = place // (subcarriers * symbols), place // subcarriers % symbols
    np.testing.assert_array_equal(rides, place % subcarriers)
    assert len(np.unique(rides)) == grid.subcarriers_in_use(elements)
    uses = Counter(zip(slot, at, rides, strict=True))
    assert max(uses.values()) <= on_each
    assert len(uses) == grid.symbols(elements)
    assert slot.max() + 1 == grid.analog_slots(elements)


@pytest.mark.parametrize(("slot_s", "most"), [(1e-3, 14), (0.5e-3, 7), (1.07 / 15e3, 1), (1 / 15e3, 1), (1.6e-3, 22)])
def test_symbols_fit_in_a_slot_with_their_prefixes(slot_s, most):
    """LTE's 144 to 160 samples of prefix for 2048 of symbol: 14 in 1 ms, 7 in half of it."""
    assert most_symbols(15e3, slot_s) == most
    assert most == 1 or most * (1 + CYCLIC_PREFIX) / 15e3 <= slot_s < (most + 1) * (1 + CYCLIC_PREFIX) / 15e3


@pytest.mark.parametrize("symbols", [1, 2, 7, 14])
def test_prefixes_take_the_same_share_of_time_and_of_energy(symbols):
    """q prefixes of 0.07/W in a slot of T, over the rest of it."""
    prefixes, grid = symbols * CYCLIC_PREFIX / 15e3, Grid(1, symbols_per_slot=symbols)
    assert grid.prefix_share(symbols) == pytest.approx(prefixes / (1e-3 - prefixes), rel=1e-12)
    assert grid.symbol_s >= (1 + CYCLIC_PREFIX) / 15e3


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((0,), "subcarriers"),
        ((1, 0.0), "spacing_hz"),
        ((1, 1.0, -1.0), "slot_s"),
        ((1, 15e3, 1e-3, 15), "symbols_per_slot"),
        ((1, 15e3, 1e-3, 0), "symbols_per_slot"),
        ((1, 15e3, 1e-3, 1, 3), "elements_per_symbol"),
    ],
)
def test_impossible_grids_are_refused(arguments, name):
    with pytest.raises(ValueError, match=f"{name} = "):
        Grid(*arguments)
