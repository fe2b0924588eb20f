"""M. M. Amiri and D. Gündüz, "Machine Learning at the Wireless Edge: Distributed Stochastic Gradient Descent
Over-the-Air", section III (D-DSGD): the largest elements of one sign, each as their mean, with error feedback.

Of the k largest elements above 0 and the k smallest below 0 the half with the larger mean |μ| is sent: μ with its sign,
and the places of its elements. Sattler et al., "Sparse Binary Compression", send the same.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from otafl.compressors.compressor import register
from otafl.compressors.largest import CodedPlaces, largest, sets_up_to
from otafl.numerics.tensors import Tensor, tf

MEAN_BITS = 33
"""Bits of a mean: 32 of its absolute value, and its sign."""


@register("sign_mean")
@dataclass(frozen=True)
class SignMean(CodedPlaces):
    """The mean of the k = ``uplink.sparsity``·d largest elements of one sign, in place of each; the rest is remembered.

    Fewer elements may have that sign, so the places are one of all sets of at most k.
    """

    def value_bits(self, count: Any, bits_per_element: int) -> Any:
        return MEAN_BITS + 0 * np.asarray(count)

    def sets(self, elements: int) -> np.ndarray:
        return sets_up_to(elements)

    def kept(self, message: Tensor, random: Tensor | None, draw: Tensor) -> Tensor:
        """Return the mean at the places of the k elements of one sign, and 0 elsewhere. Shape [workers, d, runs].

        Arguments:
            message: vectors of the workers, d elements each. Shape [workers, d, runs].
            random: unused.
            draw: unused.
        """
        above, high = self._half(message)
        below, low = self._half(-message)
        return tf.where(high > low, above * high, -below * low)

    def _half(self, message: Tensor) -> tuple[Tensor, Tensor]:
        """Return 1 at the k largest elements above 0, [workers, d, runs], and their mean, [workers, 1, runs]."""
        size = tf.nn.relu(message)
        places = tf.cast(largest(size, self.sparsity) & (size > 0), message.dtype)
        total, count = (tf.reduce_sum(one, axis=1, keepdims=True) for one in (places * size, places))
        return places, tf.math.divide_no_nan(total, count)
