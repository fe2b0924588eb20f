"""Channel state information: what workers and server know of the channel, and how far the channel is from that.

Pilots: each worker sends n_p symbols on every subcarrier in every coherence block; the server's linear estimate of
least mean square error is what it believes, and what it feeds back to the worker, without error. Phase and timing
errors come afterwards, so that nobody knows of them.

A worker that is off by more than the cyclic prefix covers has a share of another symbol in the server's window, and
interferes (``overlap``). Approximations: interference is complex normal, even over subcarriers, as in the middle of a
wide band, and as strong as the gain on each; of 10 subcarriers that are off by 0.2/W, neighbours leak three quarters of
that in the mean. A channel's own delays are taken as within the prefix.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from channels.grid import CYCLIC_PREFIX
from channels.noise import complex_normal
from channels.random_streams import of_block

Power = float | np.ndarray
"""Mean square of gains, of all workers or of each."""


class ChannelState(NamedTuple):
    """The channel of a coherence block, and what is known of it. Complex, shape [..., workers, subcarriers] each.

    Arguments:
        h: gains with which what is sent arrives.
        worker: what each worker believes of its own.
        server: what the server believes of all.
        interference_ratio: interference with neighbours over the power that arrives, of each worker; None: there is
            none. Shape [..., workers, 1].
        mean: mean square of what each worker believes of its gains, which all know. Shape [..., workers, 1], or one
            for all.
        perfect: whether everyone believes what is, so that closed forms of what arrives hold exactly.
    """

    h: np.ndarray
    worker: np.ndarray
    server: np.ndarray
    interference_ratio: np.ndarray | None = None
    mean: Power = 1.0
    perfect: bool = False

    def each(self, change: Callable[[np.ndarray], np.ndarray]) -> "ChannelState":
        """Return the state with a change made to its gains, actual and believed."""
        if self.perfect:
            return known(change(self.h))
        return ChannelState(change(self.h), change(self.worker), change(self.server))


def known(h: np.ndarray) -> ChannelState:
    """Gains that everyone knows, as Elgabli et al. assume in section II-D."""
    return ChannelState(h, h, h, perfect=True)


def overlap(beyond: np.ndarray, periods: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of a symbol that a receiver's window holds of a late or early one, and what interferes with it.

    The share is 1 - ε, ε = beyond/periods. The rest of the window has a share ε of the next symbol on the same
    subcarrier, of power ε². Subcarriers p away leak sin²(πp·beyond)/(πp·periods)² from either symbol, which over all p
    is f(1 - f)/periods² from each, f being the fraction of beyond. With one period the sum is ε(2 - ε).

    Arguments:
        beyond: delay beyond the cyclic prefix, either way, in periods 1/W of the subcarriers' spacing.
        periods: W·T_s, length of a symbol behind its prefix in these; subcarriers are orthogonal where it is whole.

    Returns:
        Factor of the amplitude, and power of the interference over that which is sent. Shape of beyond each.
    """
    missing, part = beyond / periods, beyond % 1
    return 1 - missing, missing**2 + 2 * part * (1 - part) / periods**2


@dataclass(frozen=True)
class Imperfections:
    """What parts a link from one that is known and synchronous.

    Arguments:
        pilots: n_p, pilot symbols of a worker on each subcarrier in a block; 0: the gains are known without any.
        pilot_snr: energy of a pilot symbol over N0, linear.
        phase_error_rad: standard deviation of a worker's phase, normal, new in each block.
        timing_error_s: largest delay of a worker behind or ahead of the server's clock, uniform between, new in each
            block. The cyclic prefix covers half of its length either way.
        spacing_hz: W, from one subcarrier to the next.
        symbol_s: T_s, length of a symbol behind its prefix; about LTE's slot by default.

    Raises:
        ValueError: the timing error is not below a symbol.
    """

    pilots: int = 0
    pilot_snr: float = 100.0
    phase_error_rad: float = 0.0
    timing_error_s: float = 0.0
    spacing_hz: float = 15e3
    symbol_s: float = 1e-3

    def __post_init__(self) -> None:
        if self.timing_error_s >= self.symbol_s:
            rule = f"must be below the length of a symbol, {self.symbol_s:.3g} s"
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
        """Variance of what is believed around what is, β/(1 + n_p·SNR_p·β) for a mean square β. Shape of power."""
        return power / (1 + self.pilots * self.pilot_snr * power) if self.pilots else 0.0 * power


@dataclass(frozen=True)
class Sounding:
    """Beliefs and errors, block by block, from streams that depend on the seed and the block alone.

    Arguments:
        imperfections: of the link.
        seed: seed sequence.
    """

    imperfections: Imperfections
    seed: np.random.SeedSequence

    def sound(self, h: np.ndarray, block: int, power: Power = 1.0) -> ChannelState:
        """What is known of gains, and how they differ. Shape [workers, ..., subcarriers]; power: [workers], or one."""
        if self.imperfections.synchronous and not self.imperfections.pilots:
            return known(h)
        believed, (arriving, interference_ratio) = self.estimate(h, block, power), self._turned(h, block)
        return ChannelState(arriving, believed, believed, interference_ratio)

    def estimate(self, h: np.ndarray, block: int, power: Power = 1.0) -> np.ndarray:
        """ĥ = a·(h + z), z ~ CN(0, 1/E), a = Eβ/(1 + Eβ), E = n_p·SNR_p: beliefs of all who know their mean square β.

        Shape of h.
        """
        energy = self.imperfections.pilots * self.imperfections.pilot_snr
        if not energy:
            return h
        noise = complex_normal(of_block(self.seed, block), (h.shape[-1], *h.shape[:-1]), 1 / energy)
        shrunk = np.reshape(energy * power / (1 + energy * power), (-1, *(1,) * (h.ndim - 1)))
        return shrunk * (h + np.moveaxis(noise, 0, -1))

    def _turned(self, h: np.ndarray, block: int) -> tuple[np.ndarray, np.ndarray | None]:
        """Gains after the phase φ and the delay τ of each worker, a·h·e^(jφ)·e^(-j2πkW·τ), k from the centre of the
        band, a being what the window holds of a symbol, of the shape of h; and interference over the power that
        arrives, [workers, 1]."""
        if self.imperfections.synchronous:
            return h, None
        rng = of_block(self.seed, block, purpose=1)
        phases = self.imperfections.phase_error_rad * rng.standard_normal(len(h))
        ramp = self.imperfections.ramp * rng.uniform(-1, 1, len(h))
        from_centre = np.arange(h.shape[-1]) - (h.shape[-1] - 1) / 2
        turn = np.exp(1j * (phases[:, None] - 2 * np.pi * np.outer(ramp, from_centre)))
        if not self.imperfections.mixes:
            return h * np.expand_dims(turn, tuple(range(1, h.ndim - 1))), None
        beyond = np.maximum(np.abs(ramp) - CYCLIC_PREFIX / 2, 0.0)[:, None]
        share, interference = overlap(beyond, self.imperfections.spacing_hz * self.imperfections.symbol_s)
        return h * np.expand_dims(share * turn, tuple(range(1, h.ndim - 1))), interference / share**2
