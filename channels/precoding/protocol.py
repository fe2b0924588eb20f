"""What a precoder offers, and the precoders by name."""

from collections.abc import Callable
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from channels import makers
from channels.combining import AsReceived, Combiner

Made = TypeVar("Made", bound="type[Precoder]")
PRECODERS: dict[str, type[Any]] = {}
"""Precoders by name."""


class Precoder:
    """What a worker does with a contribution, knowing its own gain h. Shapes [..., workers, subcarriers]."""

    exact: ClassVar[bool] = False
    """True where every contribution arrives whole under perfect knowledge, h·p = 1."""
    asks: ClassVar[Literal["", "silence", "gains"]] = ""
    """What the receiver must be told of workers: nothing, who is silent, or |h|² of each."""
    averages: ClassVar[bool] = False
    """True where power control counts with the mean over fading, Rayleigh fading of a known mean square."""

    @property
    def combiner(self) -> Combiner:
        """What the receiver makes of the sum."""
        return AsReceived()

    def coefficients(self, h: np.ndarray) -> np.ndarray:
        """Coefficients p, complex: the reference."""
        raise NotImplementedError

    def power(self, gain: np.ndarray) -> np.ndarray:
        """Transmit power per squared symbol, |p|², from the gain |h|² and in its precision; 0: the worker is silent."""
        raise NotImplementedError

    def arrival(self, gain: np.ndarray) -> np.ndarray:
        """Factor with which a contribution arrives under perfect knowledge, Re{h·p}, from |h|² in its precision."""
        raise NotImplementedError

    def counted(self, mean: np.ndarray) -> np.ndarray | None:
        """The |p|² that power control counts with, where that is not the one of the moment: the most that it may be, or
        its mean over fading, for gains of a mean square. Shape of mean."""
        return None


def register(name: str) -> Callable[[Made], Made]:
    """Register a precoder under a name, as a decorator of a frozen dataclass.

    Raises:
        ValueError: the name is taken, or the class is no such dataclass.
    """

    def taken(made: Made) -> Made:
        parameters = getattr(made, "__dataclass_params__", None)
        if not (parameters and parameters.frozen and issubclass(made, Precoder)):
            rule = "must be a frozen dataclass that is derived from Precoder"
            raise ValueError(f"precoder = {name!r}: {rule}, not {made!r}")
        known = PRECODERS.get(name, made)
        if (known.__module__, known.__qualname__) != (made.__module__, made.__qualname__):
            raise ValueError(f"precoder = {name!r}: is the name of {known.__module__}.{known.__qualname__} already")
        PRECODERS[name] = made
        makers.note(made)
        return made

    return taken


def inverse(h: np.ndarray, where: np.ndarray, otherwise: float) -> np.ndarray:
    """1/h where asked for. Shape of h, complex."""
    return np.divide(1.0, h, out=np.full(np.shape(h), otherwise, complex), where=where)
