"""Fading: complex gains per worker, antenna and subcarrier, constant for a coherence time; a file for each model."""

# ruff: isort: skip_file
from .fading_model import FADING, Fading, Realisation, register
from .layout import Layout
from .block import BlockFading, realise
from .check import mean_square, require_sound

# models, in the order in which they are listed
from .none import NoFading
from .rayleigh import RayleighFading
from .rician import RicianFading
from .jakes import JakesFading
from .tdl import TdlFading
from .cdl import CdlFading
from .sector import RmaFading, UmaFading, UmiFading
from .raytraced import RaytracedFading
from .recorded import RecordedFading
