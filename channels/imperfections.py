"""Imperfections of a link: pilots of finite energy, and errors of phase and timing that neither side knows.

A worker whose timing error exceeds the cyclic prefix has a share of another symbol in the server's window, and
interferes (``overlap``). Approximations: it is complex normal and even over subcarriers, and echoes are in the prefix.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from .array_types import WorkerGains
from .errors import ParameterError
from .grid import CYCLIC_PREFIX

Estimator = Literal["mmse", "least_squares"]
"""Name of an estimate of gains from pilots."""


def overlap(beyond: np.ndarray, periods: float, subcarriers: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of a late or early symbol in the receiver's window, and the mean interference over its power.

    The share of the amplitude is 1 - ε, ε = beyond/periods, for a delay beyond the cyclic prefix and the length of a
    symbol without it, both in periods 1/W of the subcarrier spacing. The rest of the window holds a share ε of the next
    symbol on the same subcarrier, of power ε². Subcarriers p away leak sin²(πp·beyond)/(πp·periods)² from either
    symbol. In a band of S subcarriers a share 1 - p/S has such a neighbour on one side.
    """
    missing, away = beyond / periods, np.arange(1, subcarriers)
    leaks = (1 - away / subcarriers) * (
        np.sin(np.pi * away * np.asarray(beyond)[..., None]) / (np.pi * away * periods)
    ) ** 2
    return 1 - missing, missing**2 + 4 * leaks.sum(axis=-1)


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
        noise_share: noise of an estimate over that of a pilot; below 1 where it is the mean of several.
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
    noise_share: float = 1.0
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
        """Energy E = n_p·SNR_p of a worker's pilots on a subcarrier over N0, over the share of noise, linear."""
        return self.pilots * self.pilot_snr / self.noise_share

    def factor(self, power: WorkerGains) -> WorkerGains:
        """Return the factor a of an estimate a·(h + z), for gains of mean square β: Eβ/(1 + Eβ); 1 of least squares."""
        over_noise = self.energy * power
        return over_noise / (1 + over_noise) if self.estimator == "mmse" else np.ones_like(over_noise)

    def error_variance(self, power: WorkerGains) -> WorkerGains:
        """Return the mean of |ĥ - h|² for gains of mean square β: β/(1 + Eβ); 1/E of least squares."""
        if not self.pilots:
            return 0.0 * power
        return power / (1 + self.energy * power) if self.estimator == "mmse" else np.ones_like(power) / self.energy

    def estimated_power(self, power: WorkerGains) -> WorkerGains:
        """Return the mean of |ĥ|² for gains of mean square β: β less the error's, or β + 1/E of least squares."""
        error = self.error_variance(power)
        return power - error if self.estimator == "mmse" else power + error
