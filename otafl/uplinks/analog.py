"""Analog uplink: all workers' symbols superpose over the air, under one power budget each.

A worker transmits x = c/h for a contribution c that should arrive; ``channels.effective`` reduces this to real arrays,
and ``channels.multiple_access`` is the complex reference.

An element rides the real part of a symbol, or every second one its imaginary part; since each worker knows its own
gain, no part leaks into the other, and the two are like two symbols that share a budget.

Approximations: workers are synchronised, but for ``channel.phase_error_rad`` and ``channel.timing_error_s``; each knows
its own gain, or the server's estimate of it by ``channel.pilots``, and the server what it needs of Σ|h|², of who spoke
and of scaling factors, over a control channel that ``uplink.charge_side_information`` charges; the common factor comes
back with the broadcast.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from channels import effective
from channels.clipping import Clipping
from channels.combining import AsReceived, BlindSum, SpeakerCount
from channels.effective import Effective
from channels.noise import matched_filter_variance
from channels.power import transmit_power_w, upload_budget
from channels.precoding import ChannelInversion, TruncatedInversion
from otafl.algorithms import Method
from otafl.arrays import Tensor, tf
from otafl.settings.keys import Settings
from otafl.uplinks.digital import Report
from otafl.uplinks.link import Inputs, Sent, Upload
from otafl.uplinks.radio import grid, imperfections
from otafl.uplinks.registry import register
from otafl.uplinks.uplink import RADIO, Cost, Gains, Senders, Uplink


class Amplifier(NamedTuple):
    """Numbers of workers' amplifiers, where something is distorted or interferes, each of shape [runs].

    Arguments:
        gain: with which all that is sent arrives, and by which the server divides.
        share: of an upload's power Σ_i |x_i|² that is in the real part of one symbol in the mean.
        radiated: power behind an amplifier over that before it.
    """

    gain: Tensor
    share: Tensor
    radiated: Tensor


class Radio(NamedTuple):
    """Numbers of the analog radio, each of shape [runs].

    Arguments:
        budget: largest Σ_i |α x_i|² of a worker in an upload [W].
        noise_std: standard deviation of the real part of a matched-filter sample, √(N0/2T_s) [√W].
        symbol_s: length of a symbol T_s [s].
        amplifier: of every worker; empty where nothing is distorted, and nothing interferes.
    """

    budget: Tensor
    noise_std: Tensor
    symbol_s: Tensor
    amplifier: Amplifier | tuple[()] = ()


class AnalogLink(NamedTuple):
    """One iteration of the analog uplink."""

    inputs: Inputs

    def sent(self, message: Tensor) -> Sent:
        """The contributions superpose, a_n c_n each, a_n the arrival."""
        _, arrival, cost, _, _, leak = self.inputs.channel
        power = signal_power(message, cost)
        arrived = tf.reduce_sum(message if arrival is None else arrival * message, axis=0)
        spread = None if leak is None else tf.reduce_sum(leak * power[:, None], axis=0)
        return Sent(arrived, tf.reduce_max(power, axis=0), tf.reduce_sum(power, axis=0), spread)

    def received(self, sent: Sent, vector: int = 0) -> Upload:
        """All send at full common power; after division by α the server has Σ_n a_n c_n + Re{z}/α.

        Source: Elgabli et al., equation (13) and section II-F; section V-A where workers in deep fades are silent.
        """
        (_, _, _, noise_gain, _, _), noise, _, radio = self.inputs
        deviation, energy = radio.noise_std * amplification(sent.largest, radio), _energy(sent, radio)
        if radio.amplifier:
            deviation, energy = _behind(radio.amplifier, deviation, sent), energy * radio.amplifier.radiated
        noise = deviation * noise[vector]
        noise = noise if noise_gain is None else noise * noise_gain[0]
        return Upload((sent.arrived + noise)[None], energy)

    def broadcast(self, message: Tensor, vector: int = 0) -> Tensor:
        """Every worker sees Θ + Re{z/h}/α; the server keeps to the power budget of a worker for each vector.

        Source: Elgabli et al., section II-E, equations (14) and (15).
        """
        channel, _, noise, radio = self.inputs
        if not noise.shape[0]:
            return message
        scale = radio.noise_std * amplification(tf.reduce_sum(message * message, axis=[0, 1]), radio)
        assert channel.reach is not None
        return message + scale * noise[vector] * tf.sqrt(1 / channel.reach)


@register("analog")
class Analog(Uplink):
    """Workers superpose: contributions that are weighed by the gain are inverted in full, plain sums truncated."""

    keys = (
        *RADIO,
        "channel.phase_error_rad",
        "channel.timing_error_s",
        "uplink.elements_per_symbol",
        "uplink.power_budget",
        "uplink.peak_backoff_db",
        "uplink.charge_side_information",
        "uplink.bits_per_element",
        "uplink.combiner",
    )

    @classmethod
    def reads(cls, method: Method) -> tuple[str, ...]:
        """Dotted scenario keys that it reads with a method."""
        return (*cls.keys, "uplink.inversion_threshold") if method.truncates else cls.keys

    def channel(self, gains: Gains, workers: int, runs: int, dtype: DTypeLike) -> Effective:
        """The effective channel, blocks and seeds on the last axis."""
        precoder, combiner = ChannelInversion(), AsReceived()
        if self.method.truncates:
            precoder, combiner = TruncatedInversion(self.settings.uplink.inversion_threshold), SpeakerCount()
        if self.settings.blind:
            precoder, combiner = ChannelInversion(), BlindSum(self.settings.cell.antennas)
        found = gains(self.in_use)
        reduced = effective.reduce(found, precoder, combiner, dtype=dtype)
        heard = self.settings.uplink.downlink == "analog"
        reduced = reduced._replace(reach=reduced.reach if heard else None, leak=self._leak(reduced.reach, found.mixed))
        channel = reduced.each(self._on_parts)
        weighs = self.method.weighs_by_gain(self.settings)
        return channel if weighs else channel._replace(gain=np.ones((workers, 1, runs), dtype))

    def _on_parts(self, values: np.ndarray) -> np.ndarray:
        """From subcarriers to the parts of their symbols. Shape [runs, workers, S] to [workers, S·κ, runs]."""
        values, parts = np.moveaxis(values, 0, -1), self.grid.elements_per_symbol
        return values.repeat(parts, axis=1) if parts > 1 else values

    def _leak(self, reach: Any, mixed: np.ndarray | None) -> np.ndarray | None:
        """Distortion, and the interference of all that is radiated, as they arrive. Shape of reach."""
        clipping = Clipping(self.settings.uplink.peak_backoff_db)
        if mixed is not None:
            return reach * (clipping.distortion + clipping.radiated * mixed).astype(reach.dtype)
        return reach * reach.dtype.type(clipping.distortion) if clipping.distortion else None

    @property
    def noise_shape(self) -> tuple[int, ...]:
        """One sample for each element."""
        return (self.method.vectors, self.elements)

    @property
    def downlink_noise_shape(self) -> tuple[int, ...]:
        """One sample for each vector, worker and element, of an analog downlink."""
        if self.settings.uplink.downlink == "digital":
            return (0, 0, 0)
        return (len(self.method.broadcasts), self.settings.federation.workers, self.elements)

    @classmethod
    def radio(cls, settings: Settings, elements: int) -> Radio:
        """Budget of an upload, noise, symbol and amplifiers."""
        uplink, laid = settings.uplink, grid(settings, elements)
        power = transmit_power_w(settings.channel.snr_db, laid.spacing_hz, uplink.noise_psd_w_per_hz)
        share = laid.subcarriers_in_use(elements) if uplink.power_reference == "total" else 1
        budget = upload_budget(float(power) / share, laid.symbols(elements), uplink.power_budget)
        noise_std = math.sqrt(matched_filter_variance(uplink.noise_psd_w_per_hz, laid.symbol_s) / 2)
        clipping = Clipping(uplink.peak_backoff_db)
        if not clipping.distortion and not imperfections(settings).mixes:
            return Radio(budget, noise_std, laid.symbol_s)
        share = 1 / 2 / laid.symbols(elements)
        return Radio(budget, noise_std, laid.symbol_s, Amplifier(clipping.gain, share, clipping.radiated))

    @classmethod
    def link(cls, inputs: Inputs, runs: Tensor) -> AnalogLink:
        """A noisy link."""
        return AnalogLink(inputs)

    def cost(self, senders: Senders) -> Cost:
        """Slots and uses of each vector, by all workers together; energy depends on what is sent."""
        runs = np.ones(len(senders.snr))
        slots, uses = self.grid.analog_slots(self.elements), self.grid.symbols(self.elements)
        vectors = self.method.vectors
        upload = Cost(vectors * slots * runs, vectors * uses * runs, 0 * runs, senders.workers * self.uploaded * runs)
        uplink = self.settings.uplink
        if not uplink.charge_side_information:
            return upload
        return Cost(*np.add(upload, self._report(vectors * uplink.bits_per_element).cost(senders)))

    def introduction(self, senders: Senders) -> Cost:
        """Where it is charged: |h|² of each subcarrier in use, or whether a worker is silent there; pilots tell."""
        uplink, each = self.settings.uplink, 0
        if uplink.charge_side_information and not self.settings.channel.pilots and not self.settings.blind:
            each = uplink.bits_per_element if self.method.weighs_by_gain(self.settings) else int(self.method.truncates)
        return self._report(each * self.in_use).cost(senders) if each else super().introduction(senders)

    def _report(self, bits: int) -> Report:
        return Report(self.settings, self.method, self.elements, bits)

    def pilot_symbols(self, share: float, upload: Cost) -> tuple[np.ndarray, np.ndarray]:
        """Workers take turns on all subcarriers in use."""
        workers = share * upload.elements / self.uploaded
        return workers / self.grid.symbols_per_slot, workers * self.in_use


def _energy(sent: Sent, radio: Radio) -> Tensor:
    """Energy of all workers [J], where one uses its budget in full. Shape [runs]."""
    relative = tf.math.divide_no_nan(sent.power, sent.largest)
    return tf.math.multiply_no_nan(radio.budget, relative) * radio.symbol_s


def _behind(amplifier: Amplifier, deviation: Tensor, sent: Sent) -> Tensor:
    """Standard deviation of noise and all that leaks, after division by the amplifiers' gain. Shape [d, runs]."""
    return tf.sqrt(deviation**2 + amplifier.share * sent.spread) / amplifier.gain


def signal_power(contribution: Tensor, power: Tensor) -> Tensor:
    """Σ_i |x_{n,i}|² before power control, for a transmit power per squared symbol. Shape [workers, runs]."""
    return tf.reduce_sum(contribution * contribution * power, axis=1)


def amplification(largest: Tensor, radio: Radio) -> Tensor:
    """1/α for the largest signal power of a transmitter; 0 under an infinite budget. Shape [runs]."""
    return tf.sqrt(largest / radio.budget)
