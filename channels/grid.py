"""Time-frequency grid of an upload: subcarriers and slots."""

from dataclasses import dataclass

import numpy as np

from .array_types import PerSubcarrier
from .errors import ParameterError

CYCLIC_PREFIX = 0.07
"""Length of the normal cyclic prefix of LTE and NR over 1/W, the length of the symbol behind it (144/2048)."""


@dataclass(frozen=True)
class Grid:
    """Grid of equally spaced subcarriers and slots.

    A *channel use* is one complex symbol: one subcarrier for the length of a symbol, T/q. A cyclic prefix of 0.07/W is
    part of that length and has the power of the symbol behind it. At power P the energy behind the prefix is P·T/q for
    any q. In formulas an upload has d real elements.

    >>> grid = Grid(subcarriers=4096)
    >>> grid.analog_slots(109_184), grid.symbols(109_184)
    (27, 109184)

    Arguments:
        subcarriers: number S of subcarriers.
        spacing_hz: bandwidth W of one subcarrier [Hz]; 15 kHz as in LTE.
        slot_s: length T of a slot [s]; 1 ms as in LTE.
        symbols_per_slot: complex symbols q on a subcarrier in a slot, each behind its cyclic prefix: at most W·T/1.07,
            14 in LTE.
        elements_per_symbol: real elements κ on a complex symbol: 1, on its real part, or 2.

    Raises:
        ParameterError: a number is out of its range.
    """

    subcarriers: int
    spacing_hz: float = 15e3
    slot_s: float = 1e-3
    symbols_per_slot: int = 1
    elements_per_symbol: int = 1

    def __post_init__(self) -> None:
        most = most_symbols(self.spacing_hz, self.slot_s)
        for name, holds, rule in (
            ("subcarriers", self.subcarriers >= 1, "must be at least 1"),
            ("spacing_hz", self.spacing_hz > 0, "must be positive"),
            ("slot_s", self.slot_s > 0, "must be positive"),
            ("symbols_per_slot", 1 <= self.symbols_per_slot <= most, f"must be from 1 to {most}, W·T/1.07"),
            ("elements_per_symbol", self.elements_per_symbol in (1, 2), "must be 1 or 2"),
        ):
            if not holds:
                raise ParameterError(name, getattr(self, name), rule)

    @property
    def symbol_s(self) -> float:
        """Length of a symbol with its cyclic prefix, T/q [s]."""
        return self.slot_s / self.symbols_per_slot

    @property
    def window_s(self) -> float:
        """Length of a symbol without its cyclic prefix, the receiver's window: T/q - 0.07/W, and at least 1/W [s]."""
        return self._periods(self.symbols_per_slot) / self.spacing_hz

    def prefix_share(self, symbols: float) -> float:
        """Return the energy of a cyclic prefix over that of its symbol, from 0 to 0.07, for some symbols in a slot."""
        return CYCLIC_PREFIX / self._periods(symbols)

    def _periods(self, symbols: float) -> float:
        """Return the length of each of q symbols in a slot without its prefix, in periods 1/W."""
        return max(self.spacing_hz * self.slot_s / symbols - CYCLIC_PREFIX, 1.0)

    def symbols(self, elements: int) -> int:
        """Return the number of complex symbols, that is channel uses, of elements sent as amplitudes, ⌈d/κ⌉."""
        return -(-elements // self.elements_per_symbol)

    def analog_slots(self, elements: int) -> int:
        """Return the number of slots of an analog upload of some elements, ⌈d/(S·q·κ)⌉."""
        return -(-self.symbols(elements) // (self.subcarriers * self.symbols_per_slot))

    def on_elements(self, values: PerSubcarrier, elements: int) -> np.ndarray:
        """Return values of subcarriers for elements: element i is on subcarrier ⌊i/κ⌋ mod S. Shape [..., elements]."""
        return values[..., np.arange(elements) // self.elements_per_symbol % self.subcarriers]

    def subcarriers_in_use(self, elements: int) -> int:
        """Return the number of subcarriers in use by an analog upload of some elements, min(⌈d/κ⌉, S)."""
        return min(self.symbols(elements), self.subcarriers)


def most_symbols(spacing_hz: float, slot_s: float) -> int:
    """Return how many symbols of length 1/W with their prefixes fit in a slot [s], ⌊W·T/1.07⌋, and at least 1."""
    return max(1, int(spacing_hz * slot_s / (1 + CYCLIC_PREFIX)))
