"""What a fading model offers, and the models by name."""

from collections.abc import Callable
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

Made = TypeVar("Made")


class Fading(Protocol):
    """A distribution of channel gains: a frozen dataclass, whose fields are the model's parameters."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    static: ClassVar[bool]
    """True where the gains never change, so that no coherence time applies."""

    def sample(self, rng: np.random.Generator, num_workers: int, num_subcarriers: int) -> np.ndarray:
        """Draw the gains h of one coherence block, complex, of mean square 1. Shape [num_workers, num_subcarriers].

        Subcarriers are drawn one after the other: under the same stream a wider band extends a narrower one, and pieces
        of a band drawn one by one are the band.
        """
        ...


FADING: dict[str, type[Fading]] = {}
"""Fading models by name."""


def register(name: str) -> Callable[[type[Made]], type[Made]]:
    """Register a fading model under a name, as a decorator of a frozen dataclass whose fields have defaults.

    A field's ``metadata`` may have a ``description``, a ``unit`` and a ``symbol``. A model that says nothing else
    changes from coherence block to coherence block.

    Raises:
        ValueError: the name is taken, or the class is no such dataclass.
    """

    def taken(made: type[Made]) -> type[Made]:
        parameters = getattr(made, "__dataclass_params__", None)
        if not (parameters and parameters.frozen and hasattr(made, "sample")):
            raise ValueError(f"fading = {name!r}: must be a frozen dataclass with a method sample, not {made!r}")
        model: Any = made
        known: Any = FADING.get(name, model)
        if (known.__module__, known.__qualname__) != (model.__module__, model.__qualname__):
            raise ValueError(f"fading = {name!r}: is the name of {known.__module__}.{known.__qualname__} already")
        model.static = getattr(model, "static", False)
        FADING[name] = model
        return made

    return taken
