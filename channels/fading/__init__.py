"""Block fading: complex gains per worker and subcarrier, constant for a coherence time.

A fading model is a frozen dataclass that ``register`` has given a name: its parameters are its fields, ``static`` is a
class variable, and ``sample(rng, num_workers, num_subcarriers)`` draws a block. Those of this package have a file each.
"""

from dataclasses import fields
from typing import Any

from channels.fading.block import BlockFading
from channels.fading.check import mean_square, require_sound
from channels.fading.none import NoFading
from channels.fading.protocol import FADING, Fading, register
from channels.fading.rayleigh import RayleighFading

__all__ = [
    "FADING",
    "BlockFading",
    "Fading",
    "NoFading",
    "RayleighFading",
    "mean_square",
    "model",
    "parameters",
    "register",
    "require_sound",
]


def parameters(name: str) -> tuple[str, ...]:
    """Names of the parameters that a fading model reads."""
    if name not in FADING:
        raise ValueError(f"fading = {name!r}: known are {', '.join(FADING)}")
    return tuple(field.name for field in fields(FADING[name]) if field.init)


def model(name: str, **given: Any) -> Fading:
    """The fading model of that name, with those of the given parameters that it reads; others are left aside."""
    read = {key: given[key] for key in parameters(name) if key in given}
    return FADING[name](**read)
