"""Analog link of one round, inside a program: superposition, power control and the noise of one receiver.

``otafl.channels.effective_channel`` reduces fading, precoder and receive scaling to real arrays;
``otafl.channels.multiple_access`` is the complex reference.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from otafl.compressors import Packet
from otafl.numerics.tensors import Tensor, tf
from otafl.uplinks.link import Link, Sent, Upload


class Amplifier(NamedTuple):
    """Numbers of workers' amplifiers, where symbols are distorted or interfere. Shape [runs] each, no unit.

    Arguments:
        gain: factor of an amplifier on the amplitudes of all symbols, by which the server divides.
        share: mean share of an upload's power Σ_i |x_i|² in the real part of one symbol.
        radiated: power behind an amplifier over the power before it.
    """

    gain: Tensor
    share: Tensor
    radiated: Tensor


class Radio(NamedTuple):
    """Numbers of a run's analog radio, real numbers of one run, or inside a program tensors of shape [runs].

    Arguments:
        budget: largest Σ_i |α x_i|² of a worker in an upload [W].
        noise_std: standard deviation of the real part of a matched-filter sample, √(N0/2T_s) [√W].
        symbol_s: length of a symbol T_s [s].
        amplifier: an ``Amplifier`` of every worker; empty without distortion and interference.
        symbols: number of complex symbols of a vector.
        numbers: numbers of the chain's parts, by part and name, such as {"compressor": {"sparsity": 0.05}}.
        interferer: power of a worker of a neighbouring cell over the noise of a matched-filter sample; empty without
            neighbours.
    """

    budget: Tensor
    noise_std: Tensor
    symbol_s: Tensor
    amplifier: Amplifier | tuple[()] = ()
    symbols: Tensor = 1.0
    numbers: Any = ()
    interferer: Any = ()


@dataclass(frozen=True)
class AnalogLink(Link):
    """Analog link of one round: symbols superpose, and one receiver adds noise.

    A worker n sends its contribution c_n as symbols x_n, times a common factor α, the largest within all power budgets.
    It arrives as a_n c_n; noise z is complex. Axes are workers, d elements of a vector, and runs side by side.
    """

    def sent(self, message: Tensor, vector: int = 0) -> Sent:
        """Return the sums over workers' symbols that superpose.

        Arguments:
            message: vectors of the workers, d elements each. Shape [workers, d, runs].
            vector: number of the vector in the upload, from 0.

        Returns:
            A ``Sent`` with the sum that arrives, [numbers sent, runs], the wanted sum, [d, runs] or None, and signal
            powers, [runs], in squares of the message's unit.
        """
        packet, ratio = self.packed(message, vector), self.draw.channel.distortion_ratio
        if (symbols := self.radiated(packet.sent)) is not packet.sent:
            packet = Packet(symbols, packet.sent if packet.target_sum is None else packet.target_sum)
        power = signal_power(packet.sent, self.draw.channel.power)
        largest, before = self.largest(packet.sent, power), power[:, None]
        if (edges := self.chain.power_control.edges) > 1:
            largest, power = of_edges(power, edges)
        if self.draw.sent is not None:
            whole, marks = packet.sent, self.before_cut(packet.sent, vector)
            packet = Packet(marks * whole, whole if packet.target_sum is None else packet.target_sum)
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

    def _on_parts(self, values: Tensor) -> Tensor:
        """Return values of symbols for each part that the receiver takes. Shape [samples of a vector, runs]."""
        return values if self.draw.channel.quadrature is None else tf.concat([values, values], axis=0)

    def before_cut(self, numbers: Tensor, vector: int) -> Tensor:
        """Return 1 for numbers on symbols that are sent before a worker's upload is cut, 0 for the others.

        An upload is V vectors of n symbols each. A worker that is cut after a share u of it sends the whole number of
        symbols next to u·V·n, one after the other.

        Arguments:
            numbers: real numbers on symbols, as all workers would send them. Shape [workers, numbers sent, runs].
            vector: number of the vector in the upload, from 0.

        Returns:
            Shape of numbers.
        """
        count, symbols = numbers.shape[1], self.radio.symbols
        share = tf.clip_by_value(self.draw.sent * self.draw.noise.shape[0] - vector, 0, 1)
        ended = tf.round(share * symbols) * tf.math.ceil(count / symbols)
        return tf.cast(tf.range(count, dtype=numbers.dtype)[:, None] < ended, numbers.dtype)

    @property
    def expected_norm(self) -> Tensor | None:
        """2-norm of a vector that power control assumes in the round; None: that of the vector sent. Shape [runs]."""
        number = tf.cast(self.draw.number + 1, self.silent.dtype)
        return self.chain.power_control.expected_norm(number)

    def radiated(self, message: Tensor) -> Tensor:
        """Return vectors cut to the 2-norm over elements that power control assumes. Shape [workers, d, runs].

        Arguments:
            message: vectors of the workers. Shape [workers, d, runs].
        """
        norm = self.expected_norm
        return message if norm is None else shortened(message, norm)

    def deviation(self, sent: Sent) -> Tensor:
        """Return √(N0/2T_s)/α, where all workers transmit at full common power. Shape [runs].

        It is the standard deviation of the real part of the receiver's noise, in units of the message. Symbols: noise
        density N0, length of a symbol T_s, common factor α on symbols.

        Arguments:
            sent: sums over all workers, of which the largest signal power is read. Shape [runs].
        """
        return self.radio.noise_std * amplification(sent.largest, self.radio)

    def largest(self, symbols: Tensor, power: Tensor) -> Tensor:
        """Return the largest Σ_i |x_i|² of a worker, as power control counts it, before the factor α. Shape [runs].

        It is in squares of the message's unit.

        Arguments:
            symbols: real numbers that workers send, before precoding. Shape [workers, d, runs].
            power: signal power Σ_i |x_i|² of each worker's precoded symbols x_i. Shape [workers, runs].
        """
        channel, budgeted_power, norm = self.draw.channel, self.draw.channel.budgeted_power, self.expected_norm
        if norm is not None:
            return tf.square(norm) * tf.reduce_max(budgeted_power, axis=[0, 1])
        if self.chain.compressor.unit and budgeted_power is not None:
            active = self.chain.compressor.active * tf.cast(tf.shape(symbols)[1], budgeted_power.dtype)
            return active * tf.reduce_max(budgeted_power, axis=[0, 1])
        if self.chain.compressor.unit:
            ones = tf.reduce_max(signal_power(tf.ones_like(symbols), channel.power), axis=0)
            return self.chain.compressor.active * ones
        return tf.reduce_max(power if budgeted_power is None else signal_power(symbols, budgeted_power), axis=0)

    def received(self, sent: Sent, vector: int = 0) -> Upload:
        """Return the received sum Σ_n a_n c_n + Re{z}/α, all workers transmitting at full common power.

        Symbols: arrival factors a_n, contributions c_n of workers, complex noise z, common factor α on symbols. Source:
        Elgabli et al., equation (13) and section II-F; section V-A where workers in deep fades are silent.

        Arguments:
            sent: sums over all workers: the arrived one, signal powers and distortion.
            vector: number of the vector in the upload, from 0.

        Returns:
            An ``Upload`` with estimated sum, [1, d, runs], energy [J] and largest mean power of a worker [W], [runs]
            each, and squared norms of error and wanted sum, [2, runs].
        """
        noise, noise_gain, radio = self.draw.noise[vector], self.draw.channel.noise_gain, self.radio
        noise = noise[: -self.chain.compressor.words] if self.chain.compressor.words else noise
        deviation = self.deviation(sent)
        spent = tf.stack([sent.power * radio.symbol_s, sent.peak / radio.symbols])
        spent = tf.math.multiply_no_nan(radio.budget, tf.math.divide_no_nan(spent, sent.largest))
        if radio.amplifier:
            deviation, spent = _behind(radio.amplifier, deviation, sent), spent * radio.amplifier.radiated
        noise = deviation * noise
        if (received := self.draw.channel.neighbours) is not None:
            noise = noise * self._on_parts(tf.sqrt(1 + radio.interferer * received[0]))
        weight = None if noise_gain is None else noise_gain[0]
        total = sent.arrived + (noise if weight is None else noise * weight)
        estimate, error = self.estimated(self.chain.receiver.decided(total, weight), sent, vector)
        return Upload(estimate, spent[0], error, spent[1])

    def broadcast(self, message: Tensor, vector: int = 0) -> Tensor:
        """Return Θ + Re{z/h}/α of every worker; the server keeps to the power budget of a worker for each vector.

        Symbols: vector Θ, complex noise z and channel h of a worker, factor α on symbols. Source: Elgabli et al.,
        section II-E, equations (14) and (15).

        Arguments:
            message: vector Θ. Shape [1, d, runs].
            vector: number of the vector in the broadcast, from 0.

        Returns:
            Received vectors, [workers, d, runs], or with a digital downlink Θ itself, [1, d, runs].
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
    """Return vectors cut to a 2-norm over elements where they are longer. Shape [workers, d, runs].

    Arguments:
        vectors: vectors of the workers, d elements each. Shape [workers, d, runs].
        norm: largest 2-norm, in the unit of the vectors. Shape [runs].
    """
    length = tf.sqrt(tf.reduce_sum(tf.square(vectors), axis=1, keepdims=True))
    return vectors * (norm / tf.maximum(length, norm))


def signal_power(contribution: Tensor, power: Tensor) -> Tensor:
    """Return Σ_i |x_{n,i}|² over the symbols of each worker n, before power control. Shape [workers, runs].

    It is in squares of the contributions' unit.

    Arguments:
        contribution: real numbers c that workers send, x = p·c. Shape [workers, d, runs].
        power: transmit power per squared contribution, |p|² of a precoder's factor p, no unit. Shape [workers, d or 1,
            runs].
    """
    return tf.reduce_sum(contribution * contribution * power, axis=1)


def of_edges(power: Tensor, edges: int) -> tuple[Tensor, Tensor]:
    """Return the sum of the edges' largest signal powers, [runs], and powers as if all had its factor, [workers, runs].

    Edge e divides by its own α_e with 1/α_e² = largest_e/budget. Noise of all edges together is then that of one server
    with 1/α² = Σ_e largest_e/budget, and a worker's power is that under α_e.

    Arguments:
        power: signal power Σ_i |x_i|² of each worker, those of an edge side by side. Shape [workers, runs].
        edges: number of edges, all with equally many workers.
    """
    groups = tf.reshape(power, [edges, -1, tf.shape(power)[-1]])
    largest = tf.reduce_max(groups, axis=1, keepdims=True)
    total = tf.reduce_sum(largest, axis=0)
    scaled = groups * tf.math.divide_no_nan(total[None], largest)
    return total[0], tf.reshape(scaled, tf.shape(power))


def amplification(largest: Tensor, radio: Radio) -> Tensor:
    """Return 1/α of the common factor α on all workers' symbols; 0 under an infinite budget. Shape [runs].

    Arguments:
        largest: largest Σ_i |x_i|² of a worker that counts against the budget, before α, in squares of the message's
            unit. Shape [runs].
        radio: numbers of the radio, of which ``budget``, the largest Σ_i |α x_i|² [W], is read. Shape [runs].
    """
    return tf.sqrt(largest / radio.budget)
