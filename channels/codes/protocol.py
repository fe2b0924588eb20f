"""Code interface, and the codes by name."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from channels.registry import Part, Registry

Begun = tuple[np.ndarray, np.ndarray] | tuple[float, float]
"""Capacity and dispersion that a codeword has already."""


class Code(Part):
    """Code of digital uploads; one that says nothing else reaches capacity at any length, and never fails."""

    any_length: ClassVar[bool] = True
    """True where the length of a codeword does not matter."""

    def rate(self, capacity: np.ndarray) -> np.ndarray:
        """Bits of a symbol of some capacity, each symbol coded for its own channel. Shape of capacity [bit]."""
        return capacity

    @property
    def attempts(self) -> float:
        """Mean number of times that a codeword is sent."""
        return 1.0

    def upload_slots(self, slots: np.ndarray) -> np.ndarray:
        """Mean slots until all workers of an upload are decoded, whose codewords take so many. Shape [..., workers] to
        [...]."""
        return slots.max(axis=-1)

    def carried(self, capacity: np.ndarray, dispersion: np.ndarray) -> np.ndarray:
        """Bits of a codeword over symbols of this capacity and dispersion, summed; below 0 where it is too short."""
        return capacity

    def length(self, bits: float, rate: np.ndarray, dispersion: np.ndarray, begun: Begun = (0.0, 0.0)) -> np.ndarray:
        """Slots, not rounded, until a codeword carries so many bits; infinite at rate 0. Shape of rate.

        Arguments:
            bits: of the codeword.
            rate: capacity that a slot adds [bit].
            dispersion: that a slot adds [bit²].
            begun: capacity and dispersion of what has been sent before.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return (bits - np.asarray(begun[0])) / rate


@dataclass(frozen=True)
class FallibleCode(Code):
    """Code whose codewords are not all decoded.

    Arguments:
        block_error: ε, probability that a codeword is not decoded, or the largest that is allowed.

    Raises:
        ValueError: ε is not between 0 and 1.
    """

    block_error: float = field(
        default=1e-3,
        metadata={
            "description": "code normal: probability ε that an upload is not decoded, and sent once more; nr: most "
            "blocks of those sent that may fail",
            "label": "Block error",
            "gt": 0.0,
            "lt": 1.0,
        },
    )

    def __post_init__(self) -> None:
        if not 0 < self.block_error < 1:
            raise ValueError(f"block_error = {self.block_error}: must be between 0 and 1")


CODES = Registry("code", Code)
"""Codes by name."""
register = CODES.register
