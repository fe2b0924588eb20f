"""M. M. Amiri and D. Gündüz, "Machine Learning at the Wireless Edge: Distributed Stochastic Gradient Descent
Over-the-Air", section III (D-DSGD): the largest elements of one sign, each as their mean, with error feedback.

Of the k largest elements above 0 and the k smallest below 0 the half with the larger mean |μ| is sent: μ with its sign,
and the places of its elements. Sattler et al., "Sparse Binary Compression", send the same.
"""

from dataclasses import dataclass

import numpy as np

from otafl.compressors.compressor import register
from otafl.compressors.largest import CodedPlaces, is_largest, sets_up_to
from otafl.numerics.tensors import Scalar, Vectors, Words, WorkerNumbers, tf

MEAN_BITS = 33
"""Bits of a mean: 32 of its absolute value, and its sign."""


@register("sign_mean")
@dataclass(frozen=True)
class SignMean(CodedPlaces):
    """The mean of the k = ``uplink.sparsity``·d largest elements of one sign, in place of each; the rest is remembered.

    Fewer elements may have that sign, so the places are one of all sets of at most k.
    """

    def value_bits(self, count: np.ndarray | int, bits_per_element: int) -> np.ndarray | int:
        return MEAN_BITS + 0 * np.asarray(count)

    def sets(self, elements: int) -> np.ndarray:
        return sets_up_to(elements)

    def kept(self, message: Vectors, random: Words | None, draw: Scalar) -> Vectors:
        above, high = self._half(message)
        below, low = self._half(-message)
        return tf.where(high > low, above * high, -below * low)

    def _half(self, message: Vectors) -> tuple[Vectors, WorkerNumbers]:
        """Return 1 at the k largest elements above 0, and their mean."""
        size = tf.nn.relu(message)
        places = tf.cast(is_largest(size, self.sparsity) & (size > 0), message.dtype)
        total = tf.reduce_sum(places * size, axis=1, keepdims=True)
        return places, tf.math.divide_no_nan(total, tf.reduce_sum(places, axis=1, keepdims=True))
