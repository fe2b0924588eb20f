"""Interface of compressors, and the compressors by name."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from otafl.channels.registry import Part, Registry
from otafl.numerics.tensors import Messages, Scalar, SentNumbers, Tensor, Vectors, Words, tf

if TYPE_CHECKING:
    from otafl.algorithms import Method
    from otafl.settings.keys import Settings
    from otafl.uplinks.chain import Chain


class Packet(NamedTuple):
    """Vectors of workers as they are sent, with the vectors whose sum over workers the server wants.

    Arguments:
        sent: numbers that workers send, as many as ``Compressor.symbols`` of d elements.
        target_sum: vectors of which the server wants the sum over workers; None: those sent.
    """

    sent: SentNumbers
    target_sum: Vectors | None = None


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

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.kept is not Compressor.kept and not cls.remembers:
            raise ValueError(f"{cls.__name__}.kept: needs remembers = True; what does not remember overrides packed")

    def requires(self, chain: "Chain", settings: "Settings", method: "Method") -> str:
        """Return the reason why a run cannot have this part, the end of an error message; by default empty: it can."""
        return ""

    def remark(self, chain: "Chain", settings: "Settings") -> str:
        """Return a remark for the user on an effect that is easily overlooked; empty without one, as by default."""
        return ""

    @property
    def number_bits(self) -> int:
        """Bits of a floating-point number of a digital upload, to which numbers are rounded: 32 by default."""
        return 32

    def symbols(self, elements: int) -> int:
        """Return the count of numbers in an upload of d elements."""
        return elements

    def bits(self, elements: int, bits_per_element: int) -> int:
        """Return the bits of a digital upload of d elements, by default those of each number that is sent."""
        return self.symbols(elements) * bits_per_element

    def share(self, bits: np.ndarray, elements: int, bits_per_element: int) -> np.ndarray:
        """Return the largest share of elements that takes no more than given bits, where it fits. Shape of bits."""
        raise NotImplementedError

    def kept(self, message: Vectors, random: Words | None, draw: Scalar) -> Vectors:
        """Return the part of each vector that is sent now, by default all of it; arguments are those of ``packed``.

        The rest is remembered: a class that overrides it has ``remembers = True``, else its definition is a ValueError.
        """
        return message

    def packed(self, message: Vectors, random: Words | None, draw: Scalar) -> Packet:
        """Return vectors of workers in the form in which they are sent, by default as they are.

        Arguments:
            message: vectors of the workers.
            random: random words; None where ``words`` is 0.
            draw: number of the vector among those of all rounds, from 0.
        """
        return Packet(message)

    def compress(
        self, messages: Messages, memory: tuple[Vectors, ...], drawn: Sequence[tuple[Words | None, Scalar]]
    ) -> tuple[Messages, tuple[Vectors, ...]]:
        """Return the messages that are sent now, and the parts of vectors that workers remember (error feedback).

        Single numbers are sent as they are. Vectors beyond those of the memory become multiples of its last one.
        ``drawn`` has the random words and the number of each vector of the memory, as in ``packed``.
        """
        if not memory:
            return messages, memory
        first = messages[: len(memory)]
        wholes = [message + unsent for message, unsent in zip(first, memory, strict=True)]
        sent = tuple(self.kept(whole, random, draw) for whole, (random, draw) in zip(wholes, drawn, strict=True))
        others = messages[len(memory) :]
        further = tuple(part if part.shape[1] == 1 else multiple(part, first[-1]) * sent[-1] for part in others)
        return sent + further, tuple(whole - now for whole, now in zip(wholes, sent, strict=True))


def multiple(message: Vectors, of: Vectors) -> Tensor:
    """Return the factor of messages over others that they are multiples of; 1 where both are 0. Shape [1, 1, runs]."""
    ahead = tf.reduce_sum(message * of, axis=[0, 1], keepdims=True)
    power = tf.reduce_sum(of * of, axis=[0, 1], keepdims=True)
    return tf.where(power > 0, ahead / power, tf.ones_like(power))


def one_scale(settings: "Settings", method: "Method") -> str:
    """Return why a method's messages do not have one scale: it sends more than its vectors; empty where they have."""
    if not method.scalars and not method.further_sums:
        return ""
    more = "single numbers" if method.scalars else "multiples of its vector"
    return f"has one scale for all that is sent, but {settings.method} sends {more}, too"


COMPRESSORS = Registry("compressor", Compressor)
register = COMPRESSORS.register
