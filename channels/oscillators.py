"""Carrier frequency offsets, phase noise and Doppler shifts, which change gains from symbol to symbol of an upload.

The carrier of a worker turns by exp(j(2πft + θ(t))) against the server's, with an offset f and a Wiener phase θ of
linewidth β, E exp(j(θ(t) - θ(u))) = exp(-πβ|t - u|). The server's own phase is the same for all workers. A demodulator
takes the mean over the window T of a symbol. It keeps the share K(f) of the power, with the phase in the middle of the
window, and from a subcarrier p·W away it takes the share K(f + p·W):

    K(ν) = 2/T² · Re{T/a - (1 - exp(-aT))/a²},  a = πβ - j2πν

Without phase noise K(ν) = sinc²(νT). If windows last 1/W, the shares of all subcarriers add up to 1. Doppler shifts of
waves from all directions, up to f_D, add to the offset, and shares are means over them.

Approximations: waves come from all directions alike, also under fading models that know theirs; the phase of what is
kept is that in the middle of the window, and its magnitude the root of the mean power; interference is normal, even
over subcarriers, and independent between symbols. Source: Pollet, Van Bladel, Moeneclaey, "BER sensitivity of OFDM
systems to carrier frequency offset and Wiener phase noise".
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .array_types import PerWorker
from .random_streams import of_block, persistent

WORKERS, SERVER, OFFSETS = 2, 3, 4
"""Purposes of random streams: phase noise of workers, of the server, and offsets that are drawn in each upload."""
LEAST = 1e-6
"""Bound on correlations, above 0, by which is divided."""
DIRECTIONS = np.pi * (np.arange(16) + 0.5) / 16
"""Angles of waves over which shares are averaged [rad]."""


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


def leaked_share(shift_hz: np.ndarray, linewidth_hz: float, periods: int, spacing_hz: float) -> np.ndarray:
    """Return the mean power that all other subcarriers leave in a window of n periods 1/W over that of a subcarrier.

    Of shape ``shift_hz``. By Poisson's formula Σ_p K(ν + p·W) = Σ_k (n - |k|)/n²·exp(-πβ|k|/W)·cos(2πνk/W), |k| < n.
    """
    at = np.arange(1, periods) / spacing_hz
    weights = 2 * (1 - np.arange(1, periods) / periods) / periods * np.exp(-np.pi * linewidth_hz * at)
    whole = 1 / periods + np.cos(2 * np.pi * np.asarray(shift_hz)[..., None] * at) @ weights
    return np.maximum(whole - kept_share(shift_hz, linewidth_hz, periods / spacing_hz), 0.0)


def in_band(subcarriers: int) -> float:
    """Return the interference in a band of S subcarriers over that in one without end, where leaks fall as 1/p²."""
    away = np.arange(1, subcarriers)
    return float(np.sum((1 - away / subcarriers) / away**2) / (np.pi**2 / 6))


class Turns(NamedTuple):
    """Factors on the symbols of workers, and interference among them, from oscillators and motion.

    Arguments:
        factors: complex factors on gains, at successive symbols. Shape [..., workers, symbols].
        interference_ratio: power of interference over the received power. Shape [..., workers, 1].
        in_phase_ratio: of that, what real numbers make in phase with theirs less what is in quadrature.
    """

    factors: np.ndarray
    interference_ratio: np.ndarray
    in_phase_ratio: np.ndarray


class Followed(NamedTuple):
    """Shares of a worker's received power that a receiver keeps and loses, in the mean between two pilots. [workers]

    Arguments:
        share: share of the power that is where it is expected.
        turned: power that phases turn away, over that share.
        moved: power over the mean received power that motion takes to other gains, and windows to other subcarriers.
    """

    share: np.ndarray
    turned: np.ndarray
    moved: np.ndarray


@dataclass(frozen=True)
class Oscillators:
    """Oscillators of workers and server, and motion: what is left of synchronisation, and symbols on which it acts.

    Arguments:
        offset_hz: standard deviation of a worker's offset [Hz].
        uniform: True for offsets that are uniform, up to √3 times that; False: they are normal.
        redrawn: True for new offsets in each upload; False: they are constant for a run.
        linewidth_hz: linewidth β of each worker's oscillator [Hz].
        server_linewidth_hz: linewidth of the server's oscillator, whose phase all workers have in common [Hz].
        doppler_hz: largest Doppler shift of gains, whose motion itself is that of a fading model [Hz].
        symbol_s: time from one symbol to the next [s].
        periods: length T of the window in periods 1/W, a whole number, so that subcarriers are orthogonal.
        spacing_hz: subcarrier spacing W [Hz].
    """

    offset_hz: float = 0.0
    uniform: bool = False
    redrawn: bool = False
    linewidth_hz: float = 0.0
    server_linewidth_hz: float = 0.0
    doppler_hz: float = 0.0
    symbol_s: float = 1e-3
    periods: int = 1
    spacing_hz: float = 15e3

    @property
    def window_s(self) -> float:
        """Length T of the window [s]."""
        return self.periods / self.spacing_hz

    @property
    def still(self) -> bool:
        """True where nothing changes from symbol to symbol."""
        return self.offset_hz == self.total_linewidth_hz == self.doppler_hz == 0

    @property
    def total_linewidth_hz(self) -> float:
        """Linewidth of the phase of a worker against the server's [Hz]."""
        return self.linewidth_hz + self.server_linewidth_hz

    def offsets_hz(self, seed: np.random.SeedSequence, block: int, workers: int, upload: int = 0) -> PerWorker:
        """Return the offsets of workers in an upload of a coherence block [Hz]."""
        rng = of_block(seed, block, OFFSETS, upload=upload) if self.redrawn else persistent(seed)
        drawn = rng.uniform(-(3**0.5), 3**0.5, workers) if self.uniform else rng.standard_normal(workers)
        return self.offset_hz * drawn

    def draw(self, seed: np.random.SeedSequence, block: int, workers: int, symbols: int, upload: int = 0) -> Turns:
        """Draw what happens to successive symbols of each worker in an upload of a coherence block."""
        offsets_hz = self.offsets_hz(seed, block, workers, upload)
        share, leaked = (part[:, None] for part in self.shares(offsets_hz))
        factors = np.sqrt(share) * np.exp(1j * self.phases(seed, block, workers, symbols, upload))
        return Turns(factors, leaked / share, self.in_phase(offsets_hz)[:, None] / share)

    def phases(
        self, seed: np.random.SeedSequence, block: int, workers: int, symbols: int, upload: int = 0
    ) -> np.ndarray:
        """Return the phases of successive symbols against the server, from 0 on [rad]. Shape [workers, symbols]."""
        times = self.symbol_s * np.arange(symbols)
        turned = 2 * np.pi * np.outer(self.offsets_hz(seed, block, workers, upload), times)
        of_workers, of_server = (of_block(seed, block, purpose, upload=upload) for purpose in (WORKERS, SERVER))
        turned += self._walks(of_workers, self.linewidth_hz, (workers, symbols))
        return turned + self._walks(of_server, self.server_linewidth_hz, (1, symbols))

    def _walks(self, rng: np.random.Generator, linewidth_hz: float, shape: tuple[int, int]) -> np.ndarray:
        """Draw Wiener phases, which start at 0, with increments N(0, 2πβ·T) from symbol to symbol [rad]."""
        steps = np.sqrt(2 * np.pi * linewidth_hz * self.symbol_s) * rng.standard_normal(shape)
        return np.cumsum(steps, axis=1) - steps[:, :1]

    def shares(self, offsets_hz: PerWorker) -> tuple[PerWorker, PerWorker]:
        """Return the shares of each worker's power that a window keeps, and that others leave in it."""
        shifts_hz, linewidth_hz = offsets_hz[:, None], self.total_linewidth_hz
        if self.doppler_hz:
            shifts_hz = shifts_hz + self.doppler_hz * np.cos(DIRECTIONS)
        kept = kept_share(shifts_hz, linewidth_hz, self.window_s)
        return kept.mean(axis=1), leaked_share(shifts_hz, linewidth_hz, self.periods, self.spacing_hz).mean(axis=1)

    def in_phase(self, offsets_hz: PerWorker) -> PerWorker:
        """Return what other subcarriers with real numbers leave in phase with them, less what is in quadrature.

        In a window around time 0 an offset leaves real shares. Of a Wiener phase θ(t) it is ∫(1 - exp(-j2πpt/T))dθ/2πp
        from p subcarriers away, three quarters of its power real and one quarter imaginary. Doppler shifts in pairs
        of opposite sign leave as much of either.
        """
        linewidths_hz = (0.0, self.total_linewidth_hz)
        of_offset, of_both = (leaked_share(offsets_hz, beta, self.periods, self.spacing_hz) for beta in linewidths_hz)
        return (of_offset + of_both) / 2

    def followed(self, offsets_hz: PerWorker, period: int, *, linear: bool = False, pilots: int = 0) -> Followed:
        """Return what a receiver that follows each worker alone expects of symbols between pilots.

        It takes phase and gain from the last pilot, or on the lines between the pilots before and after a symbol, where
        whole turns are told apart. Of the received symbol it keeps what is correlated with its estimate, and the rest
        is noise to it. Source: Lapidoth and Shamai, "Fading Channels: How Perfect Need 'Perfect Side Information'
        Be?", theorem 4.1.1.

        Arguments:
            offsets_hz: offset of each worker [Hz].
            period: symbols of data from pilots to the next ones.
            linear: True for lines from a last pilot to the next one, which comes after all data between.
            pilots: symbols of a worker's pilots; 0: they are free and take no time.
        """
        age, distance = np.arange(1, period + 1), period + pilots
        weight = age / distance if linear else np.zeros(period)
        between_s = self.symbol_s * age * (1 - weight)
        turns = np.zeros((1, 1)) if linear else np.outer(offsets_hz, self.symbol_s * age)
        mean = np.exp(-np.pi * self.total_linewidth_hz * between_s) * np.cos(2 * np.pi * turns)
        moved, both = (self._correlated(carrier, weight, age, distance) for carrier in (np.ones((1, 1)), mean))
        turned, (kept, leaked) = np.clip(both / moved, LEAST, 1), self.shares(offsets_hz)
        return Followed(kept * turned * moved, (1 - turned) / turned + 0 * kept, kept * (1 - moved) + leaked)

    def _correlated(self, carrier: np.ndarray, weight: np.ndarray, age: np.ndarray, distance: int) -> PerWorker:
        """Return the share of power along an estimate that has a weight of the next pilot, for each worker's carrier.

        The carrier has the mean factors on symbols of so many ages since a pilot. Shape [workers or 1, symbols or 1].
        The distance is that of the pilots in symbols.
        """
        from scipy.special import j0

        turn = 2 * np.pi * self.doppler_hz * self.symbol_s
        before, after, apart = (j0(turn * symbols) for symbols in (age, distance - age, distance))
        along = np.mean(carrier * ((1 - weight) * before + weight * after), axis=-1)
        power = (1 - weight) ** 2 + weight**2 + 2 * weight * (1 - weight) * apart
        return np.maximum(along, LEAST) ** 2 / power.mean()
