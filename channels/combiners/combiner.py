"""Interface of combiners of antennas, and their registry."""

from typing import Any, ClassVar

import numpy as np

from ..receive_scaling import ReceiveScaling
from ..registry import Part, Registry


class Combiner(Part):
    """Combiner of a server's M antennas: a weight vector w of norm 1 on each subcarrier, the same for all workers.

    Its norm of 1 leaves the variance of the receiver's noise unchanged.
    """

    blind: ClassVar[bool] = False
    """True where workers know nothing of their channels."""
    by_gains: ClassVar[bool] = True
    """True where the server needs the complex gains of all workers at all antennas."""
    most_antennas: ClassVar[float] = np.inf
    """Largest number of antennas, so that its computation ends in sensible time."""

    def weights(self, h: np.ndarray) -> np.ndarray:
        """Return the weights w, with which an antenna signal y becomes w^H·y. Shape [..., antennas], complex.

        Arguments:
            h: complex gains of all workers, as the server knows them, no unit. Shape [..., workers, antennas].
        """
        raise NotImplementedError

    def receive_scaling(self, antennas: int) -> ReceiveScaling | None:
        """Return the ``ReceiveScaling``, a rule for the server's factor on the received amplitude of each subcarrier.

        None, the default: power control or receiver have that rule.

        Arguments:
            antennas: number M of the server's antennas.
        """
        return None

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Return why a run cannot have it: more antennas than it can combine; empty where it can.

        Arguments:
            chain: unused.
            settings: the run's ``Settings``, of which ``cell.antennas`` counts.
            method: unused.
        """
        if settings.cell.antennas <= self.most_antennas:
            return ""
        return f"can have at most {self.most_antennas} cell.antennas; {_without_limit()} can have more"


COMBINERS = Registry("combiner", Combiner)
"""Combiners of antennas: dictionary from names, such as "max_min", to classes."""
register = COMBINERS.register


def _without_limit() -> str:
    """Return the names of combiners that take any number of antennas, as text."""
    return " and ".join(name for name, made in COMBINERS.items() if np.isinf(made.most_antennas))


def over(values: np.ndarray, norm: np.ndarray) -> np.ndarray:
    """Return values over a norm, 0 where the norm is 0. Shape of values.

    Arguments:
        values: complex or real. Any shape.
        norm: real, at least 0. A shape that broadcasts to that of values.
    """
    return np.divide(values, norm, out=np.zeros_like(values), where=norm > 0)
