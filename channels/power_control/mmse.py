"""Power control of the least mean squared error of the received sum."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..gain import power_gain
from ..precoding.precoder import PRECODERS, Precoder, Told
from ..receive_scaling import ReceiveScaling
from .power_control import PowerControl, register


@dataclass(frozen=True)
class Denoising(ReceiveScaling):
    """Receive scaling that divides by √η, chosen from the receiver's CSI; w = 0 where √η is infinite.

    √η is the denoising factor of ``denoising``, the amplitude at which contributions of good channels arrive.

    Arguments:
        snr: energy of a real element at full power over a channel of gain 1, over N0, linear.
    """

    snr: float

    def weights(self, h: np.ndarray, spoke: np.ndarray) -> np.ndarray:
        """Return the weight 1/√η on received symbols, 0 where all gains are 0. Shape [..., subcarriers], real.

        √η is the denoising factor, the amplitude at which contributions of good channels arrive.

        Arguments:
            h: complex gains as the receiver knows them, no unit. Shape [..., workers, subcarriers].
            spoke: number of workers that transmit, unused. Shape [..., subcarriers].
        """
        return 1 / denoising(power_gain(h), self.snr)


@dataclass(frozen=True)
class LeastError(Precoder):
    """Precoder that compensates phases, with the amplitudes of the least mean squared error, |h·p| = min(|h|, √η).

    √η is the denoising factor of ``denoising``, one for all workers of a subcarrier.

    Arguments:
        snr: energy of a real element at full power over a channel of gain 1, over N0, linear.
    """

    snr: float

    def coefficients(self, h: np.ndarray) -> np.ndarray:
        """Return the complex factors p on contributions, p = √(|p|²)·conj(h)/|h|. Shape of h, no unit.

        The power is |p|² = min(1, η/|h|²), with the denoising factor √η of each subcarrier.

        Arguments:
            h: complex gains of all workers. Shape [..., workers, subcarriers].
        """
        gain = power_gain(h)
        turned = np.divide(h.conj(), np.sqrt(gain), out=np.zeros(np.shape(h), complex), where=gain > 0)
        return np.sqrt(self.power(gain)) * turned

    def power(self, gain: np.ndarray) -> np.ndarray:
        """Return the power per squared contribution, |p|² = min(1, η/|h|²), 0 at a gain of 0; no unit. Shape of gain.

        √η is the denoising factor, the amplitude at which contributions of good channels arrive.

        Arguments:
            gain: power gains |h|² of all workers, linear. Shape [..., workers, subcarriers].
        """
        level = np.square(denoising(gain, self.snr))[..., None, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(gain > 0, np.minimum(1.0, level / gain), 0.0).astype(gain.dtype)

    def arrival(self, gain: np.ndarray) -> np.ndarray:
        """Return the factor of a contribution, h·p = min(|h|, √η), before the receiver divides by √η. Shape of gain.

        √η is the denoising factor, the amplitude at which contributions of good channels arrive.

        Arguments:
            gain: power gains |h|² of all workers, linear. Shape [..., workers, subcarriers].
        """
        return np.minimum(np.sqrt(gain), denoising(gain, self.snr)[..., None, :]).astype(gain.dtype)


@register("mmse")
@dataclass(frozen=True)
class MmsePower(PowerControl):
    """Power control of the least mean squared error, for a sum of independent elements of mean square 1.

    On each subcarrier workers in good channels invert them, p = √η/h; workers in bad channels transmit at full power,
    |p| = 1, with their phases compensated. The receiver divides by √η. An upload at full power on all subcarriers
    takes the whole budget.

    Source: X. Cao, G. Zhu, J. Xu and K. Huang, "Optimized Power Control for Over-the-Air Computation in Fading
    Channels", theorem 1; of the noise, the real part counts.
    """

    asks: ClassVar[Told] = "gains"

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Return why a run cannot have it, a precoder with amplitudes of its own; empty where it can.

        Arguments:
            chain: the run's ``Chain``, whose field ``precoder`` counts.
            settings: unused.
            method: unused.
        """
        if chain.precoder.phase_only:
            return ""
        known = " or ".join(repr(name) for name, made in PRECODERS.items() if made.phase_only)
        return f"chooses amplitudes itself, and needs uplink.precoder = {known}"

    def controlled(self, precoder: Precoder, snr: float) -> Precoder:
        """Return the precoder of the least mean squared error at an SNR, a ``LeastError``.

        Arguments:
            precoder: unused.
            snr: energy of a real element at full power over a channel of gain 1, over N0, linear.
        """
        return LeastError(snr)

    def receive_scaling(self, snr: float) -> ReceiveScaling:
        """Return the receive scaling that divides by the denoising factor √η, a ``Denoising``.

        Arguments:
            snr: energy of a real element at full power over a channel of gain 1, over N0, linear.
        """
        return Denoising(snr)

    def budgeted_power(self, precoder: Precoder, mean: np.ndarray) -> np.ndarray:
        """Return the power per squared contribution at full power, |p|² = 1. Shape of mean.

        Arguments:
            precoder: unused.
            mean: mean of |h|² of each worker, of which the shape alone is taken. Shape [..., workers, 1].
        """
        return np.ones_like(mean)


def denoising(gain: np.ndarray, snr: float) -> np.ndarray:
    """Return √η = min_k (σ² + Σ_{i≤k} a_i²)/Σ_{i≤k} a_i over ascending a_k = |h_k|; infinite where all gains are 0.

    √η is the amplitude that good channels are inverted to, and that the receiver divides by. Here k counts workers in
    ascending order of |h|, and σ² is the variance of the noise.

    The error is convex in 1/√η. Its slope vanishes at the k-th term if the first k workers transmit at full power; the
    smallest term belongs to the right k. The noise is that of the real part, σ² = 1/(2·SNR).

    Arguments:
        gain: power gains |h|², linear. Shape [..., workers, subcarriers].
        snr: energy of a real element at full power over a channel of gain 1, over N0, linear.

    Returns:
        Denoising factor √η, no unit. Shape [..., subcarriers].

    Raises:
        ValueError: the SNR is not positive.
    """
    if not snr > 0:
        raise ValueError(f"snr = {snr}: must be positive")
    ascending = np.sort(gain, axis=-2)
    powers, sums = np.cumsum(ascending, axis=-2), np.cumsum(np.sqrt(ascending), axis=-2)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(sums > 0, (0.5 / snr + powers) / sums, np.inf)
    return found.min(axis=-2)
