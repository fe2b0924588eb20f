"""Elements as floating-point numbers of 16, 32 or 64 bits over digital uploads."""

from dataclasses import dataclass
from typing import ClassVar

from otafl.compressors.compressor import Compressor
from otafl.numerics.tensors import Tensor, tf

FRACTIONS = {16: 7, 32: 23, 64: 52}
"""Bits of a number's fraction, by its bits: bfloat16, single and double precision."""
TYPES = {16: "bfloat16", 32: "float32"}
"""TensorFlow types of the numbers that others are rounded to, by bits."""


@dataclass(frozen=True)
class FloatingPoint(Compressor):
    """Base of compressors whose digital uploads send elements as floating-point numbers of some bits.

    16 are those of bfloat16, which has the range of single precision and eight significant bits.

    Arguments:
        bits_per_element: bits of a number: 16, 32 or 64.
    """

    bits_per_element: int = 32
    shapes: ClassVar[tuple[str, ...]] = ("bits_per_element",)
    floats: ClassVar[bool] = True

    @property
    def number_bits(self) -> int:
        """Bits of a number of a digital upload, the key ``uplink.bits_per_element``."""
        return self.bits_per_element


def rounded(numbers: Tensor, bits: int) -> Tensor:
    """Return numbers rounded to the nearest ones of 16, 32 or 64 bits, ties to even. Shape of numbers.

    Numbers that have no more bits stay as they are. The fraction is rounded in whole numbers, as compilers leave out
    casts there and back on some devices; the casts behind it keep to the range of exponents.

    Arguments:
        numbers: real numbers in single or double precision. Any shape.
        bits: bits of each rounded number: 16, 32 or 64.
    """
    own = 8 * numbers.dtype.size
    if bits >= own:
        return numbers
    cut, words = FRACTIONS[own] - FRACTIONS[bits], tf.int64 if own == 64 else tf.int32
    word = tf.bitcast(numbers, words)
    odd = tf.bitwise.bitwise_and(tf.bitwise.right_shift(word, tf.constant(cut, words)), tf.constant(1, words))
    nearest = word + odd + tf.constant(2 ** (cut - 1) - 1, words)
    kept = tf.bitcast(tf.bitwise.bitwise_and(nearest, tf.constant(-(2**cut), words)), numbers.dtype)
    kept = tf.where(tf.math.is_nan(numbers), numbers, kept)  # as that of GPUs, all ones, would become 0
    return tf.cast(tf.cast(kept, TYPES[bits]), numbers.dtype)
