"""Link of one round, inside a program: messages go to the server, and the broadcast comes back."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from otafl.arrays import Tensor, tf
from otafl.compressors import Packet
from otafl.round_draw import RoundDraw
from otafl.uplinks.chain import Chain

Vectors = tuple[Tensor, ...]
"""Messages, or parts of them that workers remember, each of shape [workers, d, runs]."""


class Sent(NamedTuple):
    """Sums over the symbols that some workers have sent.

    Arguments:
        arrived: Σ_n a_n c_n of their contributions. Shape [d, runs].
        largest: largest signal power of a worker, before power control and as power control counts it; 0 over exact
            uplinks. Shape [runs].
        power: signal power of all of them. Shape [runs].
        peak: largest transmitted signal power of a worker; it is not ``largest`` where power control counts another
            power. Shape [runs].
        target_sum: the wanted sum; None: it is the sum that arrives. Shape [d, runs].
        spread: power of distortion and interference of all of them over an upload; None without either. Shape [d,
            runs].
    """

    arrived: Tensor
    largest: Tensor
    power: Tensor
    peak: Tensor
    target_sum: Tensor | None = None
    spread: Tensor | None = None

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
    """Upload as the server has received it.

    Arguments:
        total: the sum over workers as it arrives. Shape [1, d, runs].
        energy: sent as analog symbols [J]. Shape [runs].
        error: squared norms of the sum's error, and of the wanted sum. Shape [2, runs].
        power: largest mean power of a worker over its analog symbols [W]. Shape [runs].
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
    """Link to the server and back in one round, inside a program; by default it is exact.

    Messages may be put together from parts of the workers. The receiver, its noise, and the power control by the
    largest signal of all enter once.

    Arguments:
        draw: record of the round, its channel on elements.
        radio: numbers of ``Uplink.radio``, each of shape [runs], those of the chain among them.
        chain: parts of the uplink, with numbers of shape [runs].
        silent: zeros, the energy of no analog symbols. Shape [runs].
    """

    draw: RoundDraw
    radio: Any
    chain: Chain
    silent: Tensor

    def drawn(self, vector: int) -> tuple[Tensor | None, Tensor]:
        """Return the compressor's random words for a vector, [words, runs], and the number of that vector.

        The words are None where the compressor needs none.
        """
        words, noise = self.chain.compressor.words, self.draw.noise
        return noise[vector, -words:] if words else None, self.number(vector)

    def number(self, vector: int) -> Tensor:
        """Return the number of a vector among those of all rounds. Scalar."""
        return self.draw.number * self.draw.noise.shape[0] + vector

    def compress(self, messages: Vectors, memory: Vectors) -> tuple[Vectors, Vectors]:
        """Return the vectors that workers send now, and the parts that they remember. Shape [workers, d, runs] each."""
        return self.chain.compressor.compress(messages, memory, [self.drawn(vector) for vector in range(len(memory))])

    def packed(self, message: Tensor, vector: int = 0) -> Packet:
        """Return vectors of workers in the form in which they are sent.

        Arguments:
            message: Shape [workers, d, runs].
            vector: number of the vector in the upload.
        """
        return self.chain.compressor.packed(message, *self.drawn(vector))

    def summed(self, packet: Packet) -> tuple[Tensor, Tensor | None]:
        """Return the sum as it arrives, Σ_n a_n c_n, and the wanted sum. Shape [d, runs] each.

        The wanted sum is None where it is the one that arrives.

        Arguments:
            packet: compressed vectors c_n of workers, as they are radiated.
        """
        arrival, (sent, target_sum) = self.draw.channel.arrival, packet
        arrived = tf.reduce_sum(sent if arrival is None else arrival * sent, axis=0)
        if arrival is None and target_sum is None:
            return arrived, None
        return arrived, tf.reduce_sum(sent if target_sum is None else target_sum, axis=0)

    def radiated(self, message: Tensor) -> Tensor:
        """Return a vector of each worker as it is radiated, before precoding. Shape [workers, d, runs]."""
        return message

    def sent(self, message: Tensor, vector: int = 0) -> Sent:
        """Send messages, of which the server wants the sum.

        Arguments:
            message: Shape [workers, d, runs].
            vector: number of the vector in the upload.
        """
        packet = self.packed(message, vector)
        arrived, target_sum = self.summed(packet)
        return Sent(arrived, self.silent, self.silent, self.silent, target_sum)

    def deviation(self, sent: Sent) -> Tensor:
        """Return the standard deviation of the noise before receive scaling and amplifiers, 0. Shape [runs]."""
        return self.silent

    def received(self, sent: Sent, vector: int = 0) -> Upload:
        """Return the upload that the server receives.

        Arguments:
            sent: sums over all workers.
            vector: number of the vector in the upload.
        """
        estimate, error = self.estimated(sent.arrived, sent, vector)
        if sent.target_sum is None:
            error = squared_norms(tf.zeros_like(estimate[0]), estimate[0])
        return Upload(estimate, self.silent, error, self.silent)

    def estimated(self, total: Tensor, sent: Sent, vector: int) -> tuple[Tensor, Tensor]:
        """Return the server's estimate of the sum, [1, d, runs], and squared norms, [2, runs].

        The norms are those of the estimate's error, and of the wanted sum.
        """
        receiver, target_sum = self.chain.receiver, sent.arrived if sent.target_sum is None else sent.target_sum
        estimate = receiver.estimate(total, target_sum.shape[0], self.number(vector))
        target = receiver.target(target_sum)
        return estimate[None], squared_norms(estimate - target, target)

    def broadcast(self, message: Tensor, vector: int = 0) -> Tensor:
        """Return a broadcast vector as workers receive it: [1, d, runs], or with noise [workers, d, runs].

        Arguments:
            message: Shape [1, d, runs].
            vector: number of the vector in the broadcast.
        """
        return message


def squared_norms(*vectors: Tensor) -> Tensor:
    """Return squared norms of vectors [d, runs]. Shape [vectors, runs]."""
    return tf.stack([tf.reduce_sum(tf.square(vector), axis=0) for vector in vectors])
