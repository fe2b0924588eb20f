"""Analog link of one round, inside a program: superposition, power control and the noise of one receiver.

``channels.effective_channel`` reduces fading, precoder and combiner to real arrays; ``channels.multiple_access`` is the
complex reference.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from otafl.arrays import Tensor, tf
from otafl.compressors import Packet
from otafl.uplinks.link import Link, Sent, Upload


class Amplifier(NamedTuple):
    """Numbers of workers' amplifiers, where symbols are distorted or interfere, each of shape [runs].

    Arguments:
        gain: linear gain of all symbols, by which the server divides.
        share: mean share of an upload's power Σ_i |x_i|² in the real part of one symbol.
        radiated: power behind an amplifier over the power before it.
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
        amplifier: of every worker; empty without distortion and interference.
        symbols: number of symbols in an upload.
        numbers: of the chain's parts, by part and name.
    """

    budget: Tensor
    noise_std: Tensor
    symbol_s: Tensor
    amplifier: Amplifier | tuple[()] = ()
    symbols: Tensor = 1.0
    numbers: Any = ()


@dataclass(frozen=True)
class AnalogLink(Link):
    """Analog link of one round: symbols superpose, and one receiver adds noise."""

    def sent(self, message: Tensor, vector: int = 0) -> Sent:
        """Superpose workers' symbols. Shape of messages: [workers, d, runs]."""
        packet, ratio = self.packed(message, vector), self.draw.channel.distortion_ratio
        if (symbols := self.radiated(packet.sent)) is not packet.sent:
            packet = Packet(symbols, packet.sent if packet.target_sum is None else packet.target_sum)
        power = signal_power(packet.sent, self.draw.channel.power)
        arrived, target_sum = self.summed(packet)
        return Sent(
            arrived=arrived,
            largest=self.largest(packet.sent, power),
            power=tf.reduce_sum(power, axis=0),
            peak=tf.reduce_max(power, axis=0),
            target_sum=target_sum,
            spread=None if ratio is None else tf.reduce_sum(ratio * power[:, None], axis=0),
        )

    @property
    def expected_norm(self) -> Tensor | None:
        """Norm of a vector that power control assumes; None: the norm of the sent vector. Shape [runs]."""
        number = tf.cast(self.draw.number + 1, self.silent.dtype)
        return self.chain.power_control.expected_norm(number)

    def radiated(self, message: Tensor) -> Tensor:
        """Return vectors cut to the norm that power control assumes. Shape [workers, d, runs]."""
        norm = self.expected_norm
        return message if norm is None else shortened(message, norm)

    def deviation(self, sent: Sent) -> Tensor:
        """Return √(N0/2T_s)/α, where all workers transmit at full common power. Shape [runs]."""
        return self.radio.noise_std * amplification(sent.largest, self.radio)

    def largest(self, symbols: Tensor, power: Tensor) -> Tensor:
        """Return the largest Σ_i |x_i|² of a worker, as power control counts it. Shape [runs].

        Arguments:
            symbols: Shape [workers, d, runs].
            power: Σ_i |x_i|² of each worker. Shape [workers, runs].
        """
        channel, budgeted_power, norm = self.draw.channel, self.draw.channel.budgeted_power, self.expected_norm
        if norm is not None:
            return tf.square(norm) * tf.reduce_max(budgeted_power, axis=[0, 1])
        if self.chain.compressor.unit and budgeted_power is not None:
            return tf.cast(tf.shape(symbols)[1], budgeted_power.dtype) * tf.reduce_max(budgeted_power, axis=[0, 1])
        if self.chain.compressor.unit:
            return tf.reduce_max(signal_power(tf.ones_like(symbols), channel.power), axis=0)
        return tf.reduce_max(power if budgeted_power is None else signal_power(symbols, budgeted_power), axis=0)

    def received(self, sent: Sent, vector: int = 0) -> Upload:
        """Return the received sum Σ_n a_n c_n + Re{z}/α, all workers transmitting at full common power.

        Source: Elgabli et al., equation (13) and section II-F; section V-A where workers in deep fades are silent.
        """
        noise, noise_gain, radio = self.draw.noise[vector], self.draw.channel.noise_gain, self.radio
        noise = noise[: -self.chain.compressor.words] if self.chain.compressor.words else noise
        deviation = self.deviation(sent)
        spent = tf.stack([sent.power * radio.symbol_s, sent.peak / radio.symbols])
        spent = tf.math.multiply_no_nan(radio.budget, tf.math.divide_no_nan(spent, sent.largest))
        if radio.amplifier:
            deviation, spent = _behind(radio.amplifier, deviation, sent), spent * radio.amplifier.radiated
        noise = deviation * noise
        total = sent.arrived + (noise if noise_gain is None else noise * noise_gain[0])
        estimate, error = self.estimated(total, sent, vector)
        return Upload(estimate, spent[0], error, spent[1])

    def broadcast(self, message: Tensor, vector: int = 0) -> Tensor:
        """Return Θ + Re{z/h}/α of every worker; the server keeps to the power budget of a worker for each vector.

        Source: Elgabli et al., section II-E, equations (14) and (15).
        """
        noise, radio, reach = self.draw.downlink_noise, self.radio, self.draw.channel.reach
        if not noise.shape[0]:
            return message
        scale = radio.noise_std * amplification(tf.reduce_sum(message * message, axis=[0, 1]), radio)
        return message + scale * noise[vector] * tf.sqrt(1 / reach)


def _behind(amplifier: Amplifier, deviation: Tensor, sent: Sent) -> Tensor:
    """Return the deviation of noise and distortion, after division by the amplifiers' gain. Shape [d, runs]."""
    return tf.sqrt(deviation**2 + amplifier.share * sent.spread) / amplifier.gain


def shortened(vectors: Tensor, norm: Tensor) -> Tensor:
    """Return vectors cut to a norm where they are longer. Shape [workers, d, runs].

    Arguments:
        vectors: Shape [workers, d, runs].
        norm: Shape [runs].
    """
    length = tf.sqrt(tf.reduce_sum(tf.square(vectors), axis=1, keepdims=True))
    return vectors * (norm / tf.maximum(length, norm))


def signal_power(contribution: Tensor, power: Tensor) -> Tensor:
    """Return Σ_i |x_{n,i}|² before power control. Shape [workers, runs].

    Arguments:
        contribution: numbers that workers send. Shape [workers, d, runs].
        power: transmit power per squared symbol. Shape [workers, d or 1, runs].
    """
    return tf.reduce_sum(contribution * contribution * power, axis=1)


def amplification(largest: Tensor, radio: Radio) -> Tensor:
    """Return 1/α of a transmitter; 0 under an infinite budget. Shape [runs].

    Arguments:
        largest: signal power Σ_i |x_i|² that counts. Shape [runs].
        radio: numbers of the radio.
    """
    return tf.sqrt(largest / radio.budget)
