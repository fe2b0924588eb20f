"""Plane waves from all around: what a moving receiver hears of many scatterers, correlated in time as Clarke says.

Approximation: a few waves stand for infinitely many, so that gains are bounded, and E|g|⁴ = 2 - 1/WAVES in place of 2.
Where waves come from is random, so the correlation over many gains is Clarke's exactly.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from channels.fading.protocol import Layout

WAVES, BATCH = 20, 32
"""Waves of a gain, and blocks that are computed at once."""
LIGHT_M_S = 299_792_458.0


def _key(default: float, description: str, unit: str, symbol: str = "", **rules: float) -> Any:
    told = {"description": description, "unit": unit, "symbol": symbol, **rules}
    return field(default=default, metadata=told)


@dataclass(frozen=True)
class Motion:
    """How fast the channel changes.

    Arguments:
        speed_m_s: v, of workers or of what is around them.
        carrier_hz: f_c.
        iteration_s: time from one iteration to the next.
    """

    speed_m_s: float = _key(0.8, "speed of workers, or of what scatters around them [m/s]", "m/s", "$v$", ge=0)
    carrier_hz: float = _key(3.5e9, "carrier frequency [Hz]", "Hz", "$f_c$", gt=0)
    iteration_s: float = _key(1e-3, "time from one iteration to the next, for Doppler shifts [s]", "s", gt=0)

    @property
    def doppler_hz(self) -> float:
        """Largest Doppler shift, f_D = v·f_c/c [Hz]."""
        return self.speed_m_s * self.carrier_hz / LIGHT_M_S

    def block_rate_hz(self, layout: Layout) -> float:
        """Coherence blocks in a second; any number where there is one block [Hz]."""
        seconds = self.iteration_s * layout.block_iterations
        return 1 / seconds if seconds < np.inf else 1.0

    def periods(self, layout: Layout) -> float:
        """Periods of that shift from one coherence block to the next."""
        return self.doppler_hz * self.iteration_s * layout.block_iterations


class Waves:
    """Waves that add up to gains, g(b) = Σ_k exp(j(2πF·b·cos a_k + φ_k))/√WAVES, in blocks b that are F periods of the
    largest Doppler shift apart. They are turned block by block from the first of every BATCH, which is kept.

    Arguments:
        angles: of arrival a and phases φ. Shape [2, WAVES, ...].
        periods: F, f_D times what passes from one block to the next; infinite, or any, where there is one block.
    """

    def __init__(self, angles: np.ndarray, periods: float) -> None:
        self.rates, self.phases = 2 * np.pi * (periods if np.isfinite(periods) else 0.0) * np.cos(angles[0]), angles[1]
        self.turn = np.exp(1j * self.rates)
        self.batch, self.kept = -1, np.empty(0)

    def gains(self, block: int) -> np.ndarray:
        """Gains in a block, of mean square 1. Shape [...], complex."""
        batch, place = divmod(block, BATCH)
        if batch != self.batch:
            self.batch, self.kept = batch, self._batch(BATCH * batch)
        return self.kept[place]

    def _batch(self, first: int) -> np.ndarray:
        waves = np.exp(1j * (self.rates * first + self.phases)) / np.sqrt(WAVES)
        found = np.empty((BATCH, *waves.shape[1:]), complex)
        for row in found:
            waves.sum(axis=0, out=row)
            waves *= self.turn
        return found


def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Angles of arrival and phases of waves, uniform in [0, 2π), for independent gains. Shape [2, WAVES, *shape]."""
    return rng.uniform(0, 2 * np.pi, (2, WAVES, *shape))
