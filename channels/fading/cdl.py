"""Clustered delay lines of 3GPP TR 38.901 by Sionna: taps with angles, and correlated antennas."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..registry import parameter
from .clusters import ClusterFading, Sample, antenna_arrays
from .fading_model import register
from .layout import Layout
from .paths import Paths
from .tdl import DELAY_SPREAD, MODELS, SIGHT, Model


@register("cdl")
@dataclass(frozen=True)
class CdlFading(ClusterFading):
    """Clustered delay lines A to E of 3GPP TR 38.901, by Sionna: a cluster of waves for each tap, from given angles.

    Antennas of a side are half a wavelength apart. Every worker has its own waves and phase, with gains of mean square
    1, but all workers are in the same direction.
    """

    cdl_model: Model = parameter("C", f"clustered delay line of TR 38.901: {SIGHT}", choices=MODELS)
    delay_spread_s: float = parameter(300e-9, **DELAY_SPREAD)

    reference_db: ClassVar[float | None] = 0.0
    one_direction: ClassVar[bool] = True

    def drawn(self, layout: Layout, seed: int, sample: Sample) -> Paths:
        import sionna.phy
        from sionna.phy.channel.tr38901 import CDL

        sionna.phy.config.seed = seed
        line = CDL(
            self.cdl_model,
            self.delay_spread_s,
            self.carrier_hz,
            direction="uplink",
            min_speed=self.speed_m_s,
            **antenna_arrays(layout, self.carrier_hz, at_server="omni"),
        )
        amplitudes, delays = sample(line, layout.workers)
        phases = np.random.default_rng(seed).uniform(0, 2 * np.pi, layout.workers)
        turn = np.exp(1j * phases)[:, None, None, None].astype(amplitudes.dtype)
        whole = turn * amplitudes.reshape(layout.workers, -1, *amplitudes.shape[-2:])
        nowhere = np.zeros((layout.workers, 3))
        return Paths(whole, delays.reshape(layout.workers, -1, delays.shape[-1])[:, 0], nowhere, nowhere[0])
