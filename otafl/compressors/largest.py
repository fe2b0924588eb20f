"""The largest elements of vectors, the others remembered, and the bits of their places."""

import functools
import math
from dataclasses import dataclass

import numpy as np

from otafl.channels.registry import parameter
from otafl.compressors.compressor import Compressor
from otafl.numerics.tensors import Number, Scalar, Vectors, Words, WorkerNumbers, tf

ROUNDING = 1e-9
"""Bits by which a logarithm may exceed a whole number that it is."""


@dataclass(frozen=True)
class LargestElements(Compressor):
    """Base of compressors that send the k = ``uplink.sparsity``·d largest elements, and remember the others.

    Inside a program the sparsity may also be that of each worker, from 0, [workers, 1, runs].
    """

    sparsity: Number = parameter(
        0.05,
        "top_k: share of a vector's elements that are sent, the largest ones. With random_projection, message passing "
        "finds sums of at most 0.10 elements for each measurement at a ratio of 0.1, and of 0.20 at 0.5",
        label="Sparsity",
        symbol="$k/d$",
        gt=0.0,
        le=1.0,
    )
    remembers = True

    def requires(self, chain, settings, method) -> str:
        if method.sends_models(settings) or not method.truncates:
            return f"needs updates, which have few large elements, but {settings.method} sends models"
        return ""

    def count(self, elements: int) -> int:
        """Return the number k of elements that are sent, at least 1: the larger k/d·d of both precisions."""
        return max(1, *(int(np.rint(real(self.sparsity) * real(elements))) for real in (np.float32, np.float64)))

    def kept(self, message: Vectors, random: Words | None, draw: Scalar) -> Vectors:
        return tf.where(is_largest(tf.abs(message), self.sparsity), message, tf.zeros_like(message))


class CodedPlaces(LargestElements):
    """Base of those whose digital uploads have values, and the number of the set of their places among all sets."""

    fits = True
    version = 2

    def value_bits(self, count: np.ndarray | int, bits_per_element: int) -> np.ndarray | int:
        """Return the bits of the values of k elements that are sent, without their places."""
        raise NotImplementedError

    def sets(self, elements: int) -> np.ndarray:
        """Return the log2 of the number of sets of places, for k = 0 to d. Shape [d + 1]."""
        raise NotImplementedError

    def bits(self, elements: int, bits_per_element: int) -> int:
        """Return the bits of the values and of the number of their set of places, each in whole bits."""
        count = self.count(elements)
        return int(self.value_bits(count, bits_per_element)) + math.ceil(self.sets(elements)[count] - ROUNDING)

    def share(self, bits: np.ndarray, elements: int, bits_per_element: int) -> np.ndarray:
        values = self.value_bits(np.arange(1, elements + 1), bits_per_element)
        taken = np.maximum.accumulate(values + np.ceil(self.sets(elements)[1:] - ROUNDING))
        return np.searchsorted(taken, bits, side="right") / elements


@functools.lru_cache(maxsize=4)
def sets_of_size(elements: int) -> np.ndarray:
    """Return the log2 of "d over k", the number of sets of k elements among d, for k = 0 to d. Shape [d + 1].

    >>> (2 ** sets_of_size(4)).round().tolist()
    [1.0, 4.0, 6.0, 4.0, 1.0]
    """
    count = np.arange(1, elements + 1)
    return np.concatenate([[0.0], np.cumsum(np.log2((elements - count + 1) / count))])


@functools.lru_cache(maxsize=4)
def sets_up_to(elements: int) -> np.ndarray:
    """Return the log2 of the number of sets of at most k elements among d, for k = 0 to d. Shape [d + 1]."""
    return np.logaddexp2.accumulate(sets_of_size(elements))


def is_largest(size: Vectors, share: Number) -> Vectors:
    """Return True for the k largest of d elements, given by absolute values and k/d, the first ones of equal size."""
    count = wanted(share, size)
    # Words of absolute values have the order of these.
    words = tf.bitcast(size, tf.int64 if size.dtype.size == 8 else tf.int32)
    least = least_word(words, count, size.dtype)
    sure = words > least
    last = tf.cast(tf.equal(words, least), size.dtype)
    place = tf.reduce_sum(tf.cast(sure, size.dtype), axis=1, keepdims=True) + tf.cumsum(last, axis=1)
    return (sure | ((last > 0) & (place <= count))) & (share > 0)


def wanted(share: Number, size: Vectors) -> Number:
    """Return the number k of elements to keep of d, at least 1. Shape of share."""
    return tf.cast(tf.maximum(tf.math.round(share * size.shape[1]), 1.0), size.dtype)


def least_word(words: Vectors, count: Number, dtype: "tf.DType") -> WorkerNumbers:
    """Return the k-th largest of d whole numbers from 0, found bit by bit in a fifth of sorting's time."""

    def finer(place: Scalar, least: WorkerNumbers) -> tuple:
        tried = tf.bitwise.bitwise_or(least, tf.bitwise.left_shift(tf.ones_like(least), place))
        enough = tf.reduce_sum(tf.cast(words >= tried, dtype), axis=1, keepdims=True) >= count
        return place - 1, tf.where(enough, tried, least)

    top = tf.constant(8 * words.dtype.size - 2, words.dtype)
    return tf.while_loop(lambda place, _: place >= 0, finer, (top, tf.zeros_like(words[:, :1])))[1]
