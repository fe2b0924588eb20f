"""Channel state information (CSI) of workers and server, and phase and timing errors that they do not know.

Pilots: each worker sends n_p symbols on every subcarrier in every coherence block. The server forms an estimate, of
least mean square error or of least squares, uses it as its CSI, and feeds it back to the worker without error. Phase
and timing errors come afterwards, so neither side knows them.

A worker whose timing error exceeds the cyclic prefix has a share of another symbol in the server's window, and
interferes (``overlap``). Approximations: interference is complex normal, even over subcarriers, as in the middle of a
wide band, and proportional to the power gain of each subcarrier. With 10 subcarriers and an error of 0.2/W, neighbours
leak three quarters of that in the mean. Delays of the channel itself are taken as within the prefix.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from .errors import ParameterError
from .grid import CYCLIC_PREFIX
from .layouts import AntennaGains, Gains, MeanGains, PerSubcarrier, WorkerGains
from .noise import complex_normal
from .random_streams import of_block

Estimator = Literal["mmse", "least_squares"]
"""Name of an estimate of gains from pilots."""


class ChannelState(NamedTuple):
    """Gains of a coherence block, and the CSI of workers and server.

    Arguments:
        h: actual gains.
        worker: each worker's estimate of its own gains.
        server: the server's estimate of all gains.
        interference_ratio: power of the interference from a worker's timing error over its received power; None:
            there is none. Shape [..., workers, 1].
        mean: mean square over fading of each worker's estimated gains, linear, which all know; or one for all.
        perfect: True where estimates are the actual gains, so that closed forms of what arrives hold exactly.
        neighbours: power that arrives from neighbouring cells over a worker's power, linear; None: there is none.
            Shape [..., 1, subcarriers].
    """

    h: Gains | AntennaGains
    worker: Gains | AntennaGains
    server: Gains | AntennaGains
    interference_ratio: np.ndarray | None = None
    mean: MeanGains | float = 1.0
    perfect: bool = False
    neighbours: PerSubcarrier | None = None

    def each(self, change: Callable[[np.ndarray], np.ndarray]) -> "ChannelState":
        """Return the state with a function, as a combiner of antennas, applied to actual and estimated gains.

        It has no interference, and ``mean`` 1.
        """
        if self.perfect:
            return known(change(self.h))
        return ChannelState(change(self.h), change(self.worker), change(self.server))


def known(h: Gains | AntennaGains) -> ChannelState:
    """Return the channel of perfect CSI at workers and server: estimates are the gains.

    Source: Elgabli et al., section II-D.
    """
    return ChannelState(h, h, h, perfect=True)


def overlap(beyond: np.ndarray, periods: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of a late or early symbol in the receiver's window, and the interference with it.

    The share is 1 - ε, ε = beyond/periods. The rest of the window holds a share ε of the next symbol on the same
    subcarrier, of power ε². Subcarriers p away leak sin²(πp·beyond)/(πp·periods)² from either symbol, over all p
    f(1 - f)/periods² from each, f being the fractional part of beyond. With one period the sum is ε(2 - ε).

    Arguments:
        beyond: delay beyond the cyclic prefix, in either direction, in periods 1/W of the subcarrier spacing.
        periods: length of a symbol without its prefix in periods, W·T_s; whole for orthogonal subcarriers.

    Returns:
        Factor on the amplitude, and power of the interference over the transmitted power. Shape of beyond each.
    """
    missing, part = beyond / periods, beyond % 1
    return 1 - missing, missing**2 + 2 * part * (1 - part) / periods**2


@dataclass(frozen=True)
class Imperfections:
    """Imperfections of a link: pilots of finite energy, and errors of phase and timing.

    >>> link = Imperfections(pilots=4, pilot_snr=10.0)
    >>> print(f"{link.error_variance(1.0):.4f}")
    0.0244

    Arguments:
        pilots: pilot symbols n_p of a worker on each subcarrier in a coherence block; 0: gains are known without
            pilots.
        pilot_snr: energy of a pilot symbol over N0, linear.
        phase_error_rad: standard deviation of a worker's phase, normal and independent between blocks [rad].
        timing_error_s: largest delay τ of a worker, uniform in [-τ, τ] and independent between blocks [s]. The cyclic
            prefix covers half of its length in either direction.
        spacing_hz: subcarrier spacing W [Hz].
        symbol_s: length T_s of a symbol without its prefix [s].
        estimator: "mmse" (linear, of least mean square error, with known mean gains) or "least_squares" (without).

    Raises:
        ParameterError: the timing error is not below the length of a symbol, or the estimator is unknown.
    """

    pilots: int = 0
    pilot_snr: float = 100.0
    phase_error_rad: float = 0.0
    timing_error_s: float = 0.0
    spacing_hz: float = 15e3
    symbol_s: float = 1e-3
    estimator: Estimator = "mmse"

    def __post_init__(self) -> None:
        if self.estimator not in get_args(Estimator):
            raise ParameterError("estimator", self.estimator, f"must be one of {', '.join(get_args(Estimator))}")
        if self.timing_error_s >= self.symbol_s:
            rule = f"must be below the length of a symbol, {self.symbol_s:.3g} s"
            raise ParameterError("timing_error_s", self.timing_error_s, rule)

    @property
    def perfect(self) -> bool:
        """True where gains are known exactly, and arrive without errors of phase and timing."""
        return self.synchronous and not self.pilots

    @property
    def synchronous(self) -> bool:
        """True where there are no errors of phase and timing."""
        return self.phase_error_rad == self.timing_error_s == 0

    @property
    def ramp(self) -> float:
        """Phase from one subcarrier to the next under the largest delay, W·τ [turns]."""
        return self.spacing_hz * self.timing_error_s

    @property
    def mixes(self) -> bool:
        """True where a worker's delay may exceed what the cyclic prefix covers."""
        return self.ramp > CYCLIC_PREFIX / 2

    @property
    def energy(self) -> float:
        """Energy E = n_p·SNR_p of a worker's pilots on a subcarrier in a block over N0, linear."""
        return self.pilots * self.pilot_snr

    def factor(self, power: WorkerGains) -> WorkerGains:
        """Return the factor a of an estimate a·(h + z), for gains of mean square β: Eβ/(1 + Eβ), or 1 of least squares.

        z is noise of variance 1/E.
        """
        over_noise = self.energy * power
        return over_noise / (1 + over_noise) if self.estimator == "mmse" else np.ones_like(over_noise)

    def error_variance(self, power: WorkerGains) -> WorkerGains:
        """Return the mean of |ĥ - h|² for gains of mean square β: β/(1 + Eβ), or 1/E of least squares.

        It is 0 without pilots.
        """
        if not self.pilots:
            return 0.0 * power
        return power / (1 + self.energy * power) if self.estimator == "mmse" else np.ones_like(power) / self.energy

    def estimated_power(self, power: WorkerGains) -> WorkerGains:
        """Return the mean of |ĥ|² for gains of mean square β: β less that of the error, or β + 1/E of least squares."""
        error = self.error_variance(power)
        return power - error if self.estimator == "mmse" else power + error


@dataclass(frozen=True)
class Sounding:
    """Estimates and errors of coherence blocks, drawn from streams that depend on seed and block alone.

    Gains have the shape [workers, ..., subcarriers], such as [workers, antennas, subcarriers], and a mean square β over
    fading. Blocks count from 0.
    """

    imperfections: Imperfections
    seed: np.random.SeedSequence

    def sound(self, h: AntennaGains, block: int, power: WorkerGains = 1.0) -> ChannelState:
        """Return the gains of a block as they arrive with errors, and as they are estimated."""
        if self.imperfections.perfect:
            return known(h)
        estimate, (arriving, interference_ratio) = self.estimate(h, block, power), self._turned(h, block)
        return ChannelState(arriving, estimate, estimate, interference_ratio)

    def estimate(self, h: AntennaGains, block: int, power: WorkerGains = 1.0) -> AntennaGains:
        """Return the estimate ĥ = a·(h + z) of gains of mean square β, z ~ CN(0, 1/E); the gains without pilots."""
        energy = self.imperfections.energy
        if not energy:
            return h
        noise = complex_normal(of_block(self.seed, block), (h.shape[-1], *h.shape[:-1]), 1 / energy)
        shrunk = np.reshape(self.imperfections.factor(power), (-1, *(1,) * (h.ndim - 1)))
        return shrunk * (h + np.moveaxis(noise, 0, -1))

    def _turned(self, h: AntennaGains, block: int) -> tuple[AntennaGains, np.ndarray | None]:
        """Return gains after each worker's phase φ and delay τ, and the interference over the received power.

        Gains are a·h·e^(jφ)·e^(-j2πkW·τ), k counted from the centre of the band, a the share of a symbol in the window.
        The interference has shape [workers, 1].
        """
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
