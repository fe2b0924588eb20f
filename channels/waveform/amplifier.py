"""Amplifiers of workers: one that clips, and that of Rapp, which saturates smoothly."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Amplifier:
    """Amplifier that limits amplitudes and keeps phases, r/(1 + (r/A)^2s)^(1/2s) for an amplitude r.

    Arguments:
        backoff_db: back-off, saturated power A² over the mean power of an upload [dB]; inf: an ideal amplifier.
        smoothness: smoothness factor s, about 3 for amplifiers of solid state; inf: amplitudes are clipped.

    Source: C. Rapp, "Effects of HPA-nonlinearity on a 4-DPSK/OFDM-signal for a digital sound broadcasting system".
    """

    backoff_db: float = np.inf
    smoothness: float = np.inf

    def amplified(self, samples: np.ndarray) -> np.ndarray:
        """Return samples behind the amplifier, which knows their mean power."""
        if np.isinf(self.backoff_db):
            return samples
        return samples * self._factor(np.abs(samples) / np.sqrt(np.mean(np.abs(samples) ** 2)))

    def _factor(self, amplitude: np.ndarray) -> np.ndarray:
        over = amplitude / 10 ** (self.backoff_db / 20)
        if np.isinf(self.smoothness):
            return 1 / np.maximum(over, 1)
        return (1 + over ** (2 * self.smoothness)) ** (-0.5 / self.smoothness)

    @property
    def gain(self) -> float:
        """Factor on the amplitude of a complex normal signal, E r²f(r) by Bussgang's theorem."""
        edges = np.linspace(0, 40, 40_001)
        power, chance = (edges[1:] + edges[:-1]) / 2, -np.diff(np.exp(-edges))
        return float(chance @ (power * self._factor(np.sqrt(power))))
