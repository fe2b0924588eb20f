"""Peak power: OFDM waveforms that an amplifier clips, and the distortion at the receiver.

Approximations: a worker's signal in time is complex normal, as for many subcarriers. By Bussgang's theorem the clipped
signal is a share of the signal plus uncorrelated distortion. Distortion is taken as normal, independent between symbols
and between workers, and even over the band in use.

Upper bound (``distortion_ratio``): at most IN_BAND of the distortion of an evenly filled band lies within that band.
This is the share of the third order; higher orders have less. Real elements on subcarriers of a common phase, or of
a phase linear in frequency, make a conjugate symmetric waveform: all distortion is then on the real parts. Where phases
are independent, half of it is.
"""

import math
from dataclasses import dataclass

import numpy as np

OVERSAMPLING = 4
"""Samples of a waveform for each subcarrier, enough to show its peaks."""
IN_BAND = 2 / 3
"""Share of third-order distortion within an even band, ∫ sinc⁴."""


@dataclass(frozen=True)
class Clipping:
    """Amplifier that clips amplitudes at γ times their root mean square and keeps phases.

    Arguments:
        backoff_db: back-off γ², largest power over mean power [dB]; inf: nothing is clipped.

    Source: D. Dardari, V. Tralli, A. Vaccari, "A theoretical characterization of nonlinear distortion effects in OFDM
    systems", for the soft limiter.
    """

    backoff_db: float

    @property
    def amplitude(self) -> float:
        """Largest amplitude γ over the root mean square, linear."""
        return 10 ** (self.backoff_db / 20)

    @property
    def gain(self) -> float:
        """Factor on the amplitude of the signal, 1 − e^(−γ²) + (√π/2)·γ·erfc(γ), γ² being the back-off, linear."""
        return 1 - self._lost

    @property
    def distortion(self) -> float:
        """Power of the distortion over that of the signal, 1 − e^(−γ²) − gain², γ² being the back-off; linear."""
        return max(0.0, 2 * self._lost - self._lost**2 - math.exp(-(self.amplitude**2)))

    @property
    def radiated(self) -> float:
        """Power behind the amplifier over that before it, 1 − e^(−γ²), γ² being the back-off; linear."""
        return -math.expm1(-(self.amplitude**2))

    def distortion_ratio(self, elements_per_symbol: int) -> float:
        """Return an upper bound on twice the distortion of one element's part of a symbol, over the signal's power.

        Arguments:
            elements_per_symbol: real elements κ on a complex symbol, 1 or 2; with 2, phases are those of the elements,
                so each part has half of the distortion.
        """
        return IN_BAND * self.distortion * 2 / elements_per_symbol

    @property
    def _lost(self) -> float:
        if math.isinf(self.backoff_db):
            return 0.0
        return math.exp(-(self.amplitude**2)) - math.sqrt(math.pi) / 2 * self.amplitude * math.erfc(self.amplitude)

    def clipped(self, samples: np.ndarray) -> np.ndarray:
        """Return samples clipped at γ times their root mean square over the last axis. Shape of samples, complex.

        Phases are kept; γ² is the back-off, linear.

        Arguments:
            samples: complex samples of waveforms in time, of any unit. Shape [..., samples].
        """
        most = self.amplitude * np.sqrt(np.mean(np.abs(samples) ** 2, axis=-1, keepdims=True))
        return samples * np.minimum(1, most / np.maximum(np.abs(samples), np.finfo(float).tiny))

    def received(self, symbols: np.ndarray) -> np.ndarray:
        """Return OFDM symbols as received without noise after their waveform was clipped. Shape of symbols, complex.

        Arguments:
            symbols: complex symbols, of any unit. Shape [..., subcarriers].
        """
        return demodulated(self.clipped(waveform(symbols)), symbols.shape[-1])


def waveform(symbols: np.ndarray) -> np.ndarray:
    """Return the waveform of OFDM symbols, sampled at 4 times their bandwidth and of unchanged energy.

    Arguments:
        symbols: complex symbols, of any unit. Shape [..., subcarriers].

    Returns:
        Complex samples in time, of the unit of the symbols. Shape [..., 4·subcarriers].
    """
    samples = OVERSAMPLING * symbols.shape[-1]
    return np.fft.ifft(symbols, samples, axis=-1, norm="ortho")


def demodulated(samples: np.ndarray, subcarriers: int) -> np.ndarray:
    """Return the OFDM symbols on the first subcarriers of a waveform, the inverse of ``waveform``.

    Arguments:
        samples: complex samples of one OFDM symbol in time, of any unit. Shape [..., samples].
        subcarriers: number of subcarriers.

    Returns:
        Complex symbols, of the unit of the samples. Shape [..., subcarriers].
    """
    return np.fft.fft(samples, axis=-1, norm="ortho")[..., :subcarriers]
