"""Interface of fading models and their realisations, and the registry of models."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..registry import Registry

FIRST_PIECE = 8
"""Subcarriers in the first piece of an endless band."""


@dataclass(frozen=True)
class Layout:
    """Layout of a channel: workers, antennas, subcarrier spacing and coherence blocks.

    A coherence block is a time in which gains do not change.

    Arguments:
        workers: number N of workers.
        antennas: number M of antennas, at each worker or at the server, whichever has several.
        spacing_hz: subcarrier spacing W [Hz].
        block_iterations: iterations from one coherence block to the next; inf: there is a single block.
        at_server: True where several antennas are the server's.
        most_loss_db: largest coupling loss, minus the mean path gain, of a served worker's location [dB]; read by
            models that place workers. inf: no bound.
        apart: True where gains of few workers are asked for at a time. Models of independent blocks then draw each
            worker's gains from a random stream of its own.
    """

    workers: int
    antennas: int = 1
    spacing_hz: float = 15e3
    block_iterations: float = 1.0
    at_server: bool = True
    most_loss_db: float = np.inf
    apart: bool = field(default=False, repr=False)

    @property
    def links(self) -> tuple[int, int]:
        """Numbers of workers and of antennas."""
        return self.workers, self.antennas


class Realisation:
    """Channels of workers under one seed, block by block; gains do not depend on earlier calls.

    A block is a coherence block, in which gains are constant. A gain h is the complex factor on a symbol's amplitude.
    A subclass has ``gains``, and overrides other members where they differ.
    """

    power: Any = 1.0
    """Mean of |h|² over time, antennas and subcarriers, linear, for each worker. Shape [workers], or one for all."""
    most_subcarriers: float = math.inf
    """Largest number of subcarriers for which there are gains; inf: any number."""
    remark: str = ""
    """Remark on the channels for the user before a study; empty without one."""
    paths: Any = None
    """Propagation paths and locations of workers and base station (``fading.paths.Paths``); None: there are none."""

    def gains(self, block: int, subcarriers: int) -> np.ndarray:
        """Return the complex gains h of the first subcarriers in a coherence block, of mean square ``power``.

        Arguments:
            block: number of the coherence block (a time of constant gains), from 0.
            subcarriers: number of subcarriers, from the first on.

        Returns:
            Gains, no unit. Shape [workers, antennas, subcarriers], complex.
        """
        raise NotImplementedError

    def of(self, block: int, subcarriers: int, workers: Any) -> np.ndarray:
        """Return the complex gains h of some workers on the first subcarriers in a coherence block.

        Arguments:
            block: number of the coherence block (a time of constant gains), from 0.
            subcarriers: number of subcarriers, from the first on.
            workers: indices of the workers, from 0, or a slice.

        Returns:
            Gains, no unit. Shape [some workers, antennas, subcarriers], complex.
        """
        return self.gains(block, subcarriers)[workers]

    def pieces(self, block: int) -> Iterator[np.ndarray]:
        """Return an iterator over the gains of an endless band, in pieces of 8, 8, 16, 32, ... subcarriers.

        Arguments:
            block: number of the coherence block (a time of constant gains), from 0.

        Returns:
            Endless iterator over complex gains h, no unit, each of shape [workers, antennas, subcarriers of the piece].
        """
        done, count = 0, FIRST_PIECE
        while True:
            yield self.gains(block, count)[..., done:]
            done, count = count, 2 * count

    def split(self, block: int, workers: np.ndarray, each: int) -> np.ndarray:
        """Return the gains of some workers, each on the same number of subcarriers, side by side from the first on.

        Arguments:
            block: number of the coherence block (a time of constant gains), from 0.
            workers: indices of the workers to be served. Shape [some].
            each: number of subcarriers of each worker; worker i of these has the indices from i·each on.

        Returns:
            Complex gains h of each worker on its own subcarriers, no unit. Shape [some, antennas, each].
        """
        places, gains = np.arange(len(workers)), self.gains(block, each * len(workers))[workers]
        return np.moveaxis(gains.reshape(*gains.shape[:2], -1, each), 2, 1)[places, places]

    def memory(self, subcarriers: int, blocks: float) -> float:
        """Return the largest memory that the channels keep over a number of blocks [bytes]; 0 by default.

        Arguments:
            subcarriers: number of subcarriers in use.
            blocks: number of coherence blocks (times of constant gains) that will be used.
        """
        return 0.0

    def expect(self, blocks: float) -> None:
        """Announce the number of coherence blocks that will be used, which changes no gain; by default unused.

        Arguments:
            blocks: number of coherence blocks, times of constant gains.
        """


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
    """True where workers have locations on a map, from which their mean path gains follow."""
    one_direction: ClassVar[bool] = False
    """True where several antennas of the server see all workers in one direction."""
    rayleigh: ClassVar[Any] = False
    """True where every gain is complex normal of mean 0, so that |h|² is exponential."""


class Models(Registry):
    """Registry of fading models, which sets the properties of ``Fading`` that a model does not have.

    A dictionary from names, such as "rayleigh", to frozen dataclasses. A field's ``metadata`` may have a
    ``description``, a ``unit`` and a ``symbol``."""

    def __setitem__(self, name: str, made: Any) -> None:
        for key in Fading.__annotations__:
            setattr(made, key, getattr(made, key, getattr(Fading, key)))
        super().__setitem__(name, made)


FADING = Models("fading", methods=("sample", "realise"))
"""Fading models: dictionary from names, such as "rayleigh", to classes."""
register = FADING.register
