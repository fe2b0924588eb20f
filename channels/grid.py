"""The time-frequency grid that an upload is laid on."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Grid:
    """Subcarriers of equal spacing, used slot by slot.

    Arguments:
        subcarriers: S, number of subcarriers.
        spacing_hz: W, bandwidth of one subcarrier [Hz]; LTE's 15 kHz.
        slot_s: T, length of a slot [s]; 1 ms as in LTE.

    A *channel use* is one subcarrier during one slot.
    """

    subcarriers: int
    spacing_hz: float = 15e3
    slot_s: float = 1e-3

    def __post_init__(self) -> None:
        if self.subcarriers < 1:
            raise ValueError(f"subcarriers = {self.subcarriers}: at least 1 is needed")
        if not (self.spacing_hz > 0 and self.slot_s > 0):
            raise ValueError(f"spacing_hz = {self.spacing_hz}, slot_s = {self.slot_s}: both must be positive")

    def analog_slots(self, elements: int) -> int:
        """Slots of an analog upload, ⌈d/S⌉: every element takes one channel use."""
        return -(-elements // self.subcarriers)

    def subcarrier_of_element(self, elements: int) -> np.ndarray:
        """Subcarrier that each of d elements rides, i mod S. Shape [elements]."""
        return np.arange(elements) % self.subcarriers

    def on_elements(self, values: np.ndarray, elements: int) -> np.ndarray:
        """What the subcarriers in use have, as d elements have it. Shape [..., subcarriers], then [..., elements]."""
        return values[..., self.subcarrier_of_element(elements)]

    def subcarriers_in_use(self, elements: int) -> int:
        """How many subcarriers an analog upload of d elements touches, min(d, S)."""
        return min(elements, self.subcarriers)
