"""Additive white Gaussian noise and the matched filter (correlator) that receives through it."""

import numpy as np


def complex_normal(rng: np.random.Generator, shape: tuple[int, ...], variance: float = 1.0) -> np.ndarray:
    """Circularly symmetric complex normal samples CN(0, variance), half of the variance in each part."""
    parts = rng.standard_normal((*shape, 2))
    return np.sqrt(variance / 2) * parts.view(np.complex128)[..., 0]


def matched_filter_variance(noise_psd_w_per_hz: float, symbol_s: float) -> float:
    """Variance of the one complex noise sample that the matched filter leaves of a symbol of length T_s, N0/T_s [W].

    Source: Elgabli et al., equation (12). Against a noise power W·N0 in the subcarrier this is a gain of W·T_s.
    """
    return noise_psd_w_per_hz / symbol_s


def awgn_waveform(
    rng: np.random.Generator, shape: tuple[int, ...], noise_psd_w_per_hz: float, sample_rate_hz: float
) -> np.ndarray:
    """Samples of white noise of two-sided density N0, taken at ``sample_rate_hz``: CN(0, N0 · rate) each."""
    return complex_normal(rng, shape, noise_psd_w_per_hz * sample_rate_hz)


def matched_filter(waveform: np.ndarray) -> np.ndarray:
    """Correlate a received waveform with the constant pulse of one symbol: the mean over the last axis.

    Arguments:
        waveform: complex samples over one symbol. Shape [..., samples].

    Returns:
        One complex sample per symbol. Shape [...].

    Source: Elgabli et al., equation (12), the integral as a mean over equally spaced samples.
    """
    return waveform.mean(axis=-1)
