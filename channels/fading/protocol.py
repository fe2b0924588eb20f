"""What a fading model offers, what it makes of it, and the models by name."""

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
    """Who is heard, and where on time and frequency.

    Arguments:
        workers: N.
        antennas: M, of each worker or of the server, whichever has several.
        spacing_hz: W, from one subcarrier to the next [Hz].
        block_iterations: iterations from one coherence block to the next; inf where there is only one.
        at_server: whether several antennas are the server's.
        most_loss_db: coupling loss up to which a place is served, for models that place workers.
    """

    workers: int
    antennas: int = 1
    spacing_hz: float = 15e3
    block_iterations: float = 1.0
    at_server: bool = True
    most_loss_db: float = np.inf

    @property
    def links(self) -> tuple[int, int]:
        """Workers and antennas."""
        return self.workers, self.antennas


class Realisation:
    """Channels of some workers, of which what persists is drawn once; nothing depends on what is asked for before.

    One derives from it that has ``gains``, and whatever else differs.
    """

    power: Any = 1.0
    """Mean square of each worker's gains. Shape [workers], or one for all."""
    most_subcarriers: float = math.inf
    """Subcarriers that there are."""
    remark: str = ""
    """Remark on the channels, for the user before a study; empty where there is none."""
    paths: Any = None
    """Paths between places on a map; None: there are no places."""

    def gains(self, block: int, subcarriers: int) -> np.ndarray:
        """Gains h of the first so many subcarriers in a coherence block, complex. Shape [workers, antennas, S]."""
        raise NotImplementedError

    def pieces(self, block: int) -> Iterator[np.ndarray]:
        """The same gains for a band without end: 8 subcarriers, as many again, twice as many, and so on.

        Shape [workers, antennas, subcarriers of the piece].
        """
        done, count = 0, FIRST_PIECE
        while True:
            yield self.gains(block, count)[..., done:]
            done, count = count, 2 * count

    def split(self, block: int, workers: np.ndarray, each: int) -> np.ndarray:
        """Gains of some workers on subcarriers of their own, so many for each, side by side from the first on.

        Shape [workers, antennas, each].
        """
        places, gains = np.arange(len(workers)), self.gains(block, each * len(workers))[workers]
        return np.moveaxis(gains.reshape(*gains.shape[:2], -1, each), 2, 1)[places, places]

    def memory(self, subcarriers: int, blocks: float) -> float:
        """Bytes that it keeps at most until so many blocks have been asked for."""
        return 0.0

    def expect(self, blocks: float) -> None:
        """Be told that about so many blocks will be asked for; no gain depends on it."""


class Fading:
    """A model of fading: a frozen dataclass, whose fields are the model's parameters.

    It has ``realise(layout, seed)``, which makes a Realisation, or else ``sample(rng, num_workers, num_subcarriers)``,
    which draws the gains of one coherence block, complex, of mean square 1, [num_workers, num_subcarriers], independent
    of those of other blocks. Subcarriers are then drawn one after the other: under the same stream a wider band extends
    a narrower one, and pieces of a band drawn one by one are the band.
    """

    static: ClassVar[bool] = False
    """True where the gains never change, so that no coherence time applies."""
    correlated: ClassVar[bool] = False
    """True where subcarriers beside each other fade together; those of others are as good as each other."""
    costly: ClassVar[bool] = False
    """True where it is tried only once it is used."""
    placed: ClassVar[bool] = False
    """True where workers have places, and mean path gains with them."""
    one_direction: ClassVar[bool] = False
    """True where several antennas of the server see all workers in one direction."""
    rayleigh: ClassVar[Any] = False
    """True where every gain is complex normal."""


class Models(Registry):
    """Fading models by name, with the properties of ``Fading`` where they do not have their own; a field's
    ``metadata`` may have a ``description``, a ``unit`` and a ``symbol``."""

    def __setitem__(self, name: str, made: Any) -> None:
        for key in Fading.__annotations__:
            setattr(made, key, getattr(made, key, getattr(Fading, key)))
        super().__setitem__(name, made)


FADING = Models("fading", methods=("sample", "realise"))
"""Fading models by name."""
register = FADING.register
