"""Peak power: OFDM signals that an amplifier clips, and the distortion at the receiver.

Approximations: a worker's signal in time is complex normal, as for many subcarriers. By Bussgang's theorem the clipped
signal is a share of the signal plus uncorrelated distortion, which is taken as normal, independent between symbols and
workers, and even over the band in use.

Upper bound (``distortion_ratio``): at most IN_BAND of the distortion of an evenly filled band lies within that band,
the share of the third order; higher orders have less. Real elements on subcarriers of a common phase, or of a phase
linear in frequency, make a conjugate symmetric waveform: all distortion is then on the real parts. Where phases are
independent, half of it is.
"""

import math
from dataclasses import dataclass

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
        """Factor on the amplitude of the signal, 1 − e^(−γ²) + (√π/2)·γ·erfc(γ)."""
        return 1 - self._lost

    @property
    def distortion(self) -> float:
        """Power of the distortion over that of the signal, 1 − e^(−γ²) − gain²."""
        # Rounding would leave a negative power where hardly anything is clipped.
        return max(0.0, 2 * self._lost - self._lost**2 - math.exp(-(self.amplitude**2)))

    @property
    def radiated(self) -> float:
        """Power behind the amplifier over that before it, 1 − e^(−γ²)."""
        return -math.expm1(-(self.amplitude**2))

    def distortion_ratio(self, elements_per_symbol: int) -> float:
        """Return an upper bound on twice the distortion of one element's part of a symbol, over the signal's power.

        Phases are those of the elements where a symbol has 2, real and imaginary, so each part has half of the
        distortion.
        """
        return IN_BAND * self.distortion * 2 / elements_per_symbol

    @property
    def _lost(self) -> float:
        if math.isinf(self.backoff_db):
            return 0.0
        return math.exp(-(self.amplitude**2)) - math.sqrt(math.pi) / 2 * self.amplitude * math.erfc(self.amplitude)
