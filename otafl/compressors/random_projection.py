"""M. M. Amiri and D. Gündüz, "Machine Learning at the Wireless Edge: Distributed Stochastic Gradient Descent
Over-the-Air" and "Federated Learning over Wireless Fading Channels": random measurements of the largest elements of an
update, fewer than it has elements. The server finds their sum by approximate message passing.

Of d elements k = ``uplink.sparsity``·d are kept, and s = ``uplink.compression_ratio``·d measurements are sent; with s =
d the elements are sent themselves. Reading: matrices are new in every round, since with one for all rounds the server
would never see the part of a vector in its null space.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from otafl.compressors.compressor import Packet, register
from otafl.compressors.largest import Largest, wanted
from otafl.numerics.tensors import Tensor, tf
from otafl.receivers import amp

HALVINGS = 16
"""Halvings of the interval in which the smallest element that is kept lies."""


@register("random_projection")
@dataclass(frozen=True)
class RandomProjection(Largest):
    """Random measurements of the largest elements of a vector, the others remembered.

    Arguments:
        compression_ratio: s/d, number s of measurements over number d of elements, above 0 to 1; with 1 elements are
            sent.
    """

    compression_ratio: float = field(
        default=0.1,
        metadata={
            "description": "random_projection: random measurements sent for each element of a vector; 1: its elements",
            "label": "Compression ratio",
            "symbol": "$s/d$",
            "gt": 0.0,
            "le": 1.0,
        },
    )
    shapes: ClassVar[tuple[str, ...]] = ("compression_ratio",)
    measures: ClassVar[bool] = True
    digital_version: ClassVar[int] = 2

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Return why a run cannot have it: no receiver for measurements, an analog broadcast, whole models; else empty.

        Arguments:
            chain: the run's ``Chain``, whose field ``receiver`` counts.
            settings: the run's ``Settings``, of which ``uplink.downlink`` is read.
            method: the run's ``Method``, which says if it sends whole models.

        Returns:
            Reason as the end of an error message; empty where the run can have it.
        """
        if not chain.receiver.from_measurements:
            return "sends measurements, and needs uplink.receiver = 'amp'"
        if settings.uplink.downlink == "analog":
            return 'contradicts uplink.downlink = "analog", which is not compressed'
        return super().requires(chain, settings, method)

    def symbols(self, elements: int) -> int:
        """Return the number s of measurements of a vector.

        Arguments:
            elements: number d of elements of a vector.
        """
        return amp.measurements(elements, self.compression_ratio)

    def kept(self, message: Tensor, random: Tensor | None, draw: Tensor) -> Tensor:
        """Return the k elements of largest absolute value, and a few that are nearly as large; 0 for the others.

        Measurements do not count them. Shape [workers, d, runs].

        Arguments:
            message: vectors of the workers, d elements each. Shape [workers, d, runs].
            random: unused.
            draw: unused.
        """
        size = tf.abs(message)
        largest = (size >= least(size, self.sparsity)) & (self.sparsity > 0)
        return tf.where(largest, message, tf.zeros_like(message))

    def packed(self, message: Tensor, random: Tensor | None, draw: Tensor) -> Packet:
        """Return random measurements of vectors, or all elements where there are as many.

        Arguments:
            message: vectors of the workers, d elements each. Shape [workers, d, runs].
            random: unused.
            draw: number of the vector among those of all rounds, from 0, which chooses the matrix of measurements.
                Scalar.

        Returns:
            A ``Packet``, s measurements, [workers, s, runs], and vectors whose sum is wanted, [workers, d, runs], None
            if s is d.
        """
        taken = self.symbols(message.shape[1])
        if taken == message.shape[1]:
            return Packet(message)
        return Packet(amp.measured(amp.matrix(message.shape[1], taken, draw, message.dtype), message), message)


def least(size: Tensor, share: Tensor) -> Tensor:
    """Return the smallest absolute value among the k largest elements, found by bisection. Shape [workers, 1, runs].

    It is found to 2^(-HALVINGS), 2^(-16), of √(Σx²/k), which it cannot exceed, in a tenth of sorting's time.

    Arguments:
        size: absolute values |x| of the d elements x of each vector. Shape [workers, d, runs].
        share: k/d. Scalar, or a shape that broadcasts to [workers, 1, runs].
    """
    count = wanted(share, size)

    def halved(number: Tensor, low: Tensor, high: Tensor) -> tuple:
        middle = (low + high) / 2
        enough = tf.reduce_sum(tf.cast(size >= middle, size.dtype), axis=1, keepdims=True) >= count
        return number + 1, tf.where(enough, middle, low), tf.where(enough, high, middle)

    high = tf.sqrt(tf.reduce_sum(tf.square(size), axis=1, keepdims=True) / count)
    return tf.while_loop(lambda number, *_: number < HALVINGS, halved, (0, tf.zeros_like(high), high))[1]
