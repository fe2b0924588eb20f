"""Peak power: OFDM symbols that an amplifier clips, and what a receiver sees of that.

Approximations: in time a worker's signal is complex normal, which it comes to with many subcarriers; by Bussgang's
theorem a clipped one is a share of itself plus distortion that is uncorrelated with it. Distortion is taken as normal,
independent from symbol to symbol and worker to worker, and even over the band in use.

Upper bound (``distortion_ratio``): of the distortion of an evenly filled band at most IN_BAND is within it, as of the
third order that much is, and of higher ones less. With real elements on subcarriers of a common phase, or of one that
is linear in frequency, the waveform is conjugate symmetric, and so is the clipped one: all distortion is on the real
parts. Where phases are independent, half of it is.
"""

import math
from dataclasses import dataclass

import numpy as np

OVERSAMPLING = 4
"""Samples of a waveform for each subcarrier, at which its peaks show."""
IN_BAND = 2 / 3
"""Share of third-order distortion that is within an even band: ∫ sinc⁴, the middle of that band convolved with itself
three times."""


@dataclass(frozen=True)
class Clipping:
    """An amplifier that clips amplitudes at γ times their root mean square, and leaves phases.

    Arguments:
        backoff_db: γ², peak power over mean power [dB]; inf: nothing is clipped.

    Source: D. Dardari, V. Tralli, A. Vaccari, "A theoretical characterization of nonlinear distortion effects in OFDM
    systems", for the soft limiter.
    """

    backoff_db: float

    @property
    def amplitude(self) -> float:
        """γ."""
        return 10 ** (self.backoff_db / 20)

    @property
    def gain(self) -> float:
        """The share of a signal that is left of it, 1 − e^(−γ²) + (√π/2)·γ·erfc(γ)."""
        return 1 - self._lost

    @property
    def distortion(self) -> float:
        """Power of the distortion over that of the signal, 1 − e^(−γ²) − gain²."""
        return max(0.0, 2 * self._lost - self._lost**2 - math.exp(-(self.amplitude**2)))

    @property
    def radiated(self) -> float:
        """Power behind the amplifier over that before it, 1 − e^(−γ²)."""
        return -math.expm1(-(self.amplitude**2))

    def distortion_ratio(self, elements_per_symbol: int) -> float:
        """Upper bound on twice the distortion on the part of a symbol that an element rides, over the signal's power.

        Arguments:
            elements_per_symbol: κ; with 2 phases are those of the elements, so that each part has half of it.
        """
        return IN_BAND * self.distortion * 2 / elements_per_symbol

    @property
    def _lost(self) -> float:
        if math.isinf(self.backoff_db):
            return 0.0
        return math.exp(-(self.amplitude**2)) - math.sqrt(math.pi) / 2 * self.amplitude * math.erfc(self.amplitude)

    def clipped(self, samples: np.ndarray) -> np.ndarray:
        """Samples behind the amplifier, clipped at γ times their root mean square over the last axis. Same shape."""
        most = self.amplitude * np.sqrt(np.mean(np.abs(samples) ** 2, axis=-1, keepdims=True))
        return samples * np.minimum(1, most / np.maximum(np.abs(samples), np.finfo(float).tiny))

    def received(self, symbols: np.ndarray) -> np.ndarray:
        """What a noise-free receiver has of OFDM symbols [..., subcarriers] after their waveform was clipped."""
        return demodulated(self.clipped(waveform(symbols)), symbols.shape[-1])


def waveform(symbols: np.ndarray) -> np.ndarray:
    """Samples of OFDM symbols at OVERSAMPLING times their bandwidth, of the same mean power as if at their own.

    Shape [..., subcarriers] to [..., OVERSAMPLING·subcarriers].
    """
    samples = OVERSAMPLING * symbols.shape[-1]
    return np.fft.ifft(symbols, samples, axis=-1, norm="ortho")


def demodulated(samples: np.ndarray, subcarriers: int) -> np.ndarray:
    """The first so many subcarriers of a waveform, the inverse of ``waveform``."""
    return np.fft.fft(samples, axis=-1, norm="ortho")[..., :subcarriers]
