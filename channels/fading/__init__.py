"""Fading: complex gains per worker, antenna and subcarrier, constant for a coherence time.

A fading model is a frozen dataclass with a name given by ``register``, and parameters as its fields. It either draws
independent coherence blocks, ``sample(rng, num_workers, num_subcarriers)``, or makes a realisation with quantities that
persist from block to block, ``realise(layout, seed)``. The models of this package have a file each.
"""

# isort: off
from channels.fading.protocol import FADING, Fading, Layout, Realisation, register
from channels.fading.block import BlockFading, realise
from channels.fading.check import mean_square, require_sound

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
    "realise",
    "register",
    "require_sound",
]
