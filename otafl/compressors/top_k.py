"""S. U. Stich, J.-B. Cordonnier, M. Jaggi, "Sparsified SGD with Memory": the largest elements of a vector are sent,
with error feedback: the others are remembered and added to the next vector.

Source for wireless uploads: M. M. Amiri and D. Gündüz, "Machine Learning at the Wireless Edge: Distributed Stochastic
Gradient Descent Over-the-Air". An element that a worker does not send because of a deep fade is lost, and not
remembered.
"""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from otafl.arrays import Tensor, tf
from otafl.compressors.protocol import Compressor, register

HALVINGS = 16
"""Halvings of the interval in which the smallest element that is kept lies."""


@register("top_k")
@dataclass(frozen=True)
class TopK(Compressor):
    """The k = ``uplink.sparsity``·d largest elements, the others remembered; the server wants the sum of those sent.

    An analog upload has all d elements, as workers do not know which elements the others send. A digital one has k
    elements and the log2 of the number of their sets, in whole bits.

    Arguments:
        sparsity: share k/d of a vector's elements that are sent, above 0 to 1: a number, or inside a program a tensor,
            [runs], or from 0, [workers, 1, runs].
    """

    sparsity: Any = field(
        default=0.05,
        metadata={
            "description": "top_k: share of a vector's elements that are sent, the largest ones. With "
            "random_projection, message passing finds sums of at most 0.10 elements for each measurement at a ratio of "
            "0.1, and of 0.20 at 0.5",
            "label": "Sparsity",
            "symbol": "$k/d$",
            "gt": 0.0,
            "le": 1.0,
        },
    )
    remembers: ClassVar[bool] = True
    fits: ClassVar[bool] = True

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Return why a run cannot have it, a method that sends whole models, with no few large elements; else empty.

        Arguments:
            chain: unused.
            settings: the run's ``Settings``, from which the method knows what it sends.
            method: the run's ``Method``.

        Returns:
            Reason as the end of an error message; empty where the run can have it.
        """
        if method.sends_models(settings) or not method.truncates:
            return f"needs updates, which have few large elements, but {settings.method} sends models"
        return ""

    def bits(self, elements: int, bits_per_element: int) -> int:
        """Return the bits of the k elements, and of their indices in the vector, log2 of "d over k" rounded up.

        "d over k" is the binomial coefficient, the number of sets of k elements among d.

        Arguments:
            elements: number d of elements of a vector.
            bits_per_element: bits of each element.
        """
        count = max(1, round(self.sparsity * elements))
        sets = math.lgamma(elements + 1) - math.lgamma(count + 1) - math.lgamma(elements - count + 1)
        return int(self.value_bits(count, bits_per_element)) + math.ceil(sets / math.log(2) - 1e-9)

    def value_bits(self, count: Any, bits_per_element: int) -> Any:
        """Return the bits of the values of k elements that are sent, without their indices. Shape of count.

        Arguments:
            count: number k of elements, a number or an array.
            bits_per_element: bits of each element.
        """
        return count * bits_per_element

    def share(self, bits: np.ndarray, elements: int, bits_per_element: int) -> np.ndarray:
        """Return the largest share k/d of elements whose values and indices take no more than given bits.

        Arguments:
            bits: bits that a vector may take. Any shape.
            elements: number d of elements of a vector.
            bits_per_element: bits of each element.

        Returns:
            Share from 0 to 1; 0 where not even one element can be sent. Shape of bits.
        """
        count = np.arange(1, elements + 1)
        sets = np.cumsum(np.log2((elements - count + 1) / count))
        taken = np.maximum.accumulate(self.value_bits(count, bits_per_element) + np.ceil(sets - 1e-9))
        return np.searchsorted(taken, bits, side="right") / elements

    def kept(self, message: Tensor, random: Tensor | None, draw: Tensor) -> Tensor:
        """Return the k elements of largest absolute value, and 0 for the others. Shape [workers, d, runs].

        Arguments:
            message: vectors of the workers, d elements each. Shape [workers, d, runs].
            random: unused.
            draw: unused.
        """
        size = tf.abs(message)
        largest = (size >= least(size, self.sparsity)) & (self.sparsity > 0)
        return tf.where(largest, message, tf.zeros_like(message))


def least(size: Tensor, share: Tensor) -> Tensor:
    """Return the smallest absolute value among the k largest elements, found by bisection. Shape [workers, 1, runs].

    It is found to 2^(-HALVINGS), 2^(-16), of √(Σx²/k), which it cannot exceed, in a tenth of sorting's time.

    Arguments:
        size: absolute values |x| of the d elements x of each vector. Shape [workers, d, runs].
        share: k/d. Scalar, or a shape that broadcasts to [workers, 1, runs].
    """
    wanted = tf.maximum(tf.math.round(share * size.shape[1]), 1.0)

    def halved(number: Tensor, low: Tensor, high: Tensor) -> tuple:
        middle = (low + high) / 2
        enough = tf.reduce_sum(tf.cast(size >= middle, size.dtype), axis=1, keepdims=True) >= wanted
        return number + 1, tf.where(enough, middle, low), tf.where(enough, high, middle)

    high = tf.sqrt(tf.reduce_sum(tf.square(size), axis=1, keepdims=True) / wanted)
    return tf.while_loop(lambda number, *_: number < HALVINGS, halved, (0, tf.zeros_like(high), high))[1]
