"""The largest elements of vectors, the others remembered, and the bits of their places."""

import functools
import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from otafl.compressors.compressor import Compressor
from otafl.numerics.tensors import Tensor, tf

ROUNDING = 1e-9
"""Bits by which a logarithm may exceed a whole number that it is."""


@dataclass(frozen=True)
class Largest(Compressor):
    """Base of compressors that send the k = ``uplink.sparsity``·d largest elements, and remember the others.

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

    def count(self, elements: int) -> int:
        """Return the number k of elements that are sent, at least 1: k/d·d rounded, the larger one of both precisions.

        Arguments:
            elements: number d of elements of a vector.
        """
        found = (np.rint(real(self.sparsity) * real(elements)) for real in (np.float32, np.float64))
        return max(1, *map(int, found))

    def kept(self, message: Tensor, random: Tensor | None, draw: Tensor) -> Tensor:
        """Return the k elements of largest absolute value, and 0 for the others. Shape [workers, d, runs].

        Arguments:
            message: vectors of the workers, d elements each. Shape [workers, d, runs].
            random: unused.
            draw: unused.
        """
        return tf.where(largest(tf.abs(message), self.sparsity), message, tf.zeros_like(message))


class CodedPlaces(Largest):
    """Base of those whose digital uploads have values, and the number of the set of their places among all sets."""

    fits: ClassVar[bool] = True
    version: ClassVar[int] = 2

    def value_bits(self, count: Any, bits_per_element: int) -> Any:
        """Return the bits of the values of k elements that are sent, without their places. Shape of count.

        Arguments:
            count: number k of elements, a number or an array.
            bits_per_element: bits of each element.
        """
        raise NotImplementedError

    def sets(self, elements: int) -> np.ndarray:
        """Return the log2 of the number of sets of places, for k = 0 to d. Shape [d + 1].

        Arguments:
            elements: number d of elements of a vector.
        """
        raise NotImplementedError

    def bits(self, elements: int, bits_per_element: int) -> int:
        """Return the bits of the values and of the number of their set of places, each in whole bits.

        Arguments:
            elements: number d of elements of a vector.
            bits_per_element: bits of each element.
        """
        count = self.count(elements)
        return int(self.value_bits(count, bits_per_element)) + math.ceil(self.sets(elements)[count] - ROUNDING)

    def share(self, bits: np.ndarray, elements: int, bits_per_element: int) -> np.ndarray:
        """Return the largest share k/d of elements whose values and places take no more than given bits.

        Arguments:
            bits: bits that a vector may take. Any shape.
            elements: number d of elements of a vector.
            bits_per_element: bits of each element.

        Returns:
            Share from 0 to 1; 0 where not even one element can be sent. Shape of bits.
        """
        values = self.value_bits(np.arange(1, elements + 1), bits_per_element)
        taken = np.maximum.accumulate(values + np.ceil(self.sets(elements)[1:] - ROUNDING))
        return np.searchsorted(taken, bits, side="right") / elements


@functools.lru_cache(maxsize=4)
def sets_of_size(elements: int) -> np.ndarray:
    """Return the log2 of "d over k", the number of sets of k elements among d, for k = 0 to d. Shape [d + 1].

    Arguments:
        elements: number d of elements.
    """
    count = np.arange(1, elements + 1)
    return np.concatenate([[0.0], np.cumsum(np.log2((elements - count + 1) / count))])


@functools.lru_cache(maxsize=4)
def sets_up_to(elements: int) -> np.ndarray:
    """Return the log2 of the number of sets of at most k elements among d, for k = 0 to d. Shape [d + 1].

    Arguments:
        elements: number d of elements.
    """
    return np.logaddexp2.accumulate(sets_of_size(elements))


def largest(size: Tensor, share: Tensor) -> Tensor:
    """Return True for the k largest elements of each vector, the first ones of equal size. Shape [workers, d, runs].

    Arguments:
        size: absolute values |x| of the d elements x of each vector. Shape [workers, d, runs].
        share: k/d, from 0. Scalar, or a shape that broadcasts to [workers, 1, runs].
    """
    count, words = wanted(share, size), tf.bitcast(size, tf.int64 if size.dtype.size == 8 else tf.int32)
    least = least_word(words, count, size.dtype)
    sure, last = words > least, tf.cast(tf.equal(words, least), size.dtype)
    place = tf.reduce_sum(tf.cast(sure, size.dtype), axis=1, keepdims=True) + tf.cumsum(last, axis=1)
    return (sure | ((last > 0) & (place <= count))) & (share > 0)


def wanted(share: Tensor, size: Tensor) -> Tensor:
    """Return the number k of elements to keep of d, at least 1. Shape of share.

    Arguments:
        share: k/d. Scalar, or any shape.
        size: absolute values of the d elements of each vector. Shape [workers, d, runs].
    """
    return tf.cast(tf.maximum(tf.math.round(share * size.shape[1]), 1.0), size.dtype)


def least_word(words: Tensor, count: Tensor, dtype: Any) -> Tensor:
    """Return the k-th largest of d whole numbers, found bit by bit in a fifth of sorting's time. [workers, 1, runs].

    Words of absolute values have the order of these.

    Arguments:
        words: whole numbers from 0. Shape [workers, d, runs].
        count: k, from 1. Scalar, or a shape that broadcasts to [workers, 1, runs].
        dtype: real TensorFlow type to count in.
    """

    def finer(place: Tensor, found: Tensor) -> tuple:
        tried = tf.bitwise.bitwise_or(found, tf.bitwise.left_shift(tf.ones_like(found), place))
        enough = tf.reduce_sum(tf.cast(words >= tried, dtype), axis=1, keepdims=True) >= count
        return place - 1, tf.where(enough, tried, found)

    top = tf.constant(8 * words.dtype.size - 2, words.dtype)
    return tf.while_loop(lambda place, _: place >= 0, finer, (top, tf.zeros_like(words[:, :1])))[1]
