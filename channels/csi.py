"""Channel state information: what workers and server know of the channel, and how far the channel is from that.

Pilots: each worker sends n_p symbols on every subcarrier in every coherence block; the server's linear estimate of
least mean square error is what it believes, and what it feeds back to the worker, without error. Phase and timing
errors come afterwards, so that nobody knows of them.

A worker that is off by more than the cyclic prefix covers has a share ε of another symbol in the server's window: its
own arrives times 1 - ε, and ε(2 - ε) of its power is interference, ε from the other symbol and ε(1 - ε) from
neighbouring subcarriers. Approximations: interference is complex normal, even over subcarriers, and as strong as the
gain on each.
"""

import functools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from channels.noise import complex_normal
from channels.streams import of_block

CYCLIC_PREFIX = 0.07
"""Length of the normal cyclic prefix over that of the symbol behind it, 1/W (LTE and NR: 144/2048)."""


Power = float | np.ndarray
"""Mean square of gains, of all workers or of each."""


class Sounded(NamedTuple):
    """The channel of a coherence block, and what is known of it. Complex, shape [..., workers, subcarriers] each.

    Arguments:
        h: gains with which what is sent arrives.
        worker: what each worker believes of its own.
        server: what the server believes of all.
        mixed: interference with neighbours over the power that arrives, of each worker; None: there is none.
            Shape [..., workers, 1].
        mean: mean square of what each worker believes of its gains, which all know. Shape [..., workers, 1], or one
            for all.
    """

    h: np.ndarray
    worker: np.ndarray
    server: np.ndarray
    mixed: np.ndarray | None = None
    mean: Power = 1.0

    @property
    def perfect(self) -> bool:
        """Whether everyone believes what is, so that closed forms of what arrives hold exactly."""
        return self.worker is self.h


def known(h: np.ndarray) -> Sounded:
    """Gains that everyone knows, as Elgabli et al. assume in section II-D."""
    return Sounded(h, h, h)


def error_variance(pilots: int, pilot_snr: float, power: Power = 1.0) -> Power:
    """Variance of an estimate's error where gains have a variance β: β/(1 + n_p·SNR_p·β). Shape of power."""
    return power / (1 + pilots * pilot_snr * power)


@dataclass(frozen=True)
class Imperfections:
    """What parts a link from one that is known and synchronous.

    Arguments:
        pilots: n_p, pilot symbols of a worker on each subcarrier in a block; 0: the gains are known without any.
        pilot_snr: energy of a pilot symbol over N0, linear.
        phase_error_rad: standard deviation of a worker's phase, normal, new in each block.
        timing_error_s: largest delay of a worker behind or ahead of the server's clock, uniform between, new in each
            block. The cyclic prefix covers half of its length either way, the channel's own delays left aside.
        spacing_hz: W, from one subcarrier to the next.

    Raises:
        ValueError: the timing error is not below a symbol.
    """

    pilots: int = 0
    pilot_snr: float = 100.0
    phase_error_rad: float = 0.0
    timing_error_s: float = 0.0
    spacing_hz: float = 15e3

    def __post_init__(self) -> None:
        if self.timing_error_s >= 1 / self.spacing_hz:
            rule = f"must be below the length of a symbol, 1/W = {1 / self.spacing_hz:.3g} s"
            raise ValueError(f"timing_error_s = {self.timing_error_s}: {rule}")

    @property
    def synchronous(self) -> bool:
        """Whether neither phases nor delays are off."""
        return self.phase_error_rad == self.timing_error_s == 0

    @property
    def ramp(self) -> float:
        """Turns from one subcarrier to the next under the largest delay, W·τ."""
        return self.spacing_hz * self.timing_error_s

    @property
    def mixes(self) -> bool:
        """Whether a worker may be off by more than the cyclic prefix covers."""
        return self.ramp > CYCLIC_PREFIX / 2

    def error_variance(self, power: Power) -> Power:
        """Variance of what is believed around what is, for the mean square of gains. Shape of power."""
        return error_variance(self.pilots, self.pilot_snr, power) if self.pilots else 0.0 * power


@dataclass(frozen=True)
class Sounding:
    """Beliefs and errors, block by block, from streams that depend on the seed and the block alone.

    Arguments:
        imperfections: of the link.
        seed: seed sequence.
    """

    imperfections: Imperfections
    seed: np.random.SeedSequence

    def sound(self, h: np.ndarray, block: int, power: Power = 1.0) -> Sounded:
        """What is known of gains, and how they differ. Shape [workers, ..., subcarriers]; power: [workers], or one."""
        believed, (arriving, mixed) = self.estimate(h, block, power), self._turned(h, block)
        return known(h) if believed is h and arriving is h else Sounded(arriving, believed, believed, mixed)

    def estimate(self, h: np.ndarray, block: int, power: Power = 1.0) -> np.ndarray:
        """ĥ = a·(h + z), z ~ CN(0, 1/E), a = Eβ/(1 + Eβ), E = n_p·SNR_p: beliefs of all who know their mean square β.

        Shape of h.
        """
        energy = self.imperfections.pilots * self.imperfections.pilot_snr
        if not energy:
            return h
        noise = complex_normal(self._stream(block, 0), (h.shape[-1], *h.shape[:-1]), 1 / energy)
        shrunk = np.reshape(energy * power / (1 + energy * power), (-1, *(1,) * (h.ndim - 1)))
        return shrunk * (h + np.moveaxis(noise, 0, -1))

    def _turned(self, h: np.ndarray, block: int) -> tuple[np.ndarray, np.ndarray | None]:
        """Gains after the phase and the delay of each worker, (1 - ε)·h·e^(jφ)·e^(-j2πkW·τ), of the shape of h, and its
        interference over the power that arrives, ε(2 - ε)/(1 - ε)², [workers, 1]."""
        if self.imperfections.synchronous:
            return h, None
        rng, (phase, ramp) = self._stream(block, 1), (self.imperfections.phase_error_rad, self.imperfections.ramp)
        phases = phase * rng.standard_normal(len(h))
        ramp = ramp * rng.uniform(-1, 1, len(h))
        turn = np.exp(1j * (phases[:, None] - 2 * np.pi * np.outer(ramp, np.arange(h.shape[-1]))))
        if not self.imperfections.mixes:
            return h * np.expand_dims(turn, tuple(range(1, h.ndim - 1))), None
        outside = np.maximum(np.abs(ramp) - CYCLIC_PREFIX / 2, 0.0)[:, None]
        turned = h * np.expand_dims((1 - outside) * turn, tuple(range(1, h.ndim - 1)))
        return turned, outside * (2 - outside) / (1 - outside) ** 2

    def _stream(self, block: int, purpose: int) -> np.random.Generator:
        return of_block(self._key, block, purpose)

    @functools.cached_property
    def _key(self) -> np.ndarray:
        return self.seed.generate_state(2, np.uint64)
