"""Waveforms in time: OFDM symbols, and an amplifier that clips them."""

import numpy as np

from otafl.channels.clipping import Clipping

OVERSAMPLING = 4
"""Samples of a waveform for each subcarrier, enough to show its peaks."""


def waveform(symbols: np.ndarray) -> np.ndarray:
    """Return the waveform of complex OFDM symbols, sampled at 4 times their bandwidth and of unchanged energy."""
    return np.fft.ifft(symbols, OVERSAMPLING * symbols.shape[-1], axis=-1, norm="ortho")


def demodulated(samples: np.ndarray, subcarriers: int) -> np.ndarray:
    """Return the complex OFDM symbols on the first subcarriers of a waveform, the inverse of ``waveform``."""
    return np.fft.fft(samples, axis=-1, norm="ortho")[..., :subcarriers]


def clipped(clipping: Clipping, samples: np.ndarray) -> np.ndarray:
    """Return samples clipped at γ times their root mean square over the last axis; phases are kept."""
    most = clipping.amplitude * np.sqrt(np.mean(np.abs(samples) ** 2, axis=-1, keepdims=True))
    return samples * np.minimum(1, most / np.maximum(np.abs(samples), np.finfo(float).tiny))


def received(clipping: Clipping, symbols: np.ndarray) -> np.ndarray:
    """Return complex OFDM symbols as received without noise after their waveform was clipped."""
    return demodulated(clipped(clipping, waveform(symbols)), symbols.shape[-1])
