"""Realisations of fading in a run: scaled by the gains of workers' places, and as pilots estimate them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from otafl.channels.csi import ChannelState, Sounding
from otafl.channels.fading import Realisation

Which: TypeAlias = np.ndarray | slice
"""Indices of workers or of seeds, from 0, or a slice of them."""


@dataclass(frozen=True)
class Scaled(Realisation):
    """Realisation of fading whose gains h are multiplied by a factor of each worker, as by path loss."""

    fading: Realisation
    amplitude: np.ndarray

    @property
    def power(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.amplitude**2 * self.fading.power

    def gains(self, block: int, subcarriers: int) -> np.ndarray:
        return self.amplitude[:, None, None] * self.fading.gains(block, subcarriers)

    def echoes(self, block: int, times_s: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        paths = self.fading.echoes(block, times_s)
        return paths and (self.amplitude[:, None, None, None] * paths[0], paths[1])

    def moving(self, block: int, subcarriers: int, step_s: float, steps: np.ndarray) -> np.ndarray:
        gains = self.fading.moving(block, subcarriers, step_s, steps)
        return self.amplitude[:, None, None, None].astype(gains.real.dtype) * gains

    def of(self, block: int, subcarriers: int, workers: Which) -> np.ndarray:
        return self.amplitude[workers, None, None] * self.fading.of(block, subcarriers, workers)

    def pieces(self, block: int) -> Iterator[np.ndarray]:
        return (self.amplitude[:, None, None] * piece for piece in self.fading.pieces(block))

    def split(self, block: int, workers: np.ndarray, each: int) -> np.ndarray:
        return self.amplitude[workers, None, None] * self.fading.split(block, workers, each)


@dataclass(frozen=True)
class Estimated(Realisation):
    """Gains of a realisation as pilots estimate them."""

    realisation: Realisation
    sounding: Sounding
    power: np.ndarray | float = 1.0

    def sound(self, block: int, subcarriers: int) -> ChannelState:
        """Return the gains and what is known of them. Shape [workers, antennas, S] each."""
        return self.sounding.sound(self.realisation.gains(block, subcarriers), block, self.power)

    def gains(self, block: int, subcarriers: int) -> np.ndarray:
        return self.sounding.estimate(self.realisation.gains(block, subcarriers), block, self.power)

    def of(self, block: int, subcarriers: int, workers: Which) -> np.ndarray:
        if self.sounding.imperfections.pilots:
            return super().of(block, subcarriers, workers)
        return self.realisation.of(block, subcarriers, workers)
