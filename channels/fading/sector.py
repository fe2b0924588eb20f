"""System-level channels of 3GPP TR 38.901 in a sector of 120 degrees: urban micro, urban macro, rural macro; by Sionna.

Workers are uniform in the sector, outdoors, at walking height, and each moves in its own direction. Path loss,
shadowing and other large-scale parameters belong to their places. The base station has a panel of vertically polarised
antennas, half a wavelength apart, with the pattern of TR 38.901; workers have isotropic antennas. Two faults of Sionna
1.2 are corrected (``as_specified``): path loss by the distance on the ground, and the offset of one ray.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .clusters import ClusterFading, Sample, antenna_arrays
from .fading_model import register
from .layout import Layout
from .paths import Paths

CANDIDATES = 3
"""Places that are tried for each worker where the coupling loss is bounded."""


@dataclass(frozen=True)
class Sector(ClusterFading):
    """Base of fading in a sector of 120 degrees by 3GPP TR 38.901, with the locations of the workers."""

    scenario: ClassVar[str] = ""
    """Name of Sionna's class of the propagation scenario."""
    with_buildings: ClassVar[bool] = True
    """True where Sionna's class needs a model of penetration loss, although no worker is indoors."""
    placed: ClassVar[bool] = True

    def drawn(self, layout: Layout, seed: int, sample: Sample) -> Paths:
        import sionna.phy
        from sionna.phy.channel import gen_single_sector_topology

        sionna.phy.config.seed = seed
        candidates = layout.workers * (CANDIDATES if np.isfinite(layout.most_loss_db) else 1)
        speed = {"min_ut_velocity": self.speed_m_s, "max_ut_velocity": self.speed_m_s}
        topology = gen_single_sector_topology(1, candidates, self.scenario.lower(), indoor_probability=0.0, **speed)
        model = as_specified(self._model(layout))
        model.set_topology(*topology)
        amplitudes, delays = sample(model, candidates)
        moved = np.moveaxis(amplitudes[0, 0], 1, 0)  # [workers, antennas of the server, of a worker, paths, samples]
        whole = moved.reshape(candidates, -1, *moved.shape[-2:])
        return Paths(whole, delays[0, 0], topology[0].numpy()[0], topology[1].numpy()[0, 0])

    def _model(self, layout: Layout) -> Any:
        from sionna.phy.channel import tr38901

        ends = antenna_arrays(layout, self.carrier_hz, at_server="38.901")
        kind, into = getattr(tr38901, self.scenario), {"o2i_model": "low"} if self.with_buildings else {}
        return kind(carrier_frequency=self.carrier_hz, direction="uplink", **ends, **into)


def as_specified(model: Any) -> Any:
    """Correct two faults of a Sionna model against TR 38.901, before its topology is set, and return the model.

    Path loss is by the distance in space (table 7.4.1-1; Sionna issue 1100), and rays are in pairs on either side of
    their cluster's angle (table 7.5-3; Sionna issue 1107). Results of a model without these faults are unchanged.
    """
    import tensorflow as tf

    scenario, rays = model._scenario, model._ray_sampler
    in_space = {"distance_3d": property(lambda self: self._distance_3d)}
    scenario.__class__ = type(type(scenario).__name__, (type(scenario),), in_space)
    one_side = rays._ray_offsets[::2]
    rays._ray_offsets = tf.reshape(tf.stack([one_side, -one_side], axis=1), [-1])
    return model


@register("umi")
@dataclass(frozen=True)
class UmiFading(Sector):
    """Urban micro of 3GPP TR 38.901, by Sionna: a sector with base stations 200 m apart, 10 m high.

    The SNR is that of the worker with the median path gain.
    """

    scenario: ClassVar[str] = "UMi"


@register("uma")
@dataclass(frozen=True)
class UmaFading(Sector):
    """Urban macro of 3GPP TR 38.901, by Sionna: a sector with base stations 500 m apart, 25 m high.

    The SNR is that of the worker with the median path gain.
    """

    scenario: ClassVar[str] = "UMa"


@register("rma")
@dataclass(frozen=True)
class RmaFading(Sector):
    """Rural macro of 3GPP TR 38.901, by Sionna: a sector with base stations 5 km apart, 35 m high.

    The SNR is that of the worker with the median path gain.
    """

    scenario: ClassVar[str] = "RMa"
    with_buildings: ClassVar[bool] = False
