"""Paths that are clusters of rays, of 3GPP TR 38.901 by Sionna: block by block, and ray by ray for motion within one.

A fault of Sionna 1.2 is corrected (``turn_at_workers``): it turns rays of an uplink as if the base station moved.
"""

import abc
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from ..array_types import AntennaGains
from . import paths
from .interpolation import interpolated
from .layout import Layout
from .paths import FoundFading, Paths, Traced

RAYS, LARGEST = 480, 2**24
"""Approximate number of rays of a link, and largest number of gains of rays that are computed at once."""
OF_CLUSTER = 20
"""Rays of a cluster; its line of sight comes after them."""

Sample: TypeAlias = Callable[[Any, int], tuple[np.ndarray, np.ndarray]]
"""Function that returns amplitudes and delays of the paths of a Sionna model with so many workers, as it has them."""


class Rays(NamedTuple):
    """Plane waves of which the paths of workers consist.

    Arguments:
        amplitudes: complex amplitudes at the start of the first block. Shape [workers, antennas, paths, rays].
        shifts_hz: Doppler shifts. Shape [workers, paths, rays].
    """

    amplitudes: np.ndarray
    shifts_hz: np.ndarray

    @classmethod
    def of(cls, samples: np.ndarray, later_s: float) -> "Rays":
        """Return the rays of paths of which each is alone in a sample, and once more at a later time [s]."""
        now, later = np.split(samples, 2, axis=-1)
        return cls(now, np.angle(np.sum(later * now.conj(), axis=1)) / (2 * np.pi * later_s))

    def at(self, times_s: np.ndarray) -> np.ndarray:
        """Return the amplitudes of paths at some times [s]. Shape [workers, antennas, paths, times]."""
        amplitudes, shifts_hz = self.amplitudes.swapaxes(1, 2), self.shifts_hz[..., None]
        of_workers = zip(amplitudes, shifts_hz, strict=True)
        turned = [now @ np.exp(2j * np.pi * shift_hz * times_s) for now, shift_hz in of_workers]
        return np.stack(turned).swapaxes(1, 2)


class Clusters(Traced):
    """Channels by clusters of rays, which move within a block, too."""

    model: "ClusterFading"

    @functools.cached_property
    def rays(self) -> Rays:
        with paths.one_search:
            rays = self.model.rays(self.layout, self.seed)
        return Rays(*(part[self.served] for part in rays))

    def moving(self, block: int, subcarriers: int, step_s: float, steps: np.ndarray) -> AntennaGains:
        turned = self._turned(self.paths.delays_s, np.arange(subcarriers)).astype(np.complex64)

        def gains(times_s: np.ndarray) -> AntennaGains:
            amplitudes = self.rays.at(block / self.block_rate_hz + times_s).astype(np.complex64)
            return amplitudes.swapaxes(2, 3) @ turned[:, None]

        return interpolated(gains, step_s * steps, self.model.doppler_hz)

    def echoes(self, block: int, times_s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not times_s.any():  # what stands still are Sionna's paths of this block
            return super().echoes(block, times_s)
        amplitudes = self.rays.at(block / self.block_rate_hz + times_s)
        return amplitudes / 10 ** (self.reference_db / 20), self.paths.delays_s

    @property
    def block_rate_hz(self) -> float:
        return self.model.block_rate_hz(self.layout)


@dataclass(frozen=True)
class ClusterFading(FoundFading):
    """Base of models whose paths are clusters of rays."""

    moves: ClassVar[bool] = True

    def realise(self, layout: Layout, seed: np.random.SeedSequence) -> Clusters:
        return Clusters(self, layout, seed)

    @abc.abstractmethod
    def drawn(self, layout: Layout, seed: int, sample: Sample) -> Paths:
        """Return the paths of all tried places, as they are sampled from a model of Sionna."""

    def found(self, layout: Layout, seed: int, blocks: int) -> Paths:
        def sample(model: Any, workers: int) -> tuple[np.ndarray, np.ndarray]:
            turn_at_workers(model)
            in_parts(model, workers * layout.antennas)
            return sampled(model, workers, blocks, self.block_rate_hz(layout))

        return self.drawn(layout, seed, sample)

    def rays(self, layout: Layout, seed: int) -> Rays:
        """Return the rays of all tried places."""
        later_s = 1 / (4 * max(self.doppler_hz, 1e-9))

        def sample(model: Any, workers: int) -> tuple[np.ndarray, np.ndarray]:
            turn_at_workers(model)
            ray_by_ray(model, later_s)
            in_parts(model, workers * layout.antennas)
            return sampled(model, workers, 2 * (OF_CLUSTER + 1), 1.0)

        return Rays.of(self.drawn(layout, seed, sample).amplitudes, later_s)


def sampled(model: Any, workers: int, count: int, rate_hz: float) -> tuple[np.ndarray, np.ndarray]:
    """Return amplitudes and delays of a Sionna model at successive samples."""
    amplitudes, delays = model(workers, count, rate_hz)
    return amplitudes.numpy(), delays.numpy()


def antenna_arrays(layout: Layout, carrier_hz: float, at_server: str) -> dict[str, Any]:
    """Return Sionna's antenna arrays of both ends of a link, with its name of the pattern at the server."""
    from sionna.phy.channel.tr38901 import AntennaArray

    kind = {"polarization": "single", "polarization_type": "V", "carrier_frequency": carrier_hz, "num_rows": 1}
    ends = (layout.worker_antennas, "omni"), (layout.server_antennas, at_server)
    worker, server = (AntennaArray(num_cols=count, antenna_pattern=pattern, **kind) for count, pattern in ends)
    return {"ut_array": worker, "bs_array": server}


def in_parts(model: Any, links: int) -> None:
    """Make a Sionna model of so many links between antennas compute coherence blocks in parts, to bound its memory."""
    import tensorflow as tf

    sampler, most = model._cir_sampler, 2 ** max(0, int(np.log2(LARGEST / (RAYS * links))))
    whole = sampler._step_11

    def in_turn(phi: Any, topology: Any, k_factor: Any, rays: Any, times: Any, spread: Any) -> tuple[Any, Any]:
        some = [times[start : start + most] for start in range(0, len(times), most)]
        parts = [whole(phi, topology, k_factor, rays, part, spread) for part in some]
        return tf.concat([amplitudes for amplitudes, _ in parts], axis=-1), parts[0][1]

    sampler._step_11 = in_turn


def turn_at_workers(model: Any) -> None:
    """Make rays turn by their angles at workers, which move, called departure; Sionna takes those of arrival."""
    sampler, departure = model._cir_sampler, {}
    whole, turned = sampler._step_11, sampler._step_11_doppler_matrix

    def noting(phi: Any, topology: Any, k_factor: Any, rays: Any, times: Any, spread: Any) -> tuple[Any, Any]:
        departure[OF_CLUSTER] = rays.aod, rays.zod
        departure[1] = topology.los_aod[..., None, None], topology.los_zod[..., None, None]
        return whole(phi, topology, k_factor, rays, times, spread)

    def at_workers(topology: Any, aoa: Any, zoa: Any, times: Any) -> Any:
        return turned(topology, *departure[aoa.shape[-1]], times)

    sampler._step_11, sampler._step_11_doppler_matrix = noting, at_workers


def ray_by_ray(model: Any, later_s: float) -> None:
    """Make a Sionna model return one ray of each cluster in a sample, then all once more at a later time [s]."""
    import tensorflow as tf

    sampler = model._cir_sampler
    turned = sampler._step_11_doppler_matrix

    def alone(topology: Any, aoa: Any, zoa: Any, numbers: Any) -> Any:
        count, later = aoa.shape[-1], tf.cast(numbers > OF_CLUSTER, sampler.rdtype)
        place = tf.cast(numbers, tf.int32) % (OF_CLUSTER + 1) - (OF_CLUSTER if count == 1 else 0)
        chosen = tf.one_hot(place, count, axis=0, dtype=sampler.cdtype)
        return chosen * turned(topology, aoa, zoa, later_s * later)

    sampler._step_11_doppler_matrix = alone
