"""Analog link of one round, inside a program: superposition, power control and the noise of one receiver."""

from dataclasses import dataclass
from typing import NamedTuple

from otafl.compressors import Packet
from otafl.numerics.tensors import (
    GlobalModel,
    Losses,
    PerRun,
    Received,
    SentNumbers,
    Tensor,
    Vectors,
    WorkerScalars,
    tf,
)
from otafl.uplinks.chain import PartNumbers
from otafl.uplinks.link import Link, Sent, Upload


class Amplifier(NamedTuple):
    """Numbers of workers' amplifiers, where symbols are distorted or interfere.

    Arguments:
        gain: factor of an amplifier on the amplitudes of all symbols, by which the server divides.
        share: mean share of an upload's power Σ_i |x_i|² in the real part of one symbol.
        radiated: power behind an amplifier over the power before it.
    """

    gain: PerRun
    share: PerRun
    radiated: PerRun


class Radio(NamedTuple):
    """Numbers of a run's analog radio, or inside a program tensors of shape [runs].

    Arguments:
        budget: largest Σ_i |α x_i|² of a worker in an upload [W].
        noise_std: standard deviation of the real part of a matched-filter sample, √(N0/2T_s) [√W].
        symbol_s: length of a symbol T_s [s].
        amplifier: amplifier of every worker; empty without distortion and interference.
        symbols: number of complex symbols of a vector.
        numbers: numbers of the chain's parts.
        interferer: power of a neighbouring cell's worker over the noise of a sample; empty without neighbours.
    """

    budget: PerRun
    noise_std: PerRun
    symbol_s: PerRun
    amplifier: Amplifier | tuple[()] = ()
    symbols: PerRun = 1.0
    numbers: PartNumbers | tuple[()] = ()
    interferer: PerRun | tuple[()] = ()


@dataclass(frozen=True)
class AnalogLink(Link):
    """Analog link of one round: symbols superpose, and one receiver adds noise.

    A worker n sends its contribution c_n as symbols x_n, times a common factor α, the largest within all power budgets.
    It arrives as a_n c_n; noise z is complex.
    """

    def sent(self, message: Vectors, vector: int = 0) -> Sent:
        packet, ratio = self.packed(message, vector), self.draw.channel.distortion_ratio
        if (symbols := self.radiated(packet.sent)) is not packet.sent:
            packet = _in_place(symbols, packet)
        power = signal_power(packet.sent, self.draw.channel.power)
        largest, before = self.largest(packet.sent, power), power[:, None]
        if (edges := self.chain.power_control.edges) > 1:
            largest, power = of_edges(power, edges)
        if self.draw.sent is not None:
            place = vector, self.draw.noise.shape[0]
            marks = before_cut(self.draw.sent, place, self.radio.symbols, packet.sent)
            packet = _in_place(marks * packet.sent, packet)
            ended = signal_power(packet.sent, self.draw.channel.power)
            power, before = power * tf.math.divide_no_nan(ended, before[:, 0]), marks * before
        arrived, target_sum = self.summed(packet)
        return Sent(
            arrived=arrived,
            largest=largest,
            power=tf.reduce_sum(power, axis=0),
            peak=tf.reduce_max(power, axis=0),
            target_sum=target_sum,
            spread=None if ratio is None else self._on_parts(tf.reduce_sum(ratio * before, axis=0)),
        )

    def _on_parts(self, values: Received) -> Received:
        """Return values of symbols for each part that the receiver takes."""
        return values if self.draw.channel.quadrature is None else tf.concat([values, values], axis=0)

    @property
    def expected_norm(self) -> PerRun | None:
        """2-norm of a vector that power control assumes in the round; None: that of the vector sent."""
        return self.chain.power_control.expected_norm(tf.cast(self.draw.number + 1, self.silent.dtype))

    def radiated(self, message: SentNumbers) -> SentNumbers:
        """Return numbers cut to the 2-norm over elements that power control assumes."""
        norm = self.expected_norm
        return message if norm is None else shortened(message, norm)

    def deviation(self, sent: Sent) -> PerRun:
        """Return √(N0/2T_s)/α, the deviation of the real part of the receiver's noise under the common factor α."""
        return self.radio.noise_std * amplification(sent.largest, self.radio)

    def largest(self, numbers: SentNumbers, power: Losses) -> PerRun:
        """Return the largest Σ_i |x_i|² of a worker, as power control counts it, before the factor α."""
        channel, budgeted_power, norm = self.draw.channel, self.draw.channel.budgeted_power, self.expected_norm
        if norm is not None:
            return tf.square(norm) * tf.reduce_max(budgeted_power, axis=[0, 1])  # pyright: ignore[reportArgumentType]
        if self.chain.compressor.unit and budgeted_power is not None:
            active = self.chain.compressor.active * tf.cast(tf.shape(numbers)[1], budgeted_power.dtype)
            return active * tf.reduce_max(budgeted_power, axis=[0, 1])
        if self.chain.compressor.unit:
            ones = tf.reduce_max(signal_power(tf.ones_like(numbers), channel.power), axis=0)
            return self.chain.compressor.active * ones
        return tf.reduce_max(power if budgeted_power is None else signal_power(numbers, budgeted_power), axis=0)

    def received(self, sent: Sent, vector: int = 0) -> Upload:
        """Return the received sum Σ_n a_n c_n + Re{z}/α, all workers transmitting at full common power.

        Source: Elgabli et al., equation (13) and section II-F; section V-A where workers in deep fades are silent.
        """
        noise, noise_gain, radio = self.draw.noise[vector], self.draw.channel.noise_gain, self.radio
        deviation = self.deviation(sent)
        spent = tf.stack([sent.power * radio.symbol_s, sent.peak / radio.symbols])
        spent = tf.math.multiply_no_nan(radio.budget, tf.math.divide_no_nan(spent, sent.largest))
        if amplifier := radio.amplifier:
            deviation = tf.sqrt(deviation**2 + amplifier.share * sent.spread) / amplifier.gain
            spent = spent * amplifier.radiated
        noise = deviation * noise
        if (neighbours := self.draw.channel.neighbours) is not None:
            noise = noise * self._on_parts(tf.sqrt(1 + radio.interferer * neighbours[0]))
        weight = None if noise_gain is None else noise_gain[0]
        total = sent.arrived + (noise if weight is None else noise * weight)
        estimate, error = self.estimated(self.chain.receiver.decided(total, weight), sent, vector)
        return Upload(estimate, spent[0], error, spent[1])

    def broadcast(self, message: GlobalModel, vector: int = 0) -> Tensor:
        """Return Θ + Re{z/h}/α of every worker; the server keeps to the power budget of a worker for each vector.

        Symbols: vector Θ, complex noise z and channel h of a worker, factor α on symbols. With a digital downlink it is
        Θ itself. Source: Elgabli et al., section II-E, equations (14) and (15).
        """
        noise, radio, reach = self.draw.downlink_noise, self.radio, self.draw.channel.reach
        if not noise.shape[0]:
            return message
        scale = radio.noise_std * amplification(tf.reduce_sum(message * message, axis=[0, 1]), radio)
        return message + scale * noise[vector] * tf.sqrt(1 / reach)  # pyright: ignore


def _in_place(numbers: SentNumbers, packet: Packet) -> Packet:
    """Return a packet with other numbers sent; the server still wants the sum of what they stand for."""
    return Packet(numbers, packet.sent if packet.target_sum is None else packet.target_sum)


def shortened(vectors: SentNumbers, norm: PerRun) -> SentNumbers:
    """Return vectors cut to a 2-norm over elements where they are longer."""
    length = tf.sqrt(tf.reduce_sum(tf.square(vectors), axis=1, keepdims=True))
    return vectors * (norm / tf.maximum(length, norm))


def signal_power(contribution: SentNumbers, power: Tensor) -> Losses:
    """Return Σ_i |p·c_i|² of each worker's contributions c, from a precoder's power |p|². Shape [workers, runs]."""
    return tf.reduce_sum(contribution * contribution * power, axis=1)


def of_edges(power: Losses, edges: int) -> tuple[PerRun, Losses]:
    """Return the sum of the edges' largest signal powers, and each worker's power as if all had its factor.

    Workers of an edge are side by side. Edge e divides by its own α_e with 1/α_e² = largest_e/budget. Noise of all
    edges together is then that of one server with 1/α² = Σ_e largest_e/budget, and a worker's power is that under α_e.
    """
    groups = tf.reshape(power, [edges, -1, tf.shape(power)[-1]])
    largest = tf.reduce_max(groups, axis=1, keepdims=True)
    total = tf.reduce_sum(largest, axis=0)
    scaled = groups * tf.math.divide_no_nan(total[None], largest)
    return total[0], tf.reshape(scaled, tf.shape(power))


def amplification(largest: PerRun, radio: Radio) -> PerRun:
    """Return 1/α of the common factor α on all workers' symbols; 0 under an infinite budget."""
    return tf.sqrt(largest / radio.budget)


def before_cut(share: WorkerScalars, place: tuple[int, int], symbols: PerRun, numbers: SentNumbers) -> SentNumbers:
    """Return 1 for numbers on symbols that are sent before a worker's upload is cut, 0 for the others.

    An upload is V vectors of n complex symbols each. A worker that is cut after a share u of it sends the whole number
    of symbols next to u·V·n, one after the other. The place of a vector is its number from 0, and V.
    """
    (vector, vectors), count = place, numbers.shape[1]
    of_vector = tf.clip_by_value(share * vectors - vector, 0, 1)
    ended = tf.round(of_vector * symbols) * tf.math.ceil(count / symbols)
    return tf.cast(tf.range(count, dtype=numbers.dtype)[:, None] < ended, numbers.dtype)
