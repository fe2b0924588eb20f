"""Oscillators that are not synchronised: carrier frequency offsets and phase noise, symbol by symbol.

The carrier of a worker turns by exp(j(2πft + θ(t))) against the server's, with an offset f and a Wiener phase θ of
linewidth β, E exp(j(θ(t) - θ(u))) = exp(-πβ|t - u|). The server's own phase is the same for all workers. A demodulator
takes the mean over the window T of a symbol. It keeps the share K(f) of the power, with the phase in the middle of the
window, and from a subcarrier p·W away it takes the share K(f + p·W):

    K(ν) = 2/T² · Re{T/a - (1 - exp(-aT))/a²},  a = πβ - j2πν

Without phase noise K(ν) = sinc²(νT). If windows last 1/W, the shares of all subcarriers add up to 1.

Approximations: the phase of what is kept is that in the middle of the window, and its magnitude the root of the mean
power; interference is complex normal, even over subcarriers as in the middle of a wide band, and independent between
symbols. Sources: Pollet, Van Bladel, Moeneclaey, "BER sensitivity of OFDM systems to carrier frequency offset and Wiener
phase noise", 1995, for the effects; for the pilots Rife, Boorstyn, "Single-tone parameter estimation", 1974.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .array_types import PerWorker
from .random_streams import of_block, persistent

MOST_NEIGHBOURS = 1024
"""Subcarriers on each side whose interference is counted."""
WORKERS, SERVER = 2, 3
"""Purposes of random streams: phase noise of workers, and of the server."""


def kept_share(shift_hz: np.ndarray, linewidth_hz: float, window_s: float) -> np.ndarray:
    """Return the mean share K(ν) of a tone's power that a window keeps at a frequency shift ν from the tone.

    >>> print(kept_share(np.array([0.0, 7.5e3, 15e3]), 0.0, 1 / 15e3).round(3))
    [1.    0.405 0.   ]

    Arguments:
        shift_hz: shifts ν [Hz], of any shape.
        linewidth_hz: linewidth β of the sum of both oscillators [Hz].
        window_s: length T of the window [s].
    """
    at = (np.pi * linewidth_hz - 2j * np.pi * np.asarray(shift_hz)) * window_s
    small = np.abs(at) < 1e-3
    safe = np.where(small, 1.0, at)
    whole = 2 * (1 / safe - (1 - np.exp(-safe)) / safe**2).real
    return np.where(small, (1 - at / 3 + at**2 / 12).real, whole)


def leaked_share(shift_hz: PerWorker, linewidth_hz: float, window_s: float, spacing_hz: float) -> PerWorker:
    """Return the mean power that other subcarriers leave in a window over that of a subcarrier, Σ_p K(ν + p·W)."""
    away = np.arange(1, MOST_NEIGHBOURS + 1) * spacing_hz
    shifts = np.asarray(shift_hz)[..., None] + np.concatenate((-away, away))
    return kept_share(shifts, linewidth_hz, window_s).sum(axis=-1)


def offset_variance(energy: float, pilots: int, period_s: float) -> float:
    """Return the Cramér-Rao bound on the variance of an offset's estimate from equally spaced pilots [Hz²].

    Arguments:
        energy: energy of a pilot over N0, linear, on a gain that is unknown but constant.
        pilots: number n of pilots, at least 2.
        period_s: time from one pilot to the next [s].
    """
    return 6 / (energy * pilots * (pilots**2 - 1) * (2 * np.pi * period_s) ** 2)


class Turns(NamedTuple):
    """What oscillators do to the symbols of workers.

    Arguments:
        factors: complex factors on the gains. Shape [..., workers, symbols].
        interference_ratio: power of interference over the received power. Shape [..., workers, 1].
    """

    factors: np.ndarray
    interference_ratio: np.ndarray


@dataclass(frozen=True)
class Oscillators:
    """Oscillators of workers and server: what is left of synchronisation, and symbols on which it acts.

    Arguments:
        offset_hz: standard deviation of a worker's offset, normal and constant for a run [Hz].
        linewidth_hz: linewidth β of each worker's oscillator [Hz].
        server_linewidth_hz: linewidth of the server's oscillator, whose phase all workers have in common [Hz].
        symbol_s: time from one symbol to the next [s].
        periods: length T of the window in periods 1/W, a whole number, so that subcarriers are orthogonal.
        spacing_hz: subcarrier spacing W [Hz].
        pilot_period: symbols from one pilot to the next, whose phase holds in between; 0: one pilot, before the first.
        pilot_energy: energy of a pilot over N0, linear; inf: its phase is exact.
    """

    offset_hz: float = 0.0
    linewidth_hz: float = 0.0
    server_linewidth_hz: float = 0.0
    symbol_s: float = 1e-3
    periods: int = 1
    spacing_hz: float = 15e3
    pilot_period: int = 0
    pilot_energy: float = np.inf

    @property
    def window_s(self) -> float:
        """Length T of the window [s]."""
        return self.periods / self.spacing_hz

    @property
    def synchronous(self) -> bool:
        """True where carriers stay in phase."""
        return self.offset_hz == self.linewidth_hz == self.server_linewidth_hz == 0

    def offsets_hz(self, seed: np.random.SeedSequence, workers: int) -> PerWorker:
        """Return the offsets of the workers of a run [Hz]."""
        return self.offset_hz * persistent(seed).standard_normal(workers)

    def draw(self, seed: np.random.SeedSequence, block: int, workers: int, symbols: int) -> Turns:
        """Draw what happens to the symbols of a worker's upload in a coherence block."""
        offsets_hz = self.offsets_hz(seed, workers)
        amplitude = self.amplitude(offsets_hz)[:, None]
        factors = amplitude * np.exp(1j * self.phases(seed, block, workers, symbols))
        return Turns(factors, self.interference(offsets_hz)[:, None] / amplitude**2)

    def phases(self, seed: np.random.SeedSequence, block: int, workers: int, symbols: int) -> np.ndarray:
        """Return the phases of symbols since the last pilot that neither side knows [rad]. Shape [workers, symbols].

        The first pilot comes one symbol before the first symbol of an upload.
        """
        times = self.symbol_s * np.arange(1, symbols + 1)
        turned = 2 * np.pi * np.outer(self.offsets_hz(seed, workers), times)
        turned = turned + self._walks(of_block(seed, block, WORKERS), self.linewidth_hz, (workers, symbols))
        turned = turned + self._walks(of_block(seed, block, SERVER), self.server_linewidth_hz, (1, symbols))
        return turned - self._held(turned)

    def _walks(self, rng: np.random.Generator, linewidth_hz: float, shape: tuple[int, int]) -> np.ndarray:
        """Draw Wiener phases with increments N(0, 2πβ·T) from symbol to symbol [rad]."""
        return np.cumsum(np.sqrt(2 * np.pi * linewidth_hz * self.symbol_s) * rng.standard_normal(shape), axis=1)

    def _held(self, turned: np.ndarray) -> np.ndarray:
        """Return the phase at the last pilot, 0 before the first symbol [rad]."""
        if not self.pilot_period:
            return np.zeros_like(turned)
        last = np.arange(turned.shape[1]) // self.pilot_period * self.pilot_period
        before = np.concatenate((np.zeros((len(turned), 1)), turned), axis=1)
        return before[:, last]

    def amplitude(self, offsets_hz: PerWorker) -> PerWorker:
        """Return the amplitude that a window keeps, √K(f), for each worker."""
        return np.sqrt(kept_share(offsets_hz, self.linewidth_hz + self.server_linewidth_hz, self.window_s))

    def interference(self, offsets_hz: PerWorker) -> PerWorker:
        """Return the interference of each worker over its power on a subcarrier, Σ_p K(f + p·W)."""
        linewidth_hz = self.linewidth_hz + self.server_linewidth_hz
        return leaked_share(offsets_hz, linewidth_hz, self.window_s, self.spacing_hz)
