"""What a fading model offers, what it makes of it, and the models by name."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from channels.registry import Registry


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


class Gains(Protocol):
    """Gains, block by block, on which nothing has an effect that is asked for before or beside."""

    def gains(self, block: int, subcarriers: int) -> np.ndarray:
        """Gains h of the first so many subcarriers in a coherence block, complex. Shape [workers, antennas, S]."""
        ...


class Realisation(Gains, Protocol):
    """The channels of some workers, of which what persists is drawn once.

    One that keeps much says how much: ``memory(subcarriers, blocks)``, bytes that it takes at most until so many blocks
    have been asked for. One that finds blocks together is told how many are expected: ``expect(blocks)``.
    """

    def pieces(self, block: int) -> Iterator[np.ndarray]:
        """The same gains for a band without end, in pieces. Shape [workers, antennas, subcarriers of the piece]."""
        ...


class Fading(Protocol):
    """A model of fading: a frozen dataclass, whose fields are the model's parameters.

    It has ``realise(layout, seed)``, which makes a Realisation, or else ``sample(rng, num_workers, num_subcarriers)``,
    which draws the gains of one coherence block, complex, of mean square 1, [num_workers, num_subcarriers], independent
    of those of other blocks. Subcarriers are then drawn one after the other: under the same stream a wider band extends
    a narrower one, and pieces of a band drawn one by one are the band.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    static: ClassVar[bool]
    """True where the gains never change, so that no coherence time applies."""
    correlated: ClassVar[bool]
    """True where subcarriers beside each other fade together; those of others are as good as each other."""
    costly: ClassVar[bool]
    """True where it is tried only once it is used."""
    placed: ClassVar[bool]
    """True where workers have places, and mean path gains with them."""
    rayleigh: Any
    """True where every gain is complex normal."""


DEFAULTS = {"static": False, "correlated": False, "costly": False, "placed": False, "rayleigh": False}
"""Properties of a model that says nothing else: its gains change from block to block, its subcarriers fade alone."""


class Models(Registry):
    """Fading models by name; a field's ``metadata`` may have a ``description``, a ``unit`` and a ``symbol``."""

    def __setitem__(self, name: str, made: Any) -> None:
        for key, default in DEFAULTS.items():
            setattr(made, key, getattr(made, key, default))
        super().__setitem__(name, made)


FADING = Models("fading", methods=("sample", "realise"))
"""Fading models by name."""
register = FADING.register
