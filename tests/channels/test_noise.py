"""White Gaussian noise, and the one sample per slot that the matched filter leaves of it."""

import numpy as np
import pytest
from scipy import stats

from otafl.channels.noise import awgn_waveform, complex_normal, matched_filter, matched_filter_variance, stable_factors

SLOTS = 20_000
NOISE_PSD = 1e-9
SPACING = 15e3
SLOT = 1e-3


def assert_variance(samples: np.ndarray, variance: float) -> None:
    """Within 5 standard deviations σ²·√(2/(n − 1)) of the variance estimator of real Gaussian samples."""
    deviation = variance * np.sqrt(2 / (samples.size - 1))
    assert abs(np.var(samples, ddof=1) - variance) < 5 * deviation


def filtered(samples_per_slot: int) -> np.ndarray:
    """Matched-filter outputs of many slots of white noise."""
    rng = np.random.default_rng(samples_per_slot)
    return matched_filter(awgn_waveform(rng, (SLOTS, samples_per_slot), NOISE_PSD, samples_per_slot / SLOT))


@pytest.mark.parametrize("variance", [1e-6, 1.0, 25.0])
def test_complex_normal_halves_its_variance_between_parts(variance):
    samples = complex_normal(np.random.default_rng(0), (300, 200), variance)
    assert samples.shape == (300, 200)
    assert_variance(samples.real, variance / 2)
    assert_variance(samples.imag, variance / 2)
    assert abs(np.mean(samples)) < 5 * np.sqrt(variance / samples.size)


def test_complex_normal_is_circular():
    """E z² = 0 with variance 2, and the real and imaginary parts are uncorrelated."""
    samples = complex_normal(np.random.default_rng(1), (100_000,))
    assert abs(np.mean(samples**2)) < 5 * np.sqrt(2 / samples.size)
    assert abs(np.mean(samples.real * samples.imag)) < 5 * 0.5 / np.sqrt(samples.size)


def test_complex_normal_is_gaussian():
    samples = complex_normal(np.random.default_rng(2), (20_000,))
    assert stats.kstest(samples.real * np.sqrt(2), "norm").pvalue > 1e-3
    assert stats.kstest(samples.imag * np.sqrt(2), "norm").pvalue > 1e-3


def test_zero_variance_is_silence():
    assert not complex_normal(np.random.default_rng(0), (5,), 0.0).any()


@pytest.mark.parametrize("samples_per_slot", [1, 15, 64])
def test_matched_filter_leaves_noise_density_over_slot(samples_per_slot):
    """Equation (12): variance N0/T at any sampling rate, N0/2T in each part."""
    z = filtered(samples_per_slot)
    expected = matched_filter_variance(NOISE_PSD, SLOT)
    assert expected == pytest.approx(NOISE_PSD / SLOT, rel=1e-15)
    assert z.shape == (SLOTS,)
    assert_variance(z.real, expected / 2)
    assert_variance(z.imag, expected / 2)
    power = np.mean(np.abs(z) ** 2)
    assert abs(power - expected) < 5 * expected / np.sqrt(SLOTS)


def test_matched_filter_gains_bandwidth_times_slot():
    """Against the noise power W·N0 of the SNR, 15 kHz and 1 ms make a gain of 15."""
    assert NOISE_PSD * SPACING / matched_filter_variance(NOISE_PSD, SLOT) == pytest.approx(15.0, rel=1e-12)
    gain = NOISE_PSD * SPACING / np.mean(np.abs(filtered(15)) ** 2)
    assert gain == pytest.approx(15.0, rel=5 / np.sqrt(SLOTS))


def test_matched_filter_keeps_the_symbol():
    symbols = np.array([1 + 2j, -0.5j])
    np.testing.assert_allclose(matched_filter(np.repeat(symbols[:, None], 15, axis=1)), symbols, rtol=1e-15)


def test_matched_filter_outputs_of_slots_are_uncorrelated():
    z = filtered(15) / np.sqrt(matched_filter_variance(NOISE_PSD, SLOT))
    assert abs(np.mean(z[1:] * z[:-1].conj())) < 5 / np.sqrt(SLOTS)


def test_variance_agrees_with_sionna(sionna):
    """Sionna's AWGN block and ours: the same variance, part by part, and the same distribution."""
    import tensorflow as tf

    variance, size = 0.3, 20_000
    theirs = sionna.channel.AWGN()(tf.zeros([size], tf.complex64), tf.constant(variance)).numpy()
    ours = complex_normal(np.random.default_rng(4), (size,), variance)
    for samples in (theirs, ours):
        assert_variance(samples.real, variance / 2)
        assert_variance(samples.imag, variance / 2)
    assert stats.ks_2samp(theirs.real, ours.real).pvalue > 1e-3


@pytest.mark.parametrize("alpha", [1.1, 1.5, 1.9])
def test_heavy_tailed_noise_has_the_characteristic_function(alpha):
    """The characteristic function is exp(-|ct|^α), c = σ/√2, on the real part and any direction, to 3 standard errors.

    Cosines have the variance (1 + φ(2t))/2 - φ(t)².
    """
    normals = np.random.default_rng(5).standard_normal((4, 100_000))
    samples = stable_factors(normals[:2], alpha) * (normals[2] + 1j * normals[3])
    for angle in (0.0, 1.0):
        for t in (0.2, 0.7, 1.5, 3.0):
            phi, double = (np.exp(-((time / np.sqrt(2)) ** alpha)) for time in (t, 2 * t))
            found = np.mean(np.cos(t * np.real(samples * np.exp(1j * angle))))
            error = np.sqrt(((1 + double) / 2 - phi**2) / samples.size)
            assert abs(found - phi) < 3 * error, (angle, t, (found - phi) / error)


def test_heavy_tailed_noise_is_scipys():
    normals = np.random.default_rng(6).standard_normal((3, 2_000))
    samples = stable_factors(normals[:2], 1.5) * normals[2]
    assert stats.kstest(samples, stats.levy_stable(1.5, 0.0, scale=1 / np.sqrt(2)).cdf).pvalue > 1e-3


def test_heavy_tailed_noise_of_alpha_2_is_normal():
    """To the last bit, as all factors are 1."""
    normals = np.random.default_rng(7).standard_normal((2, 10_000))
    np.testing.assert_array_equal(stable_factors(normals, 2.0), 1.0)
