"""Interface of compressors, and the compressors by name."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from otafl.channels.registry import Part, Registry
from otafl.numerics.tensors import Tensor, tf


class Packet(NamedTuple):
    """Vectors of workers as they are sent, with the vectors whose sum over workers the server wants.

    Arguments:
        sent: numbers that workers send, as many as the compressor gives for d elements. Shape [workers, numbers, runs].
        target_sum: vectors of which the server wants the sum over workers; None: those sent. Shape [workers, d, runs].
    """

    sent: Tensor
    target_sum: Tensor | None = None


class Compressor(Part):
    """Base of compressors: numbers that workers send in place of a vector; by default the vector itself."""

    remembers: ClassVar[bool] = False
    """True where workers keep what they do not send, and add it to the next vector (error feedback)."""
    words: ClassVar[int] = 0
    """Random words of 32 bits that a vector needs in a round."""
    unit: ClassVar[bool] = False
    """True where each symbol counts with amplitude 1 in power control, also where it is 0."""
    active: ClassVar[float] = 1.0
    """Largest share of a vector's symbols that are not 0, where each counts with amplitude 1."""

    measures: ClassVar[bool] = False
    """True where workers send random measurements of a vector in place of its elements."""
    integers: ClassVar[bool] = False
    """True where workers send integers, times a step that is the same for all and known to the server."""
    fits: ClassVar[bool] = False
    """True where the share of elements that are sent, ``sparsity``, can follow from the bits that they may take."""
    encodes: ClassVar[bool] = False
    """True where workers send codewords of a codebook in place of parts of a vector."""
    energies: ClassVar[bool] = False
    """True where an element is the energy of its symbols, on one of two sides by its sign."""
    floats: ClassVar[bool] = False
    """True where digital uploads send elements as floating-point numbers of ``uplink.bits_per_element``."""
    digital_version: ClassVar[int] = 1
    """Version of its numbers over digital uploads alone, raised when a correction changes them."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if cls.kept is not Compressor.kept and not cls.remembers:
            raise ValueError(f"{cls.__name__}.kept: needs remembers = True; what does not remember overrides packed")

    @property
    def number_bits(self) -> int:
        """Bits of a floating-point number of a digital upload, to which numbers are rounded: 32 by default."""
        return 32

    def symbols(self, elements: int) -> int:
        """Return the count of numbers in an upload of d elements.

        Arguments:
            elements: number d of elements of a vector.
        """
        return elements

    def bits(self, elements: int, bits_per_element: int) -> int:
        """Return the bits of a digital upload of d elements, by default those of each number that is sent.

        Arguments:
            elements: number d of elements of a vector.
            bits_per_element: bits of each number, the key ``uplink.bits_per_element``.
        """
        return self.symbols(elements) * bits_per_element

    def share(self, bits: np.ndarray, elements: int, bits_per_element: int) -> np.ndarray:
        """Return the largest share of elements that takes no more than given bits, from 0 to 1. Shape of bits.

        Compressors that do not fit (``fits``) have none: NotImplementedError.

        Arguments:
            bits: bits that a vector may take. Any shape.
            elements: number d of elements of a vector.
            bits_per_element: bits of each element.
        """
        raise NotImplementedError

    def kept(self, message: Tensor, random: Tensor | None, draw: Tensor) -> Tensor:
        """Return the part of each vector that is sent now, by default all of it. Shape [workers, d, runs].

        The rest is remembered: a class that overrides it has ``remembers = True``, else its definition is a ValueError.

        Arguments:
            message: vectors of the workers, d elements each. Shape [workers, d, runs].
            random: random 32-bit words stored as float32, of which only the bits count; None where ``words`` is 0.
                Shape [words, runs].
            draw: number of the vector among those of all rounds, from 0. Scalar.
        """
        return message

    def packed(self, message: Tensor, random: Tensor | None, draw: Tensor) -> Packet:
        """Return vectors of workers in the form in which they are sent, by default as they are.

        Arguments:
            message: vectors of the workers, d elements each. Shape [workers, d, runs].
            random: random 32-bit words stored as float32, of which only the bits count; None where ``words`` is 0.
                Shape [words, runs].
            draw: number of the vector among those of all rounds, from 0. Scalar.

        Returns:
            A ``Packet`` with the numbers sent, [workers, numbers, runs], and the vectors whose sum is wanted, [workers,
            d, runs], None for those sent.
        """
        return Packet(message)

    def compress(
        self, messages: tuple[Tensor, ...], memory: tuple[Tensor, ...], drawn: Sequence[tuple[Tensor | None, Tensor]]
    ) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        """Return the vectors that are sent now, and the parts of them that workers remember (error feedback).

        Single numbers are sent as they are. Vectors beyond those of the memory become multiples of its last one.

        Arguments:
            messages: vectors of a round, d elements of each worker, [workers, d, runs], and single numbers, [workers,
                1, runs].
            memory: part of each vector that was not sent before; empty without error feedback. Shape [workers, d, runs]
                each.
            drawn: for each vector of ``memory`` its random words and its number, as in ``packed``.

        Returns:
            Vectors and single numbers to send, in the shapes of ``messages``, and new memory, in those of ``memory``.
        """
        if not memory:
            return messages, memory
        own, more = messages[: len(memory)], messages[len(memory) :]
        whole = [message + kept for message, kept in zip(own, memory, strict=True)]
        chosen = tuple(self.kept(one, *draw) for one, draw in zip(whole, drawn, strict=True))
        more = tuple(one if one.shape[1] == 1 else multiple(one, own[-1]) * chosen[-1] for one in more)
        return chosen + more, tuple(all_ - now for all_, now in zip(whole, chosen, strict=True))


def multiple(message: Tensor, of: Tensor) -> Tensor:
    """Return the factor of messages over others that they are multiples of; 1 where both are 0. Shape [1, 1, runs].

    Arguments:
        message: vectors of the workers, ``of`` times one factor for all workers. Shape [workers, d, runs].
        of: vectors of the workers. Shape [workers, d, runs].
    """
    ahead = tf.reduce_sum(message * of, axis=[0, 1], keepdims=True)
    power = tf.reduce_sum(of * of, axis=[0, 1], keepdims=True)
    return tf.where(power > 0, ahead / power, tf.ones_like(power))


def one_scale(settings: Any, method: Any) -> str:
    """Return why a method's messages do not have one scale: it sends more than its vectors; empty where they have.

    Arguments:
        settings: the run's ``Settings``, of which the method's name is read.
        method: the run's ``Method``, which says what it sends.
    """
    if not method.scalars and not method.further_sums:
        return ""
    more = "single numbers" if method.scalars else "multiples of its vector"
    return f"has one scale for all that is sent, but {settings.method} sends {more}, too"


COMPRESSORS = Registry("compressor", Compressor)
"""Compressors by name."""
register = COMPRESSORS.register
