"""Rayleigh fading with correlation in time (Jakes, Clarke)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..array_types import AntennaGains
from ..random_streams import persistent
from .fading_model import Realisation, register
from .interpolation import interpolated
from .layout import Layout
from .plane_waves import TAKEN, WAVES, Motion, Waves


@register("jakes")
@dataclass(frozen=True)
class JakesFading(Motion):
    """Rayleigh fading, independent over workers and subcarriers, with correlation J0(2πf_D·t) in time, f_D = v·f_c/c.

    J0 is the Bessel function of order 0, f_D the largest Doppler shift, v the speed of workers, f_c the carrier
    frequency, and c the speed of light. Source: Clarke's model as a sum of 20 plane waves
    (``channels.fading.plane_waves``).
    """

    rayleigh: ClassVar[bool] = True
    moves: ClassVar[bool] = True

    def realise(self, layout: Layout, seed: np.random.SeedSequence) -> Realisation:
        return _Jakes(layout, seed, self.periods(layout), self.doppler_hz)


class _Jakes(Realisation):
    def __init__(self, layout: Layout, seed: np.random.SeedSequence, periods: float, doppler_hz: float) -> None:
        self.layout, self.seed, self.periods, self.doppler_hz = layout, seed, periods, doppler_hz
        self.width, self.waves = 0, self._waves(0)

    def _waves(self, subcarriers: int) -> Waves:
        """Return the waves of the first subcarriers, drawn one subcarrier after the other."""
        angles = persistent(self.seed).uniform(0, 2 * np.pi, (subcarriers, *self.layout.links, 2, WAVES))
        return Waves(np.moveaxis(angles, (3, 4, 0), (0, 1, -1)), self.periods)

    def _wide(self, subcarriers: int) -> Waves:
        """Return the waves of at least so many subcarriers, drawn now if necessary."""
        if subcarriers > self.width:
            self.width, self.waves = subcarriers, self._waves(subcarriers)
        return self.waves

    def gains(self, block: int, subcarriers: int) -> AntennaGains:
        return self._wide(subcarriers).gains(block)[..., :subcarriers].astype(complex)

    def moving(self, block: int, subcarriers: int, step_s: float, steps: np.ndarray) -> np.ndarray:
        waves = self._wide(subcarriers)

        def gains(times_s: np.ndarray) -> np.ndarray:
            return np.moveaxis(waves.within(block, self.doppler_hz * times_s), 0, 2)[..., :subcarriers]

        return interpolated(gains, step_s * steps, self.doppler_hz)

    def memory(self, subcarriers: int, blocks: float) -> float:
        return TAKEN * self.layout.workers * self.layout.antennas * subcarriers
