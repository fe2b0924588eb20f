"""Interface of fading models and their realisations, and the registry of models."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from channels.registry import Registry

FIRST_PIECE = 8
"""Subcarriers in the first piece of an endless band."""


@dataclass(frozen=True)
class Layout:
    """Workers, antennas, subcarriers and coherence blocks of a channel.

    Arguments:
        workers: number N of workers.
        antennas: number M of antennas, at each worker or at the server, whichever has several.
        spacing_hz: subcarrier spacing W [Hz].
        block_iterations: iterations from one coherence block to the next; inf: there is a single block.
        at_server: True where several antennas are the server's.
        most_loss_db: largest coupling loss of a served place, for models that place workers [dB].
    """

    workers: int
    antennas: int = 1
    spacing_hz: float = 15e3
    block_iterations: float = 1.0
    at_server: bool = True
    most_loss_db: float = np.inf

    @property
    def links(self) -> tuple[int, int]:
        """Numbers of workers and antennas."""
        return self.workers, self.antennas


class Realisation:
    """Channels of workers under one seed, block by block; gains do not depend on earlier calls.

    A subclass has ``gains``, and overrides other members where they differ.
    """

    power: Any = 1.0
    """Mean square of each worker's gains. Shape [workers], or one for all."""
    most_subcarriers: float = math.inf
    """Largest number of subcarriers."""
    remark: str = ""
    """Remark on the channels for the user before a study; empty without one."""
    paths: Any = None
    """Paths between workers and the base station on a map; None: workers have no places."""

    def gains(self, block: int, subcarriers: int) -> np.ndarray:
        """Return the gains h of the first subcarriers in a coherence block.

        Arguments:
            block: number of the coherence block, from 0.
            subcarriers: number of subcarriers, from the first on.

        Returns:
            Shape [workers, antennas, subcarriers], complex.
        """
        raise NotImplementedError

    def pieces(self, block: int) -> Iterator[np.ndarray]:
        """Return an iterator over the gains of an endless band, in pieces of 8, 8, 16, 32, ... subcarriers.

        Shape [workers, antennas, subcarriers of the piece], complex.
        """
        done, count = 0, FIRST_PIECE
        while True:
            yield self.gains(block, count)[..., done:]
            done, count = count, 2 * count

    def split(self, block: int, workers: np.ndarray, each: int) -> np.ndarray:
        """Return the gains of some workers, each on the same number of subcarriers, side by side from the first on.

        Arguments:
            block: number of the coherence block, from 0.
            workers: indices of workers.
            each: subcarriers of each.

        Returns:
            Shape [workers, antennas, each], complex.
        """
        places, gains = np.arange(len(workers)), self.gains(block, each * len(workers))[workers]
        return np.moveaxis(gains.reshape(*gains.shape[:2], -1, each), 2, 1)[places, places]

    def memory(self, subcarriers: int, blocks: float) -> float:
        """Return the largest memory that the channels keep over a number of blocks [bytes]."""
        return 0.0

    def expect(self, blocks: float) -> None:
        """Announce the number of blocks that will be used, which changes no gain."""


class Fading:
    """Fading model: a frozen dataclass whose fields are the model's parameters, and its properties.

    A model has ``realise(layout, seed)``, which returns a Realisation, or
    ``sample(rng, num_workers, num_subcarriers)``, which draws the gains of one coherence block. They are complex, of
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
    """True where workers have places, and mean path gains with them."""
    one_direction: ClassVar[bool] = False
    """True where several antennas of the server see all workers in one direction."""
    rayleigh: ClassVar[Any] = False
    """True where every gain is complex normal."""


class Models(Registry):
    """Registry of fading models, which sets the properties of ``Fading`` that a model does not have.

    A field's ``metadata`` may have a ``description``, a ``unit`` and a ``symbol``."""

    def __setitem__(self, name: str, made: Any) -> None:
        for key in Fading.__annotations__:
            setattr(made, key, getattr(made, key, getattr(Fading, key)))
        super().__setitem__(name, made)


FADING = Models("fading", methods=("sample", "realise"))
"""Fading models by name."""
register = FADING.register
