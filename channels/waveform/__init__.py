"""One upload as samples: OFDM with cyclic prefix, through amplifiers, echoes, oscillators and a converter."""

from . import recording
from .amplifier import Amplifier
from .converter import Converter
from .echoes import KNOTS, Echoes, knots_s
from .link import Link
from .ofdm import Ofdm
from .oscillation import phases
