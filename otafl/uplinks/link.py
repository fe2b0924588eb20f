"""Link of one round, inside a program: messages go to the server, and the broadcast comes back."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from otafl.compressors import Packet
from otafl.federation.round_draw import RoundDraw
from otafl.numerics.tensors import (
    Estimate,
    GlobalModel,
    Messages,
    PerRun,
    Received,
    Scalar,
    SentNumbers,
    Tensor,
    Vectors,
    Words,
    tf,
)
from otafl.uplinks.chain import Chain, PartNumbers


class Sent(NamedTuple):
    """Sums over the symbols that some workers have sent at once, before the receiver adds its noise.

    Powers are sums of |x|² over a vector's symbols x, in squares of the message's unit, before power control. Over
    exact uplinks they are 0.

    Arguments:
        arrived: sum Σ_n a_n c_n of contributions c_n of workers n, times their arrival factors a_n.
        largest: largest signal power of a worker, as power control counts it.
        power: signal power of all these workers together.
        peak: largest transmitted signal power of a worker.
        target_sum: the wanted sum; None: it is the sum that arrives.
        spread: power of distortion and interference of all of them over an upload; None without either.
    """

    arrived: Received
    largest: PerRun
    power: PerRun
    peak: PerRun
    target_sum: Estimate | None = None
    spread: Received | None = None

    def beside(self, others: "Sent") -> "Sent":
        """Return the sums over these workers and over others that have sent at the same time."""
        return Sent(
            arrived=self.arrived + others.arrived,
            largest=tf.maximum(self.largest, others.largest),
            power=self.power + others.power,
            peak=tf.maximum(self.peak, others.peak),
            target_sum=None if self.target_sum is None else self.target_sum + others.target_sum,
            spread=None if self.spread is None else self.spread + others.spread,
        )


class Upload(NamedTuple):
    """Upload of one vector as the server has received it. Energy and power are 0 over exact uplinks.

    Arguments:
        total: estimated sum over workers, noise included.
        energy: energy of the analog symbols of all workers [J].
        error: squared norms of the sum's error, and of the wanted sum. Shape [2, runs].
        power: largest mean power of a worker over its analog symbols [W].
    """

    total: GlobalModel
    energy: PerRun
    error: Tensor
    power: PerRun


class Numbers(NamedTuple):
    """Numbers that the link of an exact uplink needs, those of its parts."""

    numbers: PartNumbers


@dataclass(frozen=True)
class Link:
    """Link to the server and back in one round, inside a compiled program; by default it is exact.

    Vectors of an upload or a broadcast count from 0.

    Arguments:
        draw: record of the round, its channel repeated for the numbers sent.
        radio: result of ``Uplink.radio`` as tensors of shape [runs] each.
        chain: compressor, receiver and other parts of the uplink, with numbers of shape [runs].
        silent: zeros, the energy of no analog symbols.
    """

    draw: RoundDraw
    radio: Any
    chain: Chain
    silent: PerRun

    def drawn(self, vector: int) -> tuple[Words | None, Scalar]:
        """Return the compressor's random words for a vector, if it needs any, and the number of that vector."""
        return self.draw.words[vector] if self.chain.compressor.words else None, self.number(vector)

    def number(self, vector: int) -> Scalar:
        """Return the number of a vector of the upload among those of all rounds, from 0."""
        return self.draw.number * self.draw.noise.shape[0] + vector

    def compress(self, messages: Messages, memory: Messages) -> tuple[Messages, Messages]:
        """Return the parts of vectors that workers send now, and the parts that they remember for the next round."""
        compressor, share = self.chain.compressor, self.draw.channel.carried_share
        if share is not None:
            compressor = compressor.with_numbers({"sparsity": share[:, :1]})
        return compressor.compress(messages, memory, [self.drawn(vector) for vector in range(len(memory))])

    def packed(self, message: Vectors, vector: int = 0) -> Packet:
        """Return vectors of workers in the form in which they are sent, of as many numbers as are charged."""
        compressor = self.chain.compressor
        packet = compressor.packed(message, *self.drawn(vector))
        sent, charged = packet.sent.shape[1], compressor.symbols(message.shape[1])
        if message.shape[1] > 1 and sent != charged:
            raise ValueError(f"{type(compressor).__name__} sends {sent} numbers of a vector; its symbols are {charged}")
        return packet

    def summed(self, packet: Packet) -> tuple[Received, Estimate | None]:
        """Return the sum over workers as it arrives, Σ_n a_n c_n, and the wanted sum; None: it is that one."""
        arrival, (sent, target_sum) = self.draw.channel.arrival, packet
        arrived = self.chain.receiver.combined(sent if arrival is None else arrival * sent)
        if (quadrature := self.draw.channel.quadrature) is not None:
            arrived = tf.concat([arrived, self.chain.receiver.combined(quadrature * sent)], axis=0)
        if arrival is None and target_sum is None:
            return arrived, None
        return arrived, tf.reduce_sum(sent if target_sum is None else target_sum, axis=0)

    def radiated(self, message: SentNumbers) -> SentNumbers:
        """Return numbers of workers as they are radiated, before precoding; by default unchanged."""
        return message

    def sent(self, message: Vectors, vector: int = 0) -> Sent:
        """Return the sums over vectors that workers send, of which the server wants the sum."""
        arrived, target_sum = self.summed(self.packed(message, vector))
        return Sent(arrived, self.silent, self.silent, self.silent, target_sum)

    def deviation(self, sent: Sent) -> PerRun:
        """Return the standard deviation of the receiver's noise, in units of the message; 0 by default."""
        return self.silent

    def received(self, sent: Sent, vector: int = 0) -> Upload:
        """Return the upload that the server receives, from the sums over all workers; by default without noise."""
        estimate, error = self.estimated(sent.arrived, sent, vector)
        if sent.target_sum is None:  # what arrives is what is wanted, whatever the receiver makes of it
            error = squared_norms(tf.zeros_like(estimate[0]), estimate[0])
        return Upload(estimate, self.silent, error, self.silent)

    def estimated(self, total: Received, sent: Sent, vector: int) -> tuple[GlobalModel, Tensor]:
        """Return the estimate of the wanted sum, and squared norms of its error and of that sum, [2, runs]."""
        receiver, target_sum = self.chain.receiver, sent.arrived if sent.target_sum is None else sent.target_sum
        estimate = receiver.estimate(total, target_sum.shape[0], self.number(vector))
        target = receiver.target(target_sum)
        return estimate[None], squared_norms(estimate - target, target)

    def broadcast(self, message: GlobalModel, vector: int = 0) -> Tensor:
        """Return a broadcast vector as workers receive it: [1, d, runs], or with noise of each [workers, d, runs]."""
        return message


def squared_norms(*vectors: Estimate) -> Tensor:
    """Return squared norms Σ_i v_i² over the elements of vectors. Shape [vectors, runs]."""
    return tf.stack([tf.reduce_sum(tf.square(vector), axis=0) for vector in vectors])
