"""Interface of fading models and their realisations, and the registry of models."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..array_types import AntennaGains, WorkerGains, WorkerIndices
from ..registry import Registry

if TYPE_CHECKING:
    from .paths import Paths

FIRST_PIECE = 8
"""Subcarriers in the first piece of an endless band."""


class Realisation:
    """Channels of workers under one seed, block by block; gains do not depend on earlier calls.

    A block is a coherence block, counted from 0. Subcarriers are those from the first on. A subclass has ``gains``.
    """

    paths: "Paths | None" = None
    """Propagation paths and locations of workers and base station; None: there are none."""

    @property
    def power(self) -> WorkerGains:
        """Mean of |h|² over time, antennas and subcarriers, for each worker, or one for all."""
        return 1.0

    @property
    def most_subcarriers(self) -> float:
        """Largest number of subcarriers for which there are gains; inf: any number."""
        return math.inf

    @property
    def remark(self) -> str:
        """Remark on the channels for the user before a study; empty without one."""
        return ""

    def gains(self, block: int, subcarriers: int) -> AntennaGains:
        """Return complex gains of mean square ``power`` in a coherence block: [workers, antennas, subcarriers]."""
        raise NotImplementedError

    def moving(self, block: int, subcarriers: int, step_s: float, steps: np.ndarray) -> np.ndarray:
        """Return gains some steps [workers, times] after a block's start: [workers, antennas, times, subcarriers]."""
        raise NotImplementedError

    def of(self, block: int, subcarriers: int, workers: WorkerIndices) -> AntennaGains:
        """Return the gains of some workers in a coherence block. Shape [some workers, antennas, subcarriers]."""
        return self.gains(block, subcarriers)[workers]

    def pieces(self, block: int) -> Iterator[AntennaGains]:
        """Yield the gains of a band without end, in pieces of 8, 8, 16, 32, ... subcarriers."""
        done, count = 0, FIRST_PIECE
        while True:
            yield self.gains(block, count)[..., done:]
            done, count = count, 2 * count

    def split(self, block: int, workers: np.ndarray, each: int) -> AntennaGains:
        """Return gains of some workers on subcarriers of their own, side by side: [some workers, antennas, each]."""
        places, gains = np.arange(len(workers)), self.gains(block, each * len(workers))[workers]
        return np.moveaxis(gains.reshape(*gains.shape[:2], -1, each), 2, 1)[places, places]

    def echoes(self, block: int, times_s: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Return complex gains of paths at times since the start of a block [s], and their delays [s].

        Shape [workers, antennas, paths, times], and [workers, paths]. None: the gains come from no paths.
        """
        return None

    def memory(self, subcarriers: int, blocks: float) -> float:
        """Return the largest memory that the channels keep over a number of blocks [bytes]; 0 by default."""
        return 0.0

    def expect(self, blocks: float) -> None:
        """Announce the number of coherence blocks that will be used, which changes no gain."""


class Fading:
    """Fading model: a frozen dataclass whose fields are the model's parameters, and its properties.

    A model has ``realise(layout, seed)``, which returns a Realisation with quantities that persist from block to block,
    or ``sample(rng, num_workers, num_subcarriers)``, which draws the gains of one coherence block. They are complex, of
    shape [num_workers, num_subcarriers], of mean square 1 and independent of other blocks. Samples are drawn one
    subcarrier after the other: under the same stream a wider band extends a narrower one.
    """

    static: ClassVar[bool] = False
    """True where the gains never change, so that no coherence time applies."""
    correlated: ClassVar[bool] = False
    """True where neighbouring subcarriers fade together; False: subcarriers are exchangeable."""
    costly: ClassVar[bool] = False
    """True where the model is too costly to be checked before it is used."""
    placed: ClassVar[bool] = False
    """True where workers have locations on a map, from which their mean path gains follow."""
    one_direction: ClassVar[bool] = False
    """True where several antennas of the server see all workers in one direction."""
    moves: ClassVar[bool] = False
    """True where realisations have gains within a coherence block, too."""
    rayleigh: bool = False
    """True where every gain is complex normal of mean 0, so that |h|² is exponential."""


class Models(Registry[Fading]):
    """Registry of fading models, which sets the properties of ``Fading`` that a model does not have."""

    def __setitem__(self, name: str, model: type) -> None:
        for key in Fading.__annotations__:
            setattr(model, key, getattr(model, key, getattr(Fading, key)))
        super().__setitem__(name, model)


FADING = Models("fading", methods=("sample", "realise"))
register = FADING.register
