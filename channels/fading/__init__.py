"""Block fading: complex gains per worker and subcarrier, constant for a coherence time.

A fading model is a frozen dataclass in a file of its own: its parameters are its fields, ``name`` and ``static`` class
variables, and ``sample(rng, num_workers, num_subcarriers)`` draws a block. With its file it is known by name.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from channels.fading.block import BlockFading
from channels.fading.none import NoFading
from channels.fading.protocol import Fading
from channels.fading.rayleigh import RayleighFading

__all__ = ["FADING", "BlockFading", "Fading", "NoFading", "RayleighFading", "model", "parameters"]


def _models() -> Iterator[type]:
    """The classes with a name in the files of this folder."""
    for found in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{found.name}")
        own = (value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__)
        yield from (value for value in own if isinstance(value, type) and "name" in vars(value))


FADING: dict[str, type[Fading]] = {made.name: made for made in _models()}
"""Fading models by name."""


def parameters(name: str) -> tuple[str, ...]:
    """Names of the parameters that a fading model reads."""
    if name not in FADING:
        raise ValueError(f"fading = {name!r}: known are {', '.join(FADING)}")
    return tuple(field.name for field in fields(FADING[name]) if field.init)


def model(name: str, **given: Any) -> Fading:
    """The fading model of that name, with those of the given parameters that it reads; others are left aside."""
    read = {key: given[key] for key in parameters(name) if key in given}
    return FADING[name](**read)
