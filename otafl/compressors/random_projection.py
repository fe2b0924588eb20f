"""M. M. Amiri and D. Gündüz, "Machine Learning at the Wireless Edge: Distributed Stochastic Gradient Descent
Over-the-Air" and "Federated Learning over Wireless Fading Channels": random measurements of the largest elements of an
update, fewer than it has elements. The server finds their sum by approximate message passing.

Of d elements k = ``uplink.sparsity``·d are kept, and s = ``uplink.compression_ratio``·d measurements are sent; with s =
d the elements are sent themselves. Reading: matrices are new in every round, since with one for all rounds the server
would never see the part of a vector in its null space.
"""

from dataclasses import dataclass

from otafl.channels.registry import parameter
from otafl.compressors.compressor import Packet, register
from otafl.compressors.largest import LargestElements, wanted
from otafl.numerics.tensors import Number, Scalar, Vectors, Words, WorkerNumbers, tf
from otafl.receivers import amp

HALVINGS = 16
"""Halvings of the interval in which the smallest element that is kept lies."""


@register("random_projection")
@dataclass(frozen=True)
class RandomProjection(LargestElements):
    """Random measurements of the largest elements of a vector, the others remembered."""

    compression_ratio: float = parameter(
        0.1,
        "random_projection: random measurements sent for each element of a vector; 1: its elements",
        label="Compression ratio",
        symbol="$s/d$",
        gt=0.0,
        le=1.0,
    )
    shapes = ("compression_ratio",)
    measures = True
    digital_version = 2

    def requires(self, chain, settings, method) -> str:
        if not chain.receiver.from_measurements:
            return "sends measurements, and needs uplink.receiver = 'amp'"
        if settings.uplink.downlink == "analog":
            return 'contradicts uplink.downlink = "analog", which is not compressed'
        return super().requires(chain, settings, method)

    def symbols(self, elements: int) -> int:
        return amp.measurements(elements, self.compression_ratio)

    def kept(self, message: Vectors, random: Words | None, draw: Scalar) -> Vectors:
        """Return the k elements of largest absolute value, and a few that are nearly as large; 0 for the others."""
        size = tf.abs(message)
        largest = (size >= least(size, self.sparsity)) & (self.sparsity > 0)
        return tf.where(largest, message, tf.zeros_like(message))

    def packed(self, message: Vectors, random: Words | None, draw: Scalar) -> Packet:
        taken = self.symbols(message.shape[1])
        if taken == message.shape[1]:
            return Packet(message)
        return Packet(amp.measured(amp.matrix(message.shape[1], taken, draw, message.dtype), message), message)


def least(size: Vectors, share: Number) -> WorkerNumbers:
    """Return the smallest of the k largest absolute values, to 2^(-HALVINGS) of √(Σx²/k), which it cannot exceed."""
    # Bisection takes a tenth of sorting's time.
    count = wanted(share, size)

    def halved(number: Scalar, low: WorkerNumbers, high: WorkerNumbers) -> tuple:
        middle = (low + high) / 2
        enough = tf.reduce_sum(tf.cast(size >= middle, size.dtype), axis=1, keepdims=True) >= count
        return number + 1, tf.where(enough, middle, low), tf.where(enough, high, middle)

    high = tf.sqrt(tf.reduce_sum(tf.square(size), axis=1, keepdims=True) / count)
    return tf.while_loop(lambda number, *_: number < HALVINGS, halved, (0, tf.zeros_like(high), high))[1]
