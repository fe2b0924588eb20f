"""Rician fading: a line of sight and many scattered paths."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..array_types import AntennaGains
from ..random_streams import persistent
from ..registry import parameter
from .block import BlockFading
from .fading_model import Fading, Realisation, register
from .layout import Layout
from .plane_waves import in_sight
from .rayleigh import RayleighFading


@register("rician")
@dataclass(frozen=True)
class RicianFading(Fading):
    """Rician fading, h = √(K/(K+1))·e^(jφ) + √(1/(K+1))·z: a line of sight and scattered paths.

    K, ``rician_k_db`` in dB, is the power of the line of sight over that of all other paths. The phase φ is uniform in
    [0, 2π) and constant for each worker and antenna; z ~ CN(0, 1) is independent in every block and subcarrier.
    """

    rician_k_db: float = parameter(
        6.0,
        "Rician fading: K-factor, power of the line of sight over that of all other paths [dB]",
        unit="dB",
        symbol="$K$",
        ge=-300,
        le=300,
    )

    def realise(self, layout: Layout, seed: np.random.SeedSequence) -> Realisation:
        phase = in_sight(persistent(seed), layout)
        k = 10 ** (self.rician_k_db / 10)
        line_of_sight = np.sqrt(k / (k + 1)) * np.exp(1j * phase)
        return _Rician(line_of_sight, np.sqrt(1 / (k + 1)), BlockFading(RayleighFading(), layout, seed))


@dataclass(frozen=True)
class _Rician(Realisation):
    line_of_sight: AntennaGains
    amplitude: float
    scattered: BlockFading

    def gains(self, block: int, subcarriers: int) -> AntennaGains:
        return self.line_of_sight + self.amplitude * self.scattered.gains(block, subcarriers)

    def pieces(self, block: int) -> Iterator[AntennaGains]:
        return (self.line_of_sight + self.amplitude * piece for piece in self.scattered.pieces(block))
