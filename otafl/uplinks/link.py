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
    """Sums over the symbols that some workers have sent, of one vector of d elements for each of the runs.

    A worker n has a contribution c_n, which arrives with the factor a_n and is sent as symbols x_n before power
    control.

    Arguments:
        arrived: Σ_n a_n c_n of their contributions. Shape [d, runs].
        largest: largest signal power Σ_i |x_i|² over elements i of a worker, before power control and as power control
            counts it; 0 over exact uplinks. Shape [runs].
        power: signal power Σ_i |x_i|² of all of them, summed over workers. Shape [runs].
        peak: largest transmitted signal power of a worker; it is not ``largest`` where power control counts another
            power. Shape [runs].
        target_sum: the wanted sum; None: it is the sum that arrives. Shape [d, runs].
        spread: power of distortion and interference of all of them over an upload; None without either. Shape
            [d, runs].
    """

    arrived: Tensor
    largest: Tensor
    power: Tensor
    peak: Tensor
    target_sum: Tensor | None = None
    spread: Tensor | None = None

    def beside(self, others: "Sent") -> "Sent":
        """Return the sums over these workers and over others that have sent at the same time.

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
    """Upload of one vector of d elements as the server has received it, for each of the runs.

    Arguments:
        total: the estimated sum over workers, noise included. Shape [1, d, runs].
        energy: energy sent as analog symbols by all workers [J], 0 over exact uplinks. Shape [runs].
        error: squared 2-norms over elements of the sum's error, and of the wanted sum. Shape [2, runs].
        power: largest power of a worker, mean over its analog symbols [W], 0 over exact uplinks. Shape [runs].
    """

    total: Tensor
    energy: Tensor
    error: Tensor
    power: Tensor


class Numbers(NamedTuple):
    """Numbers of the parts of an exact uplink.

    Arguments:
        numbers: by part and name, such as {"compressor": {"sparsity": 0.05}}. Shape [runs] each.
    """

    numbers: Any


@dataclass(frozen=True)
class Link:
    """Link to the server and back in one round, inside a program; by default it is exact.

    Messages may be put together from parts of the workers. The receiver, its noise, and the power control by the
    largest signal of all enter once. Axes are workers, d elements of a vector, and runs side by side.

    Arguments:
        draw: record of the round: number, weights, noise, and the channel on elements.
        radio: numbers of ``Uplink.radio``, each of shape [runs], those of the chain among them.
        chain: parts of the uplink, such as compressor and receiver, with numbers of shape [runs].
        silent: zeros, the energy of no analog symbols. Shape [runs].
    """

    draw: RoundDraw
    radio: Any
    chain: Chain
    silent: Tensor

    def drawn(self, vector: int) -> tuple[Tensor | None, Tensor]:
        """Return the compressor's random words for a vector, [words, runs], and the number of that vector.

        The words are None where the compressor needs none. The number is a scalar, counted over all rounds.

        Arguments:
            vector: number of the vector in the upload, from 0.
        """
        words, noise = self.chain.compressor.words, self.draw.noise
        return noise[vector, -words:] if words else None, self.number(vector)

    def number(self, vector: int) -> Tensor:
        """Return the number of a vector among those of all rounds. Scalar.

        Arguments:
            vector: number of the vector in the upload, from 0.
        """
        return self.draw.number * self.draw.noise.shape[0] + vector

    def compress(self, messages: Vectors, memory: Vectors) -> tuple[Vectors, Vectors]:
        """Return the vectors that workers send now, and the parts that they remember. Shape [workers, d, runs] each.

        Arguments:
            messages: vectors, [workers, d, runs] each, and single numbers, [workers, 1, runs] each.
            memory: parts remembered from the round before; empty without error feedback. Shape [workers, d, runs] each.
        """
        return self.chain.compressor.compress(messages, memory, [self.drawn(vector) for vector in range(len(memory))])

    def packed(self, message: Tensor, vector: int = 0) -> Packet:
        """Return vectors of workers in the form in which they are sent.

        Arguments:
            message: vectors, d elements each. Shape [workers, d, runs].
            vector: number of the vector in the upload, from 0.

        Returns:
            Numbers sent, [workers, numbers, runs], and vectors whose sum is wanted, [workers, d, runs], None: those
                sent.
        """
        return self.chain.compressor.packed(message, *self.drawn(vector))

    def summed(self, packet: Packet) -> tuple[Tensor, Tensor | None]:
        """Return the sum as it arrives, Σ_n a_n c_n, and the wanted sum, Σ_n of the vectors before compression.

        The first is [numbers, runs], one entry for each number sent, the second [d, runs]. The wanted sum is None where
        it is the one that arrives. Channels have arrival factors a_n, which are 1 over exact uplinks.

        Arguments:
            packet: compressed vectors c_n of workers, as they are radiated. Shape [workers, numbers, runs].
        """
        arrival, (sent, target_sum) = self.draw.channel.arrival, packet
        arrived = tf.reduce_sum(sent if arrival is None else arrival * sent, axis=0)
        if arrival is None and target_sum is None:
            return arrived, None
        return arrived, tf.reduce_sum(sent if target_sum is None else target_sum, axis=0)

    def radiated(self, message: Tensor) -> Tensor:
        """Return vectors in the form in which workers radiate them, before precoding. Shape [workers, d, runs].

        Arguments:
            message: vectors of the workers, returned as they are by default. Shape [workers, d, runs].
        """
        return message

    def sent(self, message: Tensor, vector: int = 0) -> Sent:
        """Send messages, of which the server wants the sum.

        Arguments:
            message: vectors of the workers, d elements each. Shape [workers, d, runs].
            vector: number of the vector in the upload, from 0.

        Returns:
            Sum that arrives and wanted sum, [d, runs], with signal powers, [runs], 0 over exact uplinks.
        """
        packet = self.packed(message, vector)
        arrived, target_sum = self.summed(packet)
        return Sent(arrived, self.silent, self.silent, self.silent, target_sum)

    def deviation(self, sent: Sent) -> Tensor:
        """Return the standard deviation of the receiver's noise before combiner and amplifiers, 0. Shape [runs].

        Arguments:
            sent: sums over all workers; unused.
        """
        return self.silent

    def received(self, sent: Sent, vector: int = 0) -> Upload:
        """Return the upload that the server receives: estimated sum, [1, d, runs], energy, errors and power.

        Arguments:
            sent: sums over all workers, with the arrived and the wanted one, [d, runs].
            vector: number of the vector in the upload, from 0.
        """
        estimate, error = self.estimated(sent.arrived, sent, vector)
        if sent.target_sum is None:
            error = squared_norms(tf.zeros_like(estimate[0]), estimate[0])
        return Upload(estimate, self.silent, error, self.silent)

    def estimated(self, total: Tensor, sent: Sent, vector: int) -> tuple[Tensor, Tensor]:
        """Return the server's estimate of the sum, [1, d, runs], and squared norms, [2, runs].

        These are 2-norms over elements of the estimate's error, and of the wanted sum.

        Arguments:
            total: received sum over workers, noise included. Shape [numbers, runs].
            sent: sums over all workers, of which the wanted one is read. Shape [d, runs].
            vector: number of the vector in the upload, from 0.
        """
        receiver, target_sum = self.chain.receiver, sent.arrived if sent.target_sum is None else sent.target_sum
        estimate = receiver.estimate(total, target_sum.shape[0], self.number(vector))
        target = receiver.target(target_sum)
        return estimate[None], squared_norms(estimate - target, target)

    def broadcast(self, message: Tensor, vector: int = 0) -> Tensor:
        """Return a broadcast vector as workers receive it: [1, d, runs], or with noise [workers, d, runs].

        Arguments:
            message: vector that the server sends, returned as it is by default. Shape [1, d, runs].
            vector: number of the vector in the broadcast, from 0.
        """
        return message


def squared_norms(*vectors: Tensor) -> Tensor:
    """Return squared 2-norms over the elements of each vector. Shape [vectors, runs].

    Arguments:
        vectors: of d elements for each run. Shape [d, runs] each.
    """
    return tf.stack([tf.reduce_sum(tf.square(vector), axis=0) for vector in vectors])
