"""Interface of channel codes, and their registry."""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from ..array_types import PerWorker
from ..errors import ParameterError
from ..registry import Part, Registry, parameter

Begun: TypeAlias = tuple[np.ndarray, np.ndarray] | tuple[float, float]
"""Capacity [bit] and dispersion [bit²] of the symbols of a codeword that are sent already."""


class Code(Part):
    """Channel code of digital uploads; by default it reaches capacity at any length and never fails.

    A codeword is the coded upload of a worker. A symbol has a capacity of log2(1 + SNR), and a dispersion [bit²].
    """

    any_length: ClassVar[bool] = True
    """True where the bits of a codeword are proportional to its length."""

    def rate(self, capacity: np.ndarray) -> np.ndarray:
        """Return the bits that arrive with symbols, each coded for its own channel, of a capacity [bit]."""
        return capacity

    @property
    def attempts(self) -> float:
        """Mean number of transmissions until a codeword is decoded."""
        return 1.0

    def upload_slots(self, slots: PerWorker) -> np.ndarray:
        """Return the mean slots until all codewords are decoded, from those of one transmission of each worker's."""
        return slots.max(axis=-1)

    def carried(self, capacity: np.ndarray, dispersion: np.ndarray) -> np.ndarray:
        """Return the bits of codewords of a capacity [bit] and dispersion [bit²]; below 0 where they are too short."""
        return capacity

    def length(self, bits: float, rate: np.ndarray, dispersion: np.ndarray, begun: Begun = (0.0, 0.0)) -> np.ndarray:
        """Return the slots, not rounded, of codewords of given bits; infinite at rate 0.

        Rate [bit/slot] and dispersion [bit²/slot] are those of the symbols of a slot; begun are capacity [bit] and
        dispersion [bit²] of the symbols that are sent already.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return (bits - np.asarray(begun[0])) / rate


@dataclass(frozen=True)
class FallibleCode(Code):
    """Channel code with codewords of which a share ε, or at most that, is not decoded.

    Raises:
        ParameterError: ε is not between 0 and 1.
    """

    block_error: float = parameter(
        1e-3,
        "code normal: probability ε that an upload is not decoded and is sent again; nr: largest "
        "share of blocks that may fail",
        label="Block error",
        gt=0.0,
        lt=1.0,
    )

    def __post_init__(self) -> None:
        if not 0 < self.block_error < 1:
            raise ParameterError("block_error", self.block_error, "must be between 0 and 1")


CODES = Registry("code", Code)
register = CODES.register
