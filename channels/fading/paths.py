"""Channels given by their paths: complex amplitudes that change from block to block, and delays.

Paths are found for the first 64 blocks at once, then for the expected number, up to 1024, then for twice as many
whenever they do not suffice. They are kept in the cache (``cache``), by a digest of all that they depend on, the code
of this folder among it.
"""

import abc
import contextlib
import functools
import hashlib
import math
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, ClassVar, NamedTuple

import numpy as np

from .. import cache
from ..array_types import AntennaGains, PerWorker, WorkerGains, WorkerIndices
from .fading_model import Realisation
from .layout import Layout
from .plane_waves import Motion

FIRST_BLOCKS, MOST_EXPECTED = 64, 1024
"""Number of blocks whose paths are found first, and largest expected number."""
LEAST_DB = -250.0
"""Path gain below which a place counts as not reached [dB]."""


class Paths(NamedTuple):
    """Propagation paths between workers and the base station.

    Arguments:
        amplitudes: complex, whose squares are power gains, in single precision. [workers, antennas, paths, blocks].
        delays_s: delays of the paths [s]. Shape [workers, paths].
        places: locations of the workers, x, y, z [m]. Shape [workers, 3].
        server: location of the base station, x, y, z [m]. Shape [3].
        outlines: buildings seen from above [m], closed polygons with NaN between them. Shape [corners, 2].
    """

    amplitudes: np.ndarray
    delays_s: np.ndarray
    places: np.ndarray
    server: np.ndarray
    outlines: np.ndarray = np.empty((0, 2))

    @property
    def gain_db(self) -> PerWorker:
        """Mean path gain over the first blocks and the antennas [dB]; -inf without paths."""
        power = np.sum(np.abs(self.amplitudes[..., :FIRST_BLOCKS]) ** 2, axis=2).mean(axis=(1, 2))
        with np.errstate(divide="ignore"):
            return 10 * np.log10(power)

    @classmethod
    def read(cls, path: Path) -> "Paths":
        """Read paths from a .npz that ``write`` has written, and the amplitudes from the .npy beside it."""
        by_block = np.load(path.with_suffix(".npy"), allow_pickle=False)
        with np.load(path, allow_pickle=False) as arrays:
            return cls(np.moveaxis(by_block, 0, -1), *(arrays[name] for name in cls._fields[1:]))

    def write(self, path: Path) -> None:
        """Write the amplitudes block by block to a .npy, and the rest to a .npz beside it, each whole or not at all."""
        by_name = self._asdict()
        by_block = np.moveaxis(by_name.pop("amplitudes"), -1, 0)
        path.parent.mkdir(parents=True, exist_ok=True)
        # A .npy is read several times as fast as a part of an archive.
        _write_whole(path.with_suffix(".npy"), lambda file: np.save(file, by_block))
        _write_whole(path, lambda file: np.savez(file, **by_name))

    def of(self, workers: WorkerIndices) -> "Paths":
        """Return the paths of some workers, with the amplitudes of a coherence block contiguous in memory."""
        by_block = np.ascontiguousarray(np.moveaxis(self.amplitudes[workers], -1, 0))
        found = self._replace(delays_s=self.delays_s[workers], places=self.places[workers])
        return found._replace(amplitudes=np.moveaxis(by_block, 0, -1))


@functools.cache
def _code() -> str:
    """Return a digest of the code that finds paths, with which paths may change."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _write_whole(path: Path, write: Callable[[BinaryIO], None]) -> None:
    import tempfile

    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
        write(file)  # pyright: ignore[reportArgumentType]
    os.replace(file.name, path)


class Traced(Realisation):
    """Channels by propagation paths of the first workers that are reached, relative to their median path gain."""

    paths: Paths

    def __init__(self, model: "FoundFading", layout: Layout, seed: np.random.SeedSequence) -> None:
        from importlib.metadata import version

        self.model, self.layout = model, layout
        self.seed = int(seed.generate_state(1)[0] >> 1)
        self.key = f"{_code()} {version('sionna')} {model} {layout} {self.seed}"
        self.count, self.expected, self.turned = FIRST_BLOCKS, 0, np.empty((0, 0, 0))
        candidates = self._kept(FIRST_BLOCKS, slice(None))
        reached = np.flatnonzero(candidates.gain_db >= max(-layout.most_loss_db, LEAST_DB))
        if len(reached) < layout.workers:
            rule = f"reaches {len(reached)} of {len(candidates.places)} places that were tried"
            raise ValueError(f"{rule}, but {layout.workers} workers need one")
        self.served, self.tried = reached[: layout.workers], len(candidates.places)
        self.paths = candidates.of(self.served)
        median_db = float(np.median(self.paths.gain_db))
        self.reference_db = median_db if model.reference_db is None else model.reference_db

    def expect(self, blocks: float) -> None:
        self.expected = min(blocks, MOST_EXPECTED)

    def gains(self, block: int, subcarriers: int) -> AntennaGains:
        if self.turned.shape[-1] != subcarriers:
            self.turned = self._turned(self.paths.delays_s, np.arange(subcarriers))
        return self._amplitudes(block) @ self.turned

    def split(self, block: int, workers: np.ndarray, each: int) -> AntennaGains:
        bands = np.arange(len(workers) * each).reshape(len(workers), 1, each)
        return self._amplitudes(block)[workers] @ self._turned(self.paths.delays_s[workers], bands)

    def echoes(self, block: int, times_s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        gains = self._amplitudes(block)[..., None] / 10 ** (self.reference_db / 20)
        return np.broadcast_to(gains, (*gains.shape[:-1], len(times_s))), self.paths.delays_s

    def _amplitudes(self, block: int) -> np.ndarray:
        """Return the amplitudes of a block, found now if necessary. Shape [workers, antennas, paths]."""
        if block >= self.count:
            self.count = self._enough(max(block + 1, self.expected))
            self.paths = self._kept(self.count, self.served).of(slice(None))
        return self.paths.amplitudes[..., block]

    def _turned(self, delays_s: np.ndarray, subcarriers: np.ndarray) -> np.ndarray:
        """Return the phase factors of paths on subcarriers, over the reference. Shape [..., paths, subcarriers]."""
        frequencies = self.layout.spacing_hz * subcarriers
        return np.exp(-2j * np.pi * delays_s[..., None] * frequencies) / 10 ** (self.reference_db / 20)

    def memory(self, subcarriers: int, blocks: float) -> float:
        *_, paths, _ = self.paths.amplitudes.shape
        links = self.layout.antennas * (2 * self.tried + self.layout.workers)
        turned = 16 * self.layout.workers * paths * subcarriers
        return 8 * links * paths * self._enough(blocks) + 2 * turned

    def _enough(self, blocks: float) -> int:
        """Return the number of blocks to be found, so that there are at least as many as given."""
        return self.count * 2 ** max(0, math.ceil(math.log2(max(blocks, 1) / self.count)))

    @property
    def power(self) -> WorkerGains:
        """Mean |h|² of each worker over the first 64 coherence blocks and the antennas, relative to the reference."""
        return 10 ** ((self.paths.gain_db - self.reference_db) / 10)

    def _kept(self, blocks: int, workers: WorkerIndices) -> Paths:
        """Return the paths of some workers in the first blocks, from the cache or found now."""
        folder = cache.folder("channels") if self.model.kept else None
        name = hashlib.sha256(f"{self.key} {blocks}".encode()).hexdigest()[:32]
        path = folder / f"{name}.npz" if folder else None
        with contextlib.suppress(Exception):  # the file is missing or damaged
            if path:
                return Paths.read(path)
        with one_search:
            paths = self.model.found(self.layout, self.seed, blocks).of(workers)
        with contextlib.suppress(OSError):
            if path:
                paths.write(path)
        return paths


one_search = threading.Lock()
"""Lock on the search for paths, as Sionna has one seed for the whole process."""
os.register_at_fork(after_in_child=lambda: globals().update(one_search=threading.Lock()))  # a lost thread may hold it


@dataclass(frozen=True)
class FoundFading(Motion, abc.ABC):
    """Base of fading models whose propagation paths a library finds.

    Its ``reference_db`` is the path gain that counts as mean square 1 [dB]; None: the median of the workers.
    """

    correlated: ClassVar[bool] = True
    costly: ClassVar[bool] = True
    reference_db: ClassVar[float | None] = None

    @property
    def kept(self) -> bool:
        """True where found paths are kept on the disk for later: not those of a user's model, whose code may change."""
        return type(self).__module__.startswith(f"{__package__}.")

    def realise(self, layout: Layout, seed: np.random.SeedSequence) -> Realisation:
        """Return the channels of the workers of a layout under a seed.

        Raises:
            ImportError: Sionna, or LLVM under its ray tracer, cannot be loaded.
            ValueError: a parameter is out of its range, or too few places are reached.
        """
        return Traced(self, layout, seed)

    @abc.abstractmethod
    def found(self, layout: Layout, seed: int, blocks: int) -> Paths:
        """Return the propagation paths of all tried places in the first blocks; draws do not depend on their number."""
