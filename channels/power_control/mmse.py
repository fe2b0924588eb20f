"""Power control of the least mean squared error of the received sum."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..array_types import Gains, MeanGains, PerSubcarrier, PowerGains
from ..errors import ParameterError
from ..gain import power_gain
from ..precoding.precoder import Precoder, SideInformation
from ..receive_scaling import Arrival, ReceiveScaling
from .power_control import PowerControl, register


@dataclass(frozen=True)
class Denoising(ReceiveScaling):
    """Receive scaling that divides by the denoising factor √η at an SNR; w = 0 where √η is infinite."""

    snr: float

    def weights(self, h: Gains, speakers: PerSubcarrier, arrival: Arrival) -> PerSubcarrier:
        return 1 / denoising(power_gain(h), self.snr)


@dataclass(frozen=True)
class LeastError(Precoder):
    """Precoder that compensates phases, with the amplitudes of the least mean squared error, |h·p| = min(|h|, √η).

    √η is the denoising factor at an SNR, one for all workers of a subcarrier.
    """

    snr: float

    def coefficients(self, h: Gains) -> Gains:
        gain = power_gain(h)
        turned = np.divide(h.conj(), np.sqrt(gain), out=np.zeros(np.shape(h), complex), where=gain > 0)
        return np.sqrt(self.power(gain)) * turned

    def power(self, gain: PowerGains) -> PowerGains:
        level = np.square(denoising(gain, self.snr))[..., None, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(gain > 0, np.minimum(1.0, level / gain), 0.0).astype(gain.dtype)

    def arrival(self, gain: PowerGains) -> PowerGains:
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

    asks: ClassVar[SideInformation] = "gains"

    def controlled(self, precoder: Precoder, snr: float) -> Precoder:
        return LeastError(snr)

    def receive_scaling(self, snr: float) -> ReceiveScaling:
        return Denoising(snr)

    def budgeted_power(self, precoder: Precoder, mean: MeanGains) -> MeanGains:
        return np.ones_like(mean)


def denoising(gain: PowerGains, snr: float) -> PerSubcarrier:
    """Return √η = min_k (σ² + Σ_{i≤k} a_i²)/Σ_{i≤k} a_i over ascending a_k = |h_k|; infinite where all gains are 0.

    √η is the amplitude that good channels are inverted to, and that the receiver divides by; σ² = 1/(2·SNR) is the
    variance of the noise's real part. The error is convex in 1/√η. Its slope vanishes at the k-th term if the first k
    workers transmit at full power; the smallest term belongs to the right k.

    Raises:
        ParameterError: the SNR is not positive.
    """
    if not snr > 0:
        raise ParameterError("snr", snr, "must be positive")
    ascending = np.sort(gain, axis=-2)
    powers, sums = np.cumsum(ascending, axis=-2), np.cumsum(np.sqrt(ascending), axis=-2)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(sums > 0, (0.5 / snr + powers) / sums, np.inf)
    return terms.min(axis=-2)
