"""Time-frequency grid of an upload: subcarriers and slots."""

from dataclasses import dataclass

import numpy as np

CYCLIC_PREFIX = 0.07
"""Length of the normal cyclic prefix of LTE and NR over 1/W, the length of the symbol behind it (144/2048)."""


@dataclass(frozen=True)
class Grid:
    """Grid of equally spaced subcarriers and slots.

    A *channel use* is one complex symbol: one subcarrier for the length of a symbol, T/q. A cyclic prefix of 0.07/W is
    part of that length and has the power of the symbol behind it. At power P the energy behind the prefix is P·T/q for
    any q.

    Arguments:
        subcarriers: number S of subcarriers.
        spacing_hz: bandwidth W of one subcarrier [Hz]; 15 kHz as in LTE.
        slot_s: length T of a slot [s]; 1 ms as in LTE.
        symbols_per_slot: complex symbols q on a subcarrier in a slot, each behind its cyclic prefix: at most W·T/1.07,
            14 in LTE.
        elements_per_symbol: real elements κ on a complex symbol: 1, on its real part, or 2.

    Raises:
        ValueError: a number is out of its range.
    """

    subcarriers: int
    spacing_hz: float = 15e3
    slot_s: float = 1e-3
    symbols_per_slot: int = 1
    elements_per_symbol: int = 1

    def __post_init__(self) -> None:
        if self.subcarriers < 1:
            raise ValueError(f"subcarriers = {self.subcarriers}: at least 1 is needed")
        if not (self.spacing_hz > 0 and self.slot_s > 0):
            raise ValueError(f"spacing_hz = {self.spacing_hz}, slot_s = {self.slot_s}: both must be positive")
        most = most_symbols(self.spacing_hz, self.slot_s)
        if not 1 <= self.symbols_per_slot <= most:
            rule = f"must be from 1 to {most}, W·T/{1 + CYCLIC_PREFIX:g}"
            raise ValueError(f"symbols_per_slot = {self.symbols_per_slot}: {rule}")
        if self.elements_per_symbol not in (1, 2):
            raise ValueError(f"elements_per_symbol = {self.elements_per_symbol}: must be 1 or 2")

    @property
    def symbol_s(self) -> float:
        """Length of a symbol with its cyclic prefix, T/q [s]: a slot of length T over its q symbols."""
        return self.slot_s / self.symbols_per_slot

    @property
    def window_s(self) -> float:
        """Length of a symbol without its cyclic prefix, the receiver's window [s].

        It is T/q - 0.07/W, and at least 1/W, for q symbols in a slot of length T on subcarriers of spacing W.
        """
        return self._periods(self.symbols_per_slot) / self.spacing_hz

    def prefix_share(self, symbols: float) -> float:
        """Return the energy of a cyclic prefix over that of the symbol behind it, from 0 to 0.07.

        Arguments:
            symbols: complex symbols q on a subcarrier in a slot, not necessarily a whole number.
        """
        return CYCLIC_PREFIX / self._periods(symbols)

    def _periods(self, symbols: float) -> float:
        """Return the length of each of q symbols in a slot without its prefix, in periods 1/W."""
        return max(self.spacing_hz * self.slot_s / symbols - CYCLIC_PREFIX, 1.0)

    def symbols(self, elements: int) -> int:
        """Return the number of complex symbols, that is channel uses, of d elements sent as amplitudes, ⌈d/κ⌉.

        Arguments:
            elements: number d of real elements, of which a symbol holds κ.
        """
        return -(-elements // self.elements_per_symbol)

    def analog_slots(self, elements: int) -> int:
        """Return the number of slots of an analog upload of d elements, ⌈d/(S·q·κ)⌉.

        There are S subcarriers, q symbols on each in a slot, and κ elements on a symbol.

        Arguments:
            elements: number d of real elements.
        """
        return -(-self.symbols(elements) // (self.subcarriers * self.symbols_per_slot))

    def subcarrier_of_element(self, elements: int) -> np.ndarray:
        """Return the index of the subcarrier of each of d elements, ⌊i/κ⌋ mod S for element i. Shape [elements].

        There are S subcarriers, and κ elements on a symbol; i and the index are counted from 0.

        Arguments:
            elements: number d of real elements.
        """
        return np.arange(elements) // self.elements_per_symbol % self.subcarriers

    def on_elements(self, values: np.ndarray, elements: int) -> np.ndarray:
        """Return values of subcarriers, repeated for the elements that each one carries. Shape [..., elements].

        Arguments:
            values: values on all subcarriers or on those in use, such as gains. Shape [..., subcarriers].
            elements: number d of real elements.
        """
        return values[..., self.subcarrier_of_element(elements)]

    def subcarriers_in_use(self, elements: int) -> int:
        """Return the number of subcarriers in use by an analog upload of d elements, min(⌈d/κ⌉, S).

        There are S subcarriers, and κ elements on a symbol.

        Arguments:
            elements: number d of real elements.
        """
        return min(self.symbols(elements), self.subcarriers)


def most_symbols(spacing_hz: float, slot_s: float) -> int:
    """Return the number of symbols of length 1/W that fit in a slot, ⌊W·T/1.07⌋ with cyclic prefixes, at least 1.

    Arguments:
        spacing_hz: subcarrier spacing W [Hz].
        slot_s: length T of a slot [s].
    """
    return max(1, int(spacing_hz * slot_s / (1 + CYCLIC_PREFIX)))
