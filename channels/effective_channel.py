"""Effective channel: fading, CSI, precoder and receive scaling reduced to real arrays.

A worker transmits x = p·c for a contribution c. The receiver forms w^H·y of y = Σ_n h_n·x_n + z and keeps the real
part. This is Σ_n arrival_n·c_n plus noise_gain times the real part of a sample like z. Each worker transmits with the
power power_n·c_n². Simulations with these arrays have neither complex numbers nor antennas.
``channels.multiple_access`` is the complex reference.
"""

from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import DTypeLike

from .csi import ChannelState
from .gain import power_gain
from .power_control.power_control import PowerControl
from .precoding.precoder import Precoder
from .receive_scaling import ReceiveScaling


class Effective(NamedTuple):
    """Effective channel of runs side by side in a coherence block. Shape [workers or 1, subcarriers or 1, runs] each.

    Gains are h, estimates ĥ, factors of workers p, and weights of the receiver w. None: 1 everywhere, or not needed.

    Arguments:
        gain: the method's weight of each worker, such as the estimated power gain |ĥ|².
        arrival: factor with which a contribution arrives, Re{w^H·h·p}.
        power: transmit power per squared contribution, |p|²; 0: the worker is silent.
        noise_gain: factor on the receiver's noise, |w|. One for all workers.
        reach: actual power gain |h|², with which all radiated power arrives.
        distortion_ratio: received power of distortion and interference over the transmitted power.
        budgeted_power: |p|² that power control counts; None: ``power``.
        quadrature: factor on the imaginary part, Im{w^H·h·p}; None: the receiver does not take that part.
        neighbours: power that arrives from neighbouring cells over a worker's power. One for all workers.
        carried_share: share of a vector's elements that a worker's bits carry.
    """

    gain: np.ndarray
    arrival: np.ndarray | None
    power: np.ndarray
    noise_gain: np.ndarray | None
    reach: np.ndarray | None = None
    distortion_ratio: np.ndarray | None = None
    budgeted_power: np.ndarray | None = None
    quadrature: np.ndarray | None = None
    neighbours: np.ndarray | None = None
    carried_share: np.ndarray | None = None

    def silent_share(self, elements: int) -> np.ndarray:
        """Return the share of a vector's d elements on which each worker is silent. Shape [..., workers, runs]."""
        places = self.power.shape[-2]
        carried = np.bincount(np.arange(elements) % places, minlength=places)
        return np.average(self.power == 0, axis=-2, weights=carried)

    def each(self, change: Callable[[np.ndarray], np.ndarray]) -> Self:
        """Return the channel with a function applied to every array that is not None."""
        return self._make(None if part is None else change(part) for part in self)


class ReducedChannel(Effective):
    """Effective channel before it is laid out for runs side by side. Shape [..., workers, subcarriers] each."""


class BlockChannels(Effective):
    """Effective channels of several coherence blocks, which are the first axis. Shape [blocks, ...] each."""

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        """Return the channels of all blocks of some parts, one after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(*(None if some[0] is None else np.concatenate(some) for some in zip(*parts, strict=True)))

    def of_block(self, place: int) -> Effective:
        return Effective(*self.each(lambda part: part[place]))


class ElementChannel(Effective):
    """Effective channel on the elements of a vector, which take the place of the subcarriers they ride."""


def reduce(
    channel: ChannelState,
    precoder: Precoder,
    scaling: ReceiveScaling,
    dtype: DTypeLike = np.float64,
    control: PowerControl | None = None,
    *,
    both_parts: bool = False,
) -> ReducedChannel:
    """Reduce the gains of a coherence block, with precoder and receive scaling, to real arrays.

    >>> from otafl.channels import csi, precoding, receive_scaling
    >>> channel = csi.known(np.array([[2j], [0.1]]))
    >>> reduced = reduce(channel, precoding.TruncatedInversion(0.5), receive_scaling.SpeakerCount())
    >>> reduced.arrival, reduced.power
    (array([[2.],
           [0.]]), array([[0.25],
           [0.  ]]))

    Arguments:
        channel: gains, and the CSI of workers and server.
        precoder: precoder of the workers, applied to their CSI.
        scaling: scaling of the receiver, applied to the server's CSI.
        dtype: real precision of the result, in which precoders decide which workers are silent.
        control: power control of the workers; None: their common factor counts with ``power``.
        both_parts: True for a receiver that takes real and imaginary parts of the symbols.
    """
    gain, precoder = power_gain(channel.worker, dtype), precoder.calibrated(channel.mean)
    power = precoder.power(gain)
    weights = np.ones(())
    if not scaling.unit:
        speakers = np.count_nonzero(power, axis=-2)
        weights = scaling.weights(channel.server, speakers, precoder.arrival)[..., None, :]
    quadrature = None
    if both_parts or not channel.perfect:
        with np.errstate(invalid="ignore"):  # a gain of 0 times an infinite factor
            arriving = np.conj(weights) * channel.h * precoder.coefficients(channel.worker)
        # Rounding of the gain to the precision of the result may silence a worker whose factor is not 0.
        arrival = np.where(power > 0, arriving.real, 0.0).astype(dtype)
        quadrature = np.where(power > 0, arriving.imag, 0.0).astype(dtype) if both_parts else None
    elif precoder.exact and scaling.unit:
        arrival = None
    else:
        arrival = weights.real.astype(dtype) * precoder.arrival(gain)
    reach = gain if channel.perfect else power_gain(channel.h, dtype)
    noise_gain = None if scaling.unit else np.abs(weights).astype(dtype)
    mean = np.broadcast_to(channel.mean, (*gain.shape[:-1], 1))
    counted = control.budgeted_power(precoder, mean) if control else None
    budgeted_power = None if counted is None else np.asarray(counted, dtype)
    return ReducedChannel(gain, arrival, power, noise_gain, reach, budgeted_power=budgeted_power, quadrature=quadrature)
