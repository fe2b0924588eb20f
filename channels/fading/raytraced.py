"""Channels by ray tracing in a scene of buildings, by Sionna RT.

In the simulation the base station transmits and workers receive. By reciprocity this is the same channel, and it takes
one launch of rays in place of one for each worker. Workers are outdoors at walking height, at places that the base
station's radio map reaches, and each moves in its own direction. All antennas are isotropic and vertically polarised,
those of a side half a wavelength apart. Rays are reflected; they do not pass through walls.
"""

import contextlib
import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..errors import ParameterError
from ..registry import parameter
from .fading_model import register
from .layout import Layout
from .paths import FoundFading, Paths

SERVERS = {"munich": "8.5,21,27", "simple_street_canyon": "0,0,20", "florence": "0,0,40", "etoile": "0,0,40"}
"""Default places of the base station by scene, x,y,z in metres."""
ELSEWHERE = "0,0,30"
"""Default place of the base station in other scenes, x,y,z in metres."""
RAYS, MAP_RAYS, MAP_CELL_M = 10**5, 10**6, 5.0
"""Rays of the paths and of the radio map, and size of the radio map's cells [m]."""
HEIGHT_M, REACHED_DB = 1.5, -150.0
"""Height of workers [m], and smallest path gain of their places [dB]."""
CANDIDATES, MORE = 2, 20
"""Places that are tried for each worker, and in addition for all workers together."""
LOW_M = 1.0
"""Height, length or width up to which an object is not drawn as a building [m]."""
NO_SIONNA = 3
"""Exit code of a process that cannot load Sionna."""


@register("raytraced")
@dataclass(frozen=True)
class RaytracedFading(FoundFading):
    """Ray tracing in a scene of buildings, with Doppler shifts of moving workers.

    The SNR is that of the worker with the median path gain.
    """

    scene: str = parameter(
        "simple_street_canyon", "ray tracing: scene of Sionna, for example munich, florence, etoile or san_francisco"
    )
    scene_server: str = parameter(
        "", "ray tracing: place of the base station, as x,y,z in metres; empty: the scene's own"
    )
    max_depth: int = parameter(2, "ray tracing: largest number of reflections of a path", ge=0, le=100)
    placed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _place(self.scene_server or ELSEWHERE)

    def found(self, layout: Layout, seed: int, blocks: int) -> Paths:
        # Beside TensorFlow the ray tracer may end the process.
        import subprocess
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "paths.npz"
            words = json.dumps([asdict(self), asdict(layout), seed, blocks, str(path)])
            package = str(Path(__file__).parents[__name__.count(".")])
            where = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
            program = [sys.executable, "-P", "-c", f"from {__name__} import main; main()", words]
            ended = subprocess.run(program, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": where})
            if path.is_file():
                return Paths.read(path)
        reason = (ended.stderr.strip().splitlines() or [f"it ended with code {ended.returncode}"])[-1]
        raise (ImportError if ended.returncode == NO_SIONNA else ValueError)(reason)

    def find(self, layout: Layout, seed: int, blocks: int) -> Paths:
        """Return the paths of all tried places, more than there are workers, found in this process."""
        import sionna.rt as rt

        scene, server = self._scene(rt), np.array(_place(self.scene_server or SERVERS.get(self.scene, ELSEWHERE)))
        for side, count in (("tx_array", layout.server_antennas), ("rx_array", layout.worker_antennas)):
            setattr(scene, side, rt.PlanarArray(num_rows=1, num_cols=count, pattern="iso", polarization="V"))
        scene.add(rt.Transmitter("server", position=server.tolist()))
        places = self._places(rt, scene, CANDIDATES * layout.workers + MORE, seed)
        angles = np.random.default_rng(seed).uniform(0, 2 * np.pi, len(places))
        for number, (place, angle) in enumerate(zip(places, angles, strict=True)):
            velocity = self.speed_m_s * np.array([np.cos(angle), np.sin(angle), 0.0])
            scene.add(rt.Receiver(f"worker {number}", position=place.tolist(), velocity=velocity.tolist()))
        traced = rt.PathSolver()(scene, max_depth=self.max_depth, samples_per_src=RAYS, refraction=False, seed=1)
        rate, when = self.block_rate_hz(layout), {"num_time_steps": blocks, "normalize_delays": True}
        cir: Any = traced.cir(sampling_frequency=rate, out_type="numpy", **when)
        # [workers, their antennas, 1, the server's antennas, paths, blocks] and [workers, 1, paths]
        amplitudes, delays = cir
        whole = np.moveaxis(amplitudes[:, :, 0], 2, 1).reshape(len(places), -1, *amplitudes.shape[-2:])
        return Paths(whole, np.maximum(delays[:, 0], 0.0), places, server, _outlines(scene))

    def _scene(self, rt: Any) -> Any:
        import difflib

        path = getattr(rt.scene, self.scene, None)
        if not str(path).endswith(".xml"):
            known = sorted(name for name, value in vars(rt.scene).items() if str(value).endswith(".xml"))
            close = difflib.get_close_matches(self.scene, known, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ParameterError("scene", self.scene, f"must be one of Sionna's scenes, {', '.join(known)}{hint}")
        scene = rt.load_scene(path)
        scene.frequency = self.carrier_hz
        return scene

    def _places(self, rt: Any, scene: Any, count: int, seed: int) -> np.ndarray:
        """Draw places that the radio map reaches, at walking height [m]. Shape [count, 3]."""
        cells = {"cell_size": (MAP_CELL_M, MAP_CELL_M), "samples_per_tx": MAP_RAYS, "max_depth": self.max_depth}
        reached = rt.RadioMapSolver()(scene, refraction=False, seed=1, **cells)
        try:
            given = {"metric": "path_gain", "min_val_db": REACHED_DB, "seed": seed % 2**31}
            places, _ = reached.sample_positions(num_pos=count, **given)
        except Exception as error:
            raise ParameterError("scene", self.scene, f"the base station reaches no place ({error})") from None
        places = np.array(places)[0].astype(float)
        return np.concatenate([places[:, :2], np.full((len(places), 1), HEIGHT_M)], axis=1)


def _place(text: str) -> list[float]:
    """Return the coordinates of a place, "x,y,z" [m]."""
    with contextlib.suppress(ValueError):
        place = [float(part) for part in text.split(",")]
        if len(place) == 3 and np.isfinite(place).all():
            return place
    raise ParameterError("scene_server", text, "must be three numbers of metres, x,y,z")


def _outlines(scene: Any) -> np.ndarray:
    """Return the convex hulls of a scene's objects, seen from above. Shape [corners, 2], with NaN between them."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import ConvexHull

    polygons = [np.empty((0, 2))]
    for shape in scene.mi_scene.shapes():
        corners = np.array(shape.vertex_positions_buffer()).reshape(-1, 3)
        _, corner = np.unique(corners.round(2), axis=0, return_inverse=True)
        faces = corner.reshape(-1)[np.array(shape.faces_buffer()).reshape(-1, 3)]
        edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]]])
        joined = coo_array((np.ones(len(edges)), edges.T), shape=(len(corners), len(corners)))
        _, part = connected_components(joined, directed=False)
        for number in np.unique(part[faces[:, 0]]):
            body = corners[part[corner.reshape(-1)] == number]
            if np.ptp(body, axis=0).min() > LOW_M:
                hull = body[ConvexHull(body[:, :2]).vertices, :2]
                polygons += [hull, hull[:1], np.full((1, 2), np.nan)]
    return np.concatenate(polygons)


def main() -> None:
    """Find paths by a JSON list: parameters, fields of ``Layout``, seed, number of blocks, and path of the .npz."""
    model, layout, seed, blocks, path = json.loads(sys.argv[1])
    try:
        paths = RaytracedFading(**model).find(Layout(**layout), seed, blocks)
    except (ImportError, ValueError) as error:
        print(error, file=sys.stderr)
        sys.exit(NO_SIONNA if isinstance(error, ImportError) else 1)
    paths.write(Path(path))
