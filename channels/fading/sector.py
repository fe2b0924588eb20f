"""System-level channels of 3GPP TR 38.901 in a sector of 120 degrees: urban micro, urban macro, rural macro; by Sionna.

Workers are uniform in the sector, outdoors, at walking height, moving in a direction of their own; path loss, shadowing
and all that lasts belong to their places. The base station has a panel of vertically polarised antennas, half a
wavelength apart, with the pattern of TR 38.901; workers have isotropic ones. Two faults of Sionna 1.2 are put right
(``as_specified``): path loss by the distance on the ground, and one offset of a ray.
"""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from channels.fading.paths import FoundFading, Paths
from channels.fading.protocol import Layout, register

CANDIDATES = 3
"""Places that are tried for each worker where not every place is served."""
PATTERN = {"server": "38.901", "worker": "omni"}
RAYS, LARGEST = 480, 2**24
"""About as many rays has a link, and gains of rays in all blocks that are computed at once."""


@dataclass(frozen=True)
class Sector(FoundFading):
    """What the three have in common."""

    scenario: ClassVar[str] = ""
    """Name of Sionna's class for it."""
    with_buildings: ClassVar[bool] = True
    """True where Sionna asks how far waves get into buildings, though no worker is in one."""
    placed: ClassVar[bool] = True

    def found(self, layout: Layout, seed: int, blocks: int) -> Paths:
        """The paths of the first so many blocks: random draws do not depend on their number."""
        import sionna.phy
        from sionna.phy.channel import gen_single_sector_topology

        sionna.phy.config.seed = seed
        candidates = layout.workers * (CANDIDATES if np.isfinite(layout.most_loss_db) else 1)
        speed = {"min_ut_velocity": self.speed_m_s, "max_ut_velocity": self.speed_m_s}
        topology = gen_single_sector_topology(1, candidates, self.scenario.lower(), indoor_probability=0.0, **speed)
        model = as_specified(self._model(layout))
        model.set_topology(*topology)
        in_parts(model, candidates * layout.antennas)
        amplitudes, delays = (
            part.numpy() for part in model(num_time_samples=blocks, sampling_frequency=self.block_rate_hz(layout))
        )
        moved = np.moveaxis(amplitudes[0, 0], 1, 0)  # [workers, antennas of the server, of a worker, paths, blocks]
        whole = moved.reshape(candidates, -1, *moved.shape[-2:])
        return Paths(whole, delays[0, 0], topology[0].numpy()[0], topology[1].numpy()[0, 0])

    def _model(self, layout: Layout) -> Any:
        from sionna.phy.channel import tr38901

        ends = {"ut_array": self._array(layout, "worker"), "bs_array": self._array(layout, "server")}
        kind, into = getattr(tr38901, self.scenario), {"o2i_model": "low"} if self.with_buildings else {}
        return kind(carrier_frequency=self.carrier_hz, direction="uplink", **ends, **into)

    def _array(self, layout: Layout, end: str) -> Any:
        from sionna.phy.channel.tr38901 import PanelArray

        several = layout.at_server == (end == "server")
        return PanelArray(
            num_rows_per_panel=1,
            num_cols_per_panel=layout.antennas if several else 1,
            polarization="single",
            polarization_type="V",
            antenna_pattern=PATTERN[end],
            carrier_frequency=self.carrier_hz,
        )


def as_specified(model: Any) -> Any:
    """Correct a model of Sionna before its topology is set, where it departs from TR 38.901; return it.

    Path loss goes by the distance in space (table 7.4.1-1; Sionna issue 1100), and rays come in pairs on either side of
    their cluster's angle (table 7.5-3; Sionna issue 1107). A model that has both right stays as it is.
    """
    import tensorflow as tf

    scenario, rays = model._scenario, model._ray_sampler
    if _on_the_ground(type(scenario)):
        scenario.__class__ = _in_space(type(scenario))
    one_side = rays._ray_offsets[::2]
    rays._ray_offsets = tf.reshape(tf.stack([one_side, -one_side], axis=1), [-1])
    return model


def _on_the_ground(scenario: type) -> bool:
    """Tell whether a scenario returns the distance on the ground, here 3, for that in space, here 5."""
    return scenario.distance_3d.fget(SimpleNamespace(_distance_2d=3.0, _distance_3d=5.0)) == 3.0


def _in_space(scenario: type) -> type:
    """Scenario of Sionna whose distance in space is as it computes it, and not that on the ground."""
    return type(scenario.__name__, (scenario,), {"distance_3d": property(lambda self: self._distance_3d)})


def in_parts(model: Any, links: int) -> None:
    """Let a model of Sionna compute some blocks after the other: all of them at once, with 20 rays of each cluster,
    would take many times the memory of the paths."""
    import tensorflow as tf

    sampler, most = model._cir_sampler, 2 ** max(0, int(np.log2(LARGEST / (RAYS * links))))
    whole = sampler._step_11

    def in_turn(phi: Any, topology: Any, k_factor: Any, rays: Any, times: Any, spread: Any) -> tuple[Any, Any]:
        some = [times[start : start + most] for start in range(0, len(times), most)]
        parts = [whole(phi, topology, k_factor, rays, part, spread) for part in some]
        return tf.concat([amplitudes for amplitudes, _ in parts], axis=-1), parts[0][1]

    sampler._step_11 = in_turn


@register("umi")
@dataclass(frozen=True)
class UmiFading(Sector):
    """Urban micro of 3GPP TR 38.901, by Sionna: a sector of a cell 200 m apart from the next, base station at 10 m. The
    SNR is that of the worker with the median path gain."""

    scenario: ClassVar[str] = "UMi"


@register("uma")
@dataclass(frozen=True)
class UmaFading(Sector):
    """Urban macro of 3GPP TR 38.901, by Sionna: a sector of a cell 500 m apart from the next, base station at 25 m. The
    SNR is that of the worker with the median path gain."""

    scenario: ClassVar[str] = "UMa"


@register("rma")
@dataclass(frozen=True)
class RmaFading(Sector):
    """Rural macro of 3GPP TR 38.901, by Sionna: a sector of a cell 5 km apart from the next, base station at 35 m. The
    SNR is that of the worker with the median path gain."""

    scenario: ClassVar[str] = "RMa"
    with_buildings: ClassVar[bool] = False
