"""Link of one round, inside a program: messages go to the server, and the broadcast comes back."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from otafl.compressors import Packet
from otafl.federation.round_draw import RoundDraw
from otafl.numerics.tensors import Tensor, tf
from otafl.uplinks.chain import Chain

Vectors = tuple[Tensor, ...]
"""Messages, or parts of them that workers remember, each of shape [workers, d, runs]."""


class Sent(NamedTuple):
    """Sums over the symbols that some workers have sent at once, before the receiver adds its noise.

    Numbers sent are the real numbers that a worker sends for the d elements of a vector: d, or fewer measurements.
    Powers are sums of |x|² over a vector's symbols x, in squares of the message's unit, as no power control has scaled
    them.

    Arguments:
        arrived: sum Σ_n a_n c_n of contributions c_n of workers n, times their arrival factors a_n. Shape [numbers
            sent, runs].
        largest: largest signal power Σ|x|² of a worker over its symbols, before power control and as power control
            counts it; 0 over exact uplinks. Shape [runs].
        power: signal power of all these workers together. Shape [runs].
        peak: largest transmitted signal power of a worker; it is not ``largest`` where power control counts another
            power. Shape [runs].
        target_sum: the wanted sum; None: it is the sum that arrives. Shape [d, runs].
        spread: power of distortion and interference of all of them over an upload; None without either. Shape [numbers
            sent, runs].
    """

    arrived: Tensor
    largest: Tensor
    power: Tensor
    peak: Tensor
    target_sum: Tensor | None = None
    spread: Tensor | None = None

    def beside(self, others: "Sent") -> "Sent":
        """Return the sums over these workers and over others that have sent at the same time; shapes stay.

        Arguments:
            others: sums over the other workers, of the same shapes.
        """
        return Sent(
            arrived=self.arrived + others.arrived,
            largest=tf.maximum(self.largest, others.largest),
            power=self.power + others.power,
            peak=tf.maximum(self.peak, others.peak),
            target_sum=None if self.target_sum is None else self.target_sum + others.target_sum,
            spread=None if self.spread is None else self.spread + others.spread,
        )


class Upload(NamedTuple):
    """Upload of one vector as the server has received it.

    Arguments:
        total: estimated sum over workers of d elements, noise included. Shape [1, d, runs].
        energy: energy of the analog symbols of all workers [J]; 0 over exact uplinks. Shape [runs].
        error: squared norms of the sum's error, and of the wanted sum. Shape [2, runs].
        power: largest mean power of a worker over its analog symbols [W]; 0 over exact uplinks. Shape [runs].
    """

    total: Tensor
    energy: Tensor
    error: Tensor
    power: Tensor


class Numbers(NamedTuple):
    """Numbers of the parts of an exact uplink, which a compiled program takes as arrays.

    Arguments:
        numbers: numbers by part and name, such as {"compressor": {"sparsity": 0.05}}; real numbers of one run, or
            inside a program tensors of shape [runs].
    """

    numbers: Any


@dataclass(frozen=True)
class Link:
    """Link to the server and back in one round, inside a compiled program; by default it is exact.

    Messages may be put together from parts of the workers. The receiver, its noise, and the power control by the
    largest signal of all enter once.

    Arguments:
        draw: record of the round (``RoundDraw``), its channel repeated for the numbers sent.
        radio: result of ``Uplink.radio`` as tensors of shape [runs] each, such as a ``Numbers`` or the analog
            ``Radio``.
        chain: compressor, receiver and other parts of the uplink, with numbers of shape [runs].
        silent: zeros, the energy of no analog symbols. Shape [runs].
    """

    draw: RoundDraw
    radio: Any
    chain: Chain
    silent: Tensor

    def drawn(self, vector: int) -> tuple[Tensor | None, Tensor]:
        """Return the compressor's random words for a vector, and the number of that vector among those of all rounds.

        Arguments:
            vector: number of the vector in the upload, from 0.

        Returns:
            Words of 32 random bits stored as float32, [words, runs], or None where the compressor needs none; and a
            whole number, from 0, scalar.
        """
        words, noise = self.chain.compressor.words, self.draw.noise
        return noise[vector, -words:] if words else None, self.number(vector)

    def number(self, vector: int) -> Tensor:
        """Return the number of a vector among those of all rounds, from 0. Scalar.

        Arguments:
            vector: number of the vector in the upload, from 0.
        """
        return self.draw.number * self.draw.noise.shape[0] + vector

    def compress(self, messages: Vectors, memory: Vectors) -> tuple[Vectors, Vectors]:
        """Return the parts of vectors that workers send now, and the parts that they remember for the next round.

        Uploads of fixed uses send as large a share of each worker's elements as their bits carry.

        Arguments:
            messages: vectors of a round, d elements of each worker, [workers, d, runs] each, and single numbers,
                [workers, 1, runs].
            memory: part of each vector that was not sent before; empty without error feedback. Shape [workers, d, runs]
                each.

        Returns:
            Vectors to send, and new memory. Shape [workers, d, runs] each.
        """
        compressor, share = self.chain.compressor, self.draw.channel.carried_share
        if share is not None:
            compressor = compressor.with_numbers({"sparsity": share[:, :1]})
        return compressor.compress(messages, memory, [self.drawn(vector) for vector in range(len(memory))])

    def packed(self, message: Tensor, vector: int = 0) -> Packet:
        """Return vectors of workers in the form in which they are sent.

        Arguments:
            message: vectors of the workers, d elements each. Shape [workers, d, runs].
            vector: number of the vector in the upload, from 0.

        Returns:
            A ``Packet`` with the numbers sent, [workers, numbers sent, runs], and the vectors whose sum is wanted,
            [workers, d, runs], None for those sent.
        """
        compressor = self.chain.compressor
        packet = compressor.packed(message, *self.drawn(vector))
        sent, charged = packet.sent.shape[1], compressor.symbols(message.shape[1])
        if message.shape[1] > 1 and sent != charged:  # by which it is charged
            raise ValueError(f"{type(compressor).__name__} sends {sent} numbers of a vector; its symbols are {charged}")
        return packet

    def summed(self, packet: Packet) -> tuple[Tensor, Tensor | None]:
        """Return the sum over workers as it arrives, Σ_n a_n c_n, and the wanted sum.

        Symbols: contributions c_n of workers n, their arrival factors a_n.

        Arguments:
            packet: a ``Packet`` of numbers that workers send, as they are radiated, and of vectors whose sum is wanted.

        Returns:
            Arrived sum, [numbers sent, runs], followed by its imaginary parts where the receiver takes them, and
            wanted sum, [d, runs]; the latter is None where it is the one that arrives.
        """
        arrival, (sent, target_sum) = self.draw.channel.arrival, packet
        arrived = self.chain.receiver.combined(sent if arrival is None else arrival * sent)
        if (quadrature := self.draw.channel.quadrature) is not None:
            arrived = tf.concat([arrived, self.chain.receiver.combined(quadrature * sent)], axis=0)
        if arrival is None and target_sum is None:
            return arrived, None
        return arrived, tf.reduce_sum(sent if target_sum is None else target_sum, axis=0)

    def radiated(self, message: Tensor) -> Tensor:
        """Return vectors of workers as they are radiated, before precoding; by default unchanged.

        Arguments:
            message: vectors of the workers. Shape [workers, d, runs].

        Returns:
            The vectors that are radiated. Shape [workers, d, runs].
        """
        return message

    def sent(self, message: Tensor, vector: int = 0) -> Sent:
        """Return the sums over vectors that workers send, of which the server wants the sum.

        Arguments:
            message: vectors of the workers, d elements each. Shape [workers, d, runs].
            vector: number of the vector in the upload, from 0.

        Returns:
            A ``Sent`` with the sum that arrives, [numbers sent, runs], the wanted sum, [d, runs] or None, and signal
            powers of 0, [runs].
        """
        packet = self.packed(message, vector)
        arrived, target_sum = self.summed(packet)
        return Sent(arrived, self.silent, self.silent, self.silent, target_sum)

    def deviation(self, sent: Sent) -> Tensor:
        """Return the standard deviation of the receiver's noise in units of the message, by default 0. Shape [runs].

        It is taken before receive scaling and amplifiers.

        Arguments:
            sent: sums over all workers; unused by default.
        """
        return self.silent

    def received(self, sent: Sent, vector: int = 0) -> Upload:
        """Return the upload that the server receives, by default without noise.

        Arguments:
            sent: sums over all workers.
            vector: number of the vector in the upload, from 0.

        Returns:
            An ``Upload`` with estimated sum, [1, d, runs], energy and power of 0, [runs] each, and squared norms of
            error and wanted sum, [2, runs].
        """
        estimate, error = self.estimated(sent.arrived, sent, vector)
        if sent.target_sum is None:
            error = squared_norms(tf.zeros_like(estimate[0]), estimate[0])
        return Upload(estimate, self.silent, error, self.silent)

    def estimated(self, total: Tensor, sent: Sent, vector: int) -> tuple[Tensor, Tensor]:
        """Return the receiver's estimate of the wanted sum, and squared norms of its error and of the wanted sum.

        Arguments:
            total: sum as it arrives, noise included. Shape [numbers sent, runs].
            sent: sums over all workers, a ``Sent``, of which the wanted one is read.
            vector: number of the vector in the upload, from 0.

        Returns:
            Estimate, [1, d, runs], and squared norms, [2, runs].
        """
        receiver, target_sum = self.chain.receiver, sent.arrived if sent.target_sum is None else sent.target_sum
        estimate = receiver.estimate(total, target_sum.shape[0], self.number(vector))
        target = receiver.target(target_sum)
        return estimate[None], squared_norms(estimate - target, target)

    def broadcast(self, message: Tensor, vector: int = 0) -> Tensor:
        """Return a broadcast vector as workers receive it, by default without error: [1, d, runs].

        With noise each worker receives another one, [workers, d, runs].

        Arguments:
            message: vector that the server sends, d elements. Shape [1, d, runs].
            vector: number of the vector in the broadcast, from 0.
        """
        return message


def squared_norms(*vectors: Tensor) -> Tensor:
    """Return squared norms over the d elements of vectors, Σ_i v_i². Shape [vectors, runs].

    Arguments:
        vectors: one or several vectors. Shape [d, runs] each.
    """
    return tf.stack([tf.reduce_sum(tf.square(vector), axis=0) for vector in vectors])
