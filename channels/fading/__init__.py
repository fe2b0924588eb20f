"""Fading: complex gains per worker, antenna and subcarrier, constant for a coherence time.

A fading model is a frozen dataclass that ``register`` has given a name: its parameters are its fields. It either draws
coherence blocks that are independent of each other, ``sample(rng, num_workers, num_subcarriers)``, or makes a
realisation that keeps what persists, ``realise(layout, seed)``. Those of this package have a file each.
"""

from dataclasses import fields
from typing import Any

# isort: off
from channels.fading.protocol import FADING, Fading, Layout, Realisation, register
from channels.fading.block import BlockFading
from channels.fading.check import mean_square, require_sound
from channels.fading.realise import realise

# models, in the order in which they are listed
from channels.fading.none import NoFading
from channels.fading.rayleigh import RayleighFading
from channels.fading.rician import RicianFading
from channels.fading.jakes import JakesFading
from channels.fading.tdl import TdlFading
from channels.fading.cdl import CdlFading
from channels.fading.sector import RmaFading, UmaFading, UmiFading
from channels.fading.raytraced import RaytracedFading
from channels.fading.recorded import RecordedFading
# isort: on

__all__ = [
    "FADING",
    "BlockFading",
    "CdlFading",
    "Fading",
    "JakesFading",
    "Layout",
    "NoFading",
    "RayleighFading",
    "RaytracedFading",
    "Realisation",
    "RecordedFading",
    "RicianFading",
    "RmaFading",
    "TdlFading",
    "UmaFading",
    "UmiFading",
    "mean_square",
    "model",
    "parameters",
    "realise",
    "register",
    "require_sound",
]


def parameters(name: str) -> tuple[str, ...]:
    """Names of the parameters that a fading model reads."""
    if name not in FADING:
        raise ValueError(f"fading = {name!r}: known are {', '.join(FADING)}")
    return tuple(field.name for field in fields(FADING[name]) if field.init)


def model(name: str, **given: Any) -> Any:
    """The fading model of that name, with those of the given parameters that it reads; others are left aside."""
    read = {key: given[key] for key in parameters(name) if key in given}
    return FADING[name](**read)
