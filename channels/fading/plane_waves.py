"""Plane waves from all around: what a moving receiver hears of many scatterers, correlated in time as Clarke says.

Approximation: a few waves stand for infinitely many, so that gains are bounded, E|g|⁴ = 2 - 1/WAVES in place of 2, and
deep fades of one sum are 1/(2·WAVES) too rare.
Where waves come from is random, so the correlation over many gains is Clarke's exactly.
"""

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from channels.fading.protocol import Layout

WAVES, BATCH, COARSE = 20, 256, 16
"""Waves of a gain, blocks that are computed at once, and how many of them lie side by side."""
TAKEN = 16 * 208
"""Bytes of memory that a gain takes, with all its waves, as measured."""
TOGETHER = 128
"""Gains that are computed at once, as their waves fit into a core's cache."""
LIGHT_M_S = 299_792_458.0


def _key(default: float, description: str, unit: str, symbol: str = "", **rules: float) -> Any:
    return field(default=default, metadata={"description": description, "unit": unit, "symbol": symbol, **rules})


@dataclass(frozen=True)
class Motion:
    """How fast the channel changes.

    Arguments:
        speed_m_s: v, of workers or of what is around them.
        carrier_hz: f_c.
        iteration_s: time from one iteration to the next.
    """

    speed_m_s: float = _key(0.8, "speed of workers, or of what scatters around them [m/s]", "m/s", "$v$", ge=0, le=1e6)
    carrier_hz: float = _key(3.5e9, "carrier frequency [Hz]", "Hz", "$f_c$", gt=0, le=1e15)
    iteration_s: float = _key(1e-3, "time from one iteration to the next, for Doppler shifts [s]", "s", gt=0, le=1e9)

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
    """Waves that add up to gains, g(b) = Σ_k exp(j2π(F·b·cos a_k + φ_k))/√WAVES, in blocks b that are F periods of the
    largest Doppler shift apart.

    Gains of BATCH blocks are computed at once, in single precision as those that paths make, and kept: of every
    COARSE-th block what a wave has turned by then, times what it turns in so many blocks, is a small matrix product.

    Arguments:
        angles: of arrival a and phases 2πφ. Shape [2, WAVES, ...].
        periods: F, f_D times what passes from one block to the next; infinite, or any, where there is one block.
    """

    def __init__(self, angles: np.ndarray, periods: float) -> None:
        self.periods, one = periods, not np.isfinite(periods)
        arrival, phases = (np.ascontiguousarray(part.reshape(WAVES, -1).T) for part in angles)
        self.shape, self.coarse, self.fine = angles.shape[2:], 1 if one else BATCH // COARSE, 1 if one else COARSE
        self.rates, self.phases = (0.0 if one else periods) * np.cos(arrival), phases / (2 * np.pi)
        self.turns = _unit(self.rates), _unit(self.fine * self.rates)
        self.batch, self.kept = -1, np.empty((self.coarse * self.fine, len(self.rates)), np.complex64)

    def gains(self, block: int) -> np.ndarray:
        """Gains in a block, of mean square 1. Shape [...], complex, in single precision."""
        batch, place = divmod(block, self.coarse * self.fine)
        if batch != self.batch:
            self._compute(block - place)
            self.batch = batch
        return self.kept[place].reshape(self.shape)

    def _compute(self, first: int) -> None:
        """Have the gains of a batch, from its first block on."""
        for start in range(0, len(self.rates), TOGETHER):
            part = slice(start, start + TOGETHER)
            begun = _unit(self.rates[part] * first + self.phases[part])
            turn, turn_coarse = (each[part] for each in self.turns)
            coarse = _powers(begun, turn_coarse, self.coarse)
            fine = _powers(np.full_like(turn, WAVES**-0.5), turn, self.fine)
            product = coarse.swapaxes(0, 1) @ np.moveaxis(fine, 0, -1)
            self.kept[:, part] = product.reshape(len(turn), -1).T


def _unit(turns: np.ndarray) -> np.ndarray:
    """exp(j2πx), reduced to less than a turn in double precision, computed in single. Shape of turns."""
    angle = (2 * np.pi * (turns - np.rint(turns))).astype(np.float32)
    found = np.empty(angle.shape, np.complex64)
    np.cos(angle, out=found.real)
    np.sin(angle, out=found.imag)
    return found


def _powers(first: np.ndarray, factor: np.ndarray, count: int) -> np.ndarray:
    """first·factor^i for i from 0 on. Shape [count, ...]."""
    found = np.empty((count, *factor.shape), factor.dtype)
    found[0] = first
    for before, after in itertools.pairwise(found):
        np.multiply(before, factor, out=after)
    return found


def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Angles of arrival and phases of waves, uniform in [0, 2π), for independent gains. Shape [2, WAVES, *shape]."""
    return rng.uniform(0, 2 * np.pi, (2, WAVES, *shape))
