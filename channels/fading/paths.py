"""Channels that are given by their paths: complex amplitudes that move from block to block, and delays.

Whoever finds the paths of many blocks at once, as Sionna does, finds those of the first 64 blocks, then of as many as
are expected, up to 1024, and of twice as many whenever they do not suffice; they are kept in the cache (``cache``), by
a digest of all that they depend on. What that needs is imported there, so that a start of the command line does not
wait for it.
"""

import abc
import contextlib
import hashlib
import math
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from channels import cache
from channels.fading.plane_waves import Motion
from channels.fading.protocol import Layout, Realisation

FIRST_BLOCKS, MOST_EXPECTED = 64, 1024
VERSION = 5
"""Raised where paths are found in another way than before."""


class Paths(NamedTuple):
    """Paths of workers that a base station may serve.

    Arguments:
        amplitudes: complex, in single precision. Shape [workers, antennas, paths, blocks].
        delays_s: shape [workers, paths].
        places: metres from the base station, or in a scene. Shape [workers, 3].
        server: where the base station is. Shape [3].
        outlines: buildings seen from above, closed polygons with NaN between them. Shape [corners, 2].
    """

    amplitudes: np.ndarray
    delays_s: np.ndarray
    places: np.ndarray
    server: np.ndarray
    outlines: np.ndarray = np.empty((0, 2))

    @property
    def gain_db(self) -> np.ndarray:
        """Mean path gain over the first blocks and the antennas; -inf of whom nothing reaches. Shape [workers]."""
        power = np.sum(np.abs(self.amplitudes[..., :FIRST_BLOCKS]) ** 2, axis=2).mean(axis=(1, 2))
        with np.errstate(divide="ignore"):
            return 10 * np.log10(power)

    @classmethod
    def read(cls, path: Path) -> "Paths":
        """Those that ``write`` has written."""
        by_block = np.load(path.with_suffix(".npy"), allow_pickle=False)
        with np.load(path, allow_pickle=False) as held:
            return cls(np.moveaxis(by_block, 0, -1), *(held[name] for name in cls._fields[1:]))

    def write(self, path: Path) -> None:
        """Write a file .npy of amplitudes, block by block, which is read several times as fast as a part of an archive,
        and after it one .npz of all else by these names, each whole or not at all."""
        by_name = self._asdict()
        by_block = np.moveaxis(by_name.pop("amplitudes"), -1, 0)
        path.parent.mkdir(parents=True, exist_ok=True)
        _keep(path.with_suffix(".npy"), lambda file: np.save(file, by_block))
        _keep(path, lambda file: np.savez(file, **by_name))

    def of(self, workers: np.ndarray | slice) -> "Paths":
        """Those of some workers, what belongs to a block side by side in memory."""
        amplitudes, delays_s, places, *rest = self
        by_block = np.ascontiguousarray(np.moveaxis(amplitudes[workers], -1, 0))
        return Paths(np.moveaxis(by_block, 0, -1), delays_s[workers], places[workers], *rest)


class Traced(Realisation):
    """The channels of the first workers that are reached, over the path gain of the median among them.

    Arguments:
        model: what finds paths.
        layout: how many workers are served, and with which loss at most.
        seed: of the channels.

    Raises:
        ImportError: Sionna is not installed, or cannot be loaded.
        ValueError: too few are reached.
    """

    def __init__(self, model: "FoundFading", layout: Layout, seed: np.random.SeedSequence) -> None:
        from importlib.metadata import version

        self.model, self.layout = model, layout
        self.seed = int(seed.generate_state(1)[0] >> 1)
        self.key = f"{VERSION} {version('sionna')} {model} {layout} {self.seed}"
        self.count, self.expected, self.turned = FIRST_BLOCKS, 0, np.empty((0, 0, 0))
        candidates = self._kept(FIRST_BLOCKS, slice(None))
        reached = np.flatnonzero(candidates.gain_db >= max(-layout.most_loss_db, LEAST_DB))
        if len(reached) < layout.workers:
            rule = f"reaches {len(reached)} of {len(candidates.places)} places that were tried, and there are to be"
            raise ValueError(f"{rule} {layout.workers} workers")
        self.served, self.tried = reached[: layout.workers], len(candidates.places)
        self.paths = candidates.of(self.served)
        median_db = float(np.median(self.paths.gain_db))
        self.reference_db = median_db if model.reference_db is None else model.reference_db

    def expect(self, blocks: float) -> None:
        """About so many blocks will be asked for; no gain depends on it, but what it takes to find them."""
        self.expected = min(blocks, MOST_EXPECTED)

    def gains(self, block: int, subcarriers: int) -> np.ndarray:
        """Gains h. Shape [workers, antennas, subcarriers], complex."""
        if self.turned.shape[-1] != subcarriers:
            self.turned = self._turned(self.paths.delays_s, np.arange(subcarriers))
        return self._amplitudes(block) @ self.turned

    def split(self, block: int, workers: np.ndarray, each: int) -> np.ndarray:
        """Gains of some workers on subcarriers of their own, so many for each, side by side from the first on. Shape
        [workers, antennas, each]."""
        own = np.arange(len(workers) * each).reshape(len(workers), 1, each)
        return self._amplitudes(block)[workers] @ self._turned(self.paths.delays_s[workers], own)

    def _amplitudes(self, block: int) -> np.ndarray:
        """Those of a block, found now if need be. Shape [workers, antennas, paths]."""
        if block >= self.count:
            self._reach(block)
        return self.paths.amplitudes[..., block]

    def _turned(self, delays_s: np.ndarray, subcarriers: np.ndarray) -> np.ndarray:
        """What paths turn on subcarriers, over the reference. Shapes [..., paths], [..., S] to [..., paths, S]."""
        frequencies = self.layout.spacing_hz * subcarriers
        return np.exp(-2j * np.pi * delays_s[..., None] * frequencies) / 10 ** (self.reference_db / 20)

    def memory(self, subcarriers: int, blocks: float) -> float:
        """Bytes that it takes at most, beside a library that finds paths: those of all places that are tried, twice,
        and of the workers."""
        *_, paths, _ = self.paths.amplitudes.shape
        links = self.layout.antennas * (2 * self.tried + self.layout.workers)
        turned = 16 * self.layout.workers * paths * subcarriers
        return 8 * links * paths * self._enough(blocks) + 2 * turned

    def _enough(self, blocks: float) -> int:
        """Blocks of which paths are found, so that there are so many."""
        return self.count * 2 ** max(0, math.ceil(math.log2(max(blocks, 1) / self.count)))

    def _reach(self, block: int) -> None:
        """Have the paths of more blocks."""
        self.count = self._enough(max(block + 1, self.expected))
        self.paths = self._kept(self.count, self.served).of(slice(None))

    @property
    def power(self) -> np.ndarray:
        """Mean square of each worker's gains. Shape [workers]."""
        return 10 ** ((self.paths.gain_db - self.reference_db) / 10)

    def _kept(self, blocks: int, workers: np.ndarray | slice) -> Paths:
        """Paths of some workers in so many blocks, found once."""
        kept = cache.folder("channels") if self.model.kept else None
        name = hashlib.sha256(f"{self.key} {blocks}".encode()).hexdigest()[:32]
        path = kept / f"{name}.npz" if kept else None
        with contextlib.suppress(Exception):  # as it is not there, or not whole
            if path:
                return Paths.read(path)
        with _finding:
            found = self.model.found(self.layout, self.seed, blocks).of(workers)
        with contextlib.suppress(OSError):
            if path:
                found.write(path)
        return found


_finding = threading.Lock()
"""Lock on the search for paths, as the seed of Sionna is that of the process."""


def _in_fork() -> None:
    """Renew the lock, which a thread that is not in the fork may have held."""
    global _finding
    _finding = threading.Lock()


os.register_at_fork(after_in_child=_in_fork)
LEAST_DB = -250.0
"""Path gain below which nothing arrives [dB]."""


def _keep(path: Path, write: Callable[[Any], None]) -> None:
    """Write a file whole or not at all."""
    import tempfile

    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
        write(file)
    os.replace(file.name, path)


@dataclass(frozen=True)
class FoundFading(Motion, abc.ABC):
    """A model whose paths a library finds."""

    correlated: ClassVar[bool] = True
    costly: ClassVar[bool] = True
    reference_db: ClassVar[float | None] = None

    @property
    def kept(self) -> bool:
        """True where found paths are kept for the next process: not those of a user's model, whose code may change."""
        return type(self).__module__.startswith("channels.")

    def realise(self, layout: Layout, seed: np.random.SeedSequence) -> Realisation:
        """The channels of some workers.

        Raises:
            ImportError: Sionna, or LLVM under its ray tracer, cannot be loaded.
            ValueError: a parameter that is none, or too few places are reached.
        """
        return Traced(self, layout, seed)

    @abc.abstractmethod
    def found(self, layout: Layout, seed: int, blocks: int) -> Paths:
        """The paths of the first so many blocks: random draws do not depend on their number."""
