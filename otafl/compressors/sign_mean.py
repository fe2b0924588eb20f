"""M. M. Amiri and D. Gündüz, "Machine Learning at the Wireless Edge: Distributed Stochastic Gradient Descent
Over-the-Air", section III (D-DSGD): the largest elements of one sign, each as their mean, with error feedback.

Of the k largest elements above 0 and the k smallest below 0 the half with the larger mean |μ| is sent: μ with its sign,
and the places of its elements. Sattler et al., "Sparse Binary Compression", send the same.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from otafl.arrays import Tensor, tf
from otafl.compressors.protocol import register
from otafl.compressors.top_k import TopK, least

MEAN_BITS = 33
"""Bits of a mean: 32 of its absolute value, and its sign."""


@register("sign_mean")
@dataclass(frozen=True)
class SignMean(TopK):
    """The mean of the k = ``uplink.sparsity``·d largest elements of one sign, in place of each; the rest is remembered.

    Arguments:
        sparsity: share k/d of a vector's elements that are sent, above 0 to 1: a number, or inside a program a tensor,
            [runs], or from 0, [workers, 1, runs].
    """

    def value_bits(self, count: Any, bits_per_element: int) -> Any:
        """Return the bits of one mean and its sign, 33, for any number of elements. Shape of count.

        Arguments:
            count: number k of elements, of which only the shape is taken.
            bits_per_element: unused.
        """
        return MEAN_BITS + 0 * np.asarray(count)

    def kept(self, message: Tensor, random: Tensor | None, draw: Tensor) -> Tensor:
        """Return the mean at the places of the k elements of one sign, and 0 elsewhere. Shape [workers, d, runs].

        Arguments:
            message: vectors of the workers, d elements each. Shape [workers, d, runs].
            random: unused.
            draw: unused.
        """
        above, high = self._half(message)
        below, low = self._half(-message)
        mean = tf.where(high > low, above * high, -below * low)
        return tf.where(self.sparsity > 0, mean, tf.zeros_like(mean))

    def _half(self, message: Tensor) -> tuple[Tensor, Tensor]:
        """Return 1 at the k largest elements above 0, [workers, d, runs], and their mean, [workers, 1, runs]."""
        size = tf.nn.relu(message)
        places = tf.cast((size >= least(size, self.sparsity)) & (size > 0), message.dtype)
        total, count = (tf.reduce_sum(one, axis=1, keepdims=True) for one in (places * size, places))
        return places, tf.math.divide_no_nan(total, count)
