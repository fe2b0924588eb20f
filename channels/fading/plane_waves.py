"""Sums of plane waves from all directions: fading of a moving worker, correlated in time by Clarke's model.

Approximation: WAVES waves in place of infinitely many. So gains are bounded, E|g|⁴ = 2 - 1/WAVES in place of 2, and
deep fades of one sum are 1/(2·WAVES) too rare. Angles of arrival are random, so the mean correlation is Clarke's.
"""

import itertools
from dataclasses import dataclass

import numpy as np

from ..registry import parameter
from .fading_model import Fading
from .layout import Layout

WAVES, BATCH, COARSE = 20, 256, 16
"""Waves of a gain, blocks that are computed at once, and blocks between two coarse ones."""
TAKEN = 16 * 208
"""Measured memory of a gain with all its waves [bytes]."""
TOGETHER = 128
"""Gains that are computed at once, so that their waves fit into a core's cache."""
LIGHT_M_S = 299_792_458.0


@dataclass(frozen=True)
class Motion(Fading):
    """Motion of workers or scatterers, and with it the Doppler shift of the channel."""

    speed_m_s: float = parameter(
        0.8, "speed of workers, or of scatterers around them [m/s]", unit="m/s", symbol="$v$", ge=0, le=1e6
    )
    carrier_hz: float = parameter(3.5e9, "carrier frequency [Hz]", unit="Hz", symbol="$f_c$", gt=0, le=1e15)
    iteration_s: float = parameter(
        1e-3, "time from one iteration to the next, for Doppler shifts [s]", unit="s", symbol="", gt=0, le=1e9
    )

    @property
    def doppler_hz(self) -> float:
        """Largest Doppler shift f_D [Hz]."""
        return self.speed_m_s * self.carrier_hz / LIGHT_M_S

    def block_rate_hz(self, layout: Layout) -> float:
        """Return the number of coherence blocks in a second [Hz]; 1 for a single block."""
        seconds = self.iteration_s * layout.block_iterations
        return 1 / seconds if seconds < np.inf else 1.0

    def periods(self, layout: Layout) -> float:
        """Return the periods of the largest Doppler shift from one block to the next; not finite for a single block."""
        return self.doppler_hz * self.iteration_s * layout.block_iterations


class Waves:
    """Sums of 20 plane waves, g(b) = Σ_k exp(j2π(F·b·cos a_k + φ_k))/√20, in coherence blocks b.

    Angles of arrival a and phases 2πφ have shape [2, 20, ...]; F are the periods of the largest Doppler shift from one
    block to the next, not finite for a single block.
    """

    # Gains of BATCH blocks are computed at once in single precision, and kept. They are a small matrix product: the
    # phase of each wave in every COARSE-th block, times its phase from there on.

    def __init__(self, angles: np.ndarray, periods: float) -> None:
        self.periods, single = periods, not np.isfinite(periods)
        arrival, phases = (np.ascontiguousarray(part.reshape(WAVES, -1).T) for part in angles)
        self.shape, self.coarse, self.fine = angles.shape[2:], 1 if single else BATCH // COARSE, 1 if single else COARSE
        self.shifts, self.phases = np.cos(arrival), phases / (2 * np.pi)
        self.rates = (0.0 if single else periods) * self.shifts
        self.turns = _unit(self.rates), _unit(self.fine * self.rates)
        self.batch, self.kept = -1, np.empty((self.coarse * self.fine, len(self.rates)), np.complex64)

    def gains(self, block: int) -> np.ndarray:
        """Return the gains g in a coherence block, of mean square 1. Shape of ``angles`` from its third axis on."""
        batch, place = divmod(block, self.coarse * self.fine)
        if batch != self.batch:
            self._compute(block - place)
            self.batch = batch
        return self.kept[place].reshape(self.shape)

    def within(self, block: int, periods: np.ndarray) -> np.ndarray:
        """Return the gains some periods of the largest Doppler shift after the start of a block: [times, ...]."""
        gains, later = np.empty((len(periods), len(self.rates)), np.complex64), 2 * np.pi * periods[:, None, None]
        for start in range(0, len(self.rates), TOGETHER):
            part = slice(start, start + TOGETHER)
            turned = later.astype(np.float32) * self.shifts[part].T.astype(np.float32)
            turned += _angle(self.rates[part] * block + self.phases[part]).T
            np.cos(turned).sum(axis=1, out=gains.real[:, part])
            np.sin(turned).sum(axis=1, out=gains.imag[:, part])
        gains *= np.float32(WAVES**-0.5)
        return gains.reshape(len(periods), *self.shape)

    def _compute(self, first: int) -> None:
        """Compute the gains of a batch of blocks, from its first block on."""
        for start in range(0, len(self.rates), TOGETHER):
            part = slice(start, start + TOGETHER)
            begun = _unit(self.rates[part] * first + self.phases[part])
            turn, turn_coarse = (turns[part] for turns in self.turns)
            coarse_waves = _powers(begun, turn_coarse, self.coarse)
            fine_waves = _powers(np.full_like(turn, WAVES**-0.5), turn, self.fine)
            product = coarse_waves.swapaxes(0, 1) @ np.moveaxis(fine_waves, 0, -1)
            self.kept[:, part] = product.reshape(len(turn), -1).T


def _unit(turns: np.ndarray) -> np.ndarray:
    """Return exp(j2πx), x reduced to less than a turn in double precision, computed in single."""
    angle = _angle(turns)
    units = np.empty(angle.shape, np.complex64)
    np.cos(angle, out=units.real)
    np.sin(angle, out=units.imag)
    return units


def _angle(turns: np.ndarray) -> np.ndarray:
    """Return turns as an angle of at most half a turn, reduced in double precision [rad]."""
    return (2 * np.pi * (turns - np.rint(turns))).astype(np.float32)


def _powers(first: np.ndarray, factor: np.ndarray, count: int) -> np.ndarray:
    """Return first·factor^i for i from 0 on. Shape [count, ...]."""
    powers = np.empty((count, *factor.shape), factor.dtype)
    powers[0] = first
    for before, after in itertools.pairwise(powers):
        np.multiply(before, factor, out=after)
    return powers


def in_sight(rng: np.random.Generator, layout: Layout) -> np.ndarray:
    """Draw phases of a line of sight, uniform in [0, 2π), for each worker and antenna. Shape [workers, antennas, 1]."""
    phases = rng.uniform(0, 2 * np.pi, (layout.workers, layout.server_antennas, layout.worker_antennas))
    # A plane wave has a phase at each antenna of either side, and in a pair their sum.
    phases[:, 1:, 1:] = phases[:, 1:, :1] + phases[:, :1, 1:] - phases[:, :1, :1]
    return phases.reshape(*layout.links, 1)


def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw angles of arrival and phases of 20 waves for gains of a shape, uniform in [0, 2π). Shape [2, 20, *shape]."""
    return rng.uniform(0, 2 * np.pi, (2, WAVES, *shape))
