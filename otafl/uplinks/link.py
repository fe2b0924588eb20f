"""The way of messages to the server and back, inside a program."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from otafl.arrays import Tensor, tf
from otafl.compressors import Packet
from otafl.round_draw import RoundDraw
from otafl.uplinks.chain import Chain

Vectors = tuple[Tensor, ...]
"""Messages or what is left of them, each of shape [workers, d, runs]."""


class Sent(NamedTuple):
    """What some workers have sent, as it adds up on the way.

    Arguments:
        arrived: the sum of their contributions as they arrive. Shape [d, runs].
        largest: signal power, before power control and as that counts it, of the worker that has most; 0 over exact
            uplinks. Shape [runs].
        power: that of all of them. Shape [runs].
        peak: that of the worker that transmits most; it is another one than ``largest`` where power control does not
            count with what is transmitted. Shape [runs].
        target_sum: the sum that is wanted; None: the one that arrives. Shape [d, runs].
        spread: power of distortion and interference of all of them, as it adds up over an upload; None where there is
            neither. Shape [d, runs].
    """

    arrived: Tensor
    largest: Tensor
    power: Tensor
    peak: Tensor
    target_sum: Tensor | None = None
    spread: Tensor | None = None

    def beside(self, others: "Sent") -> "Sent":
        """What these and others have sent at the same time."""
        return Sent(
            arrived=self.arrived + others.arrived,
            largest=tf.maximum(self.largest, others.largest),
            power=self.power + others.power,
            peak=tf.maximum(self.peak, others.peak),
            target_sum=None if self.target_sum is None else self.target_sum + others.target_sum,
            spread=None if self.spread is None else self.spread + others.spread,
        )


class Upload(NamedTuple):
    """What the server has of an upload.

    Arguments:
        total: the sum over workers as it arrives. Shape [1, d, runs].
        energy: sent as analog symbols [J]. Shape [runs].
        error: squared norms of what that sum is off, and of what it should be. Shape [2, runs].
        power: mean over the analog symbols of the worker that transmits most [W]. Shape [runs].
    """

    total: Tensor
    energy: Tensor
    error: Tensor
    power: Tensor


class Numbers(NamedTuple):
    """Numbers of the parts of an exact uplink, by part and name, each of shape [runs]."""

    numbers: Any


@dataclass(frozen=True)
class Link:
    """Way to the server and back in one iteration, inside a program; one that says nothing else is exact.

    What is sent may be put together from parts of the workers; the receiver, its noise and the power control, which is
    that of the largest signal of all, come in once.

    Arguments:
        draw: of the iteration, its channel on elements.
        radio: numbers of ``Uplink.radio``, each of shape [runs], those of the chain among them.
        chain: parts of the uplink, with numbers of shape [runs].
        silent: zeros, the energy of no analog symbols. Shape [runs].
    """

    draw: RoundDraw
    radio: Any
    chain: Chain
    silent: Tensor

    def drawn(self, vector: int) -> tuple[Tensor | None, Tensor]:
        """Return random words of the compressor for a vector, [words, runs], None where it has none, and its number."""
        words, noise = self.chain.compressor.words, self.draw.noise
        return noise[vector, -words:] if words else None, self.number(vector)

    def number(self, vector: int) -> Tensor:
        """Return the number of a vector among those of all rounds. Scalar."""
        return self.draw.number * self.draw.noise.shape[0] + vector

    def compress(self, messages: Vectors, memory: Vectors) -> tuple[Vectors, Vectors]:
        """Return the vectors that workers send now, and what they keep of the others. Shape [workers, d, runs] each."""
        return self.chain.compressor.compress(messages, memory, [self.drawn(vector) for vector in range(len(memory))])

    def packed(self, message: Tensor, vector: int = 0) -> Packet:
        """Return a vector of workers as it is sent, as that vector of the upload."""
        return self.chain.compressor.packed(message, *self.drawn(vector))

    def summed(self, packet: Packet, symbols: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return the sum of symbols as it arrives, Σ_n a_n c_n with the arrivals a_n, and the sum that is meant, None
        where it is that one. Shape [d, runs] each."""
        arrival, target_sum = self.draw.channel.arrival, packet.target_sum
        arrived = tf.reduce_sum(symbols if arrival is None else arrival * symbols, axis=0)
        return arrived, None if arrival is None and symbols is target_sum else tf.reduce_sum(target_sum, axis=0)

    def radiated(self, message: Tensor) -> Tensor:
        """Return a vector as workers radiate it, before precoding. Shape [workers, d, runs]."""
        return message

    def sent(self, message: Tensor, vector: int = 0) -> Sent:
        """Put messages, of which the server wants the sum, on their way, as that vector of the upload. Shape [workers,
        d, runs]."""
        packet = self.packed(message, vector)
        arrived, target_sum = self.summed(packet, packet.sent)
        return Sent(arrived, self.silent, self.silent, self.silent, target_sum)

    def deviation(self, sent: Sent) -> Tensor:
        """Return the standard deviation of the receiver's noise over the sum, before combiner and amplifiers: none.
        Shape [runs]."""
        return self.silent

    def received(self, sent: Sent, vector: int = 0) -> Upload:
        """Return what the server has of all that workers have sent, as that vector of the upload."""
        estimate, error = self.estimated(sent.arrived, sent, vector)
        if sent.target_sum is None:
            error = squared_norms(tf.zeros_like(estimate[0]), estimate[0])
        return Upload(estimate, self.silent, error, self.silent)

    def estimated(self, total: Tensor, sent: Sent, vector: int) -> tuple[Tensor, Tensor]:
        """Return the server's estimate of the sum [1, d, runs], and squared norms of its error and of what is meant."""
        receiver, target_sum = self.chain.receiver, sent.arrived if sent.target_sum is None else sent.target_sum
        estimate = receiver.estimate(total, target_sum.shape[0], self.number(vector))
        target = receiver.target(target_sum)
        return estimate[None], squared_norms(estimate - target, target)

    def broadcast(self, message: Tensor, vector: int = 0) -> Tensor:
        """Carry a message [1, d, runs] to the workers, as that vector of the broadcast: as it is, or [workers, d, runs]
        with noise."""
        return message


def squared_norms(*vectors: Tensor) -> Tensor:
    """Squared norms of vectors [d, runs]. Shape [vectors, runs]."""
    return tf.stack([tf.reduce_sum(tf.square(vector), axis=0) for vector in vectors])
