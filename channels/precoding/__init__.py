"""Precoding: a worker's complex factor p on a contribution c, so that it transmits x = p·c.

A precoder is a frozen dataclass with a name given by ``register``, and parameters as its fields. Its receive scaling
turns the received sum into an estimate of the sum of all contributions.
"""

# isort: off
from channels.precoding.protocol import PRECODERS, Precoder, register

# precoders, in the order in which they are listed
from channels.precoding.channel_inversion import ChannelInversion
from channels.precoding.truncated_inversion import TruncatedInversion
from channels.precoding.phase_compensation import PhaseCompensation
from channels.precoding.unprecoded import Unprecoded
from channels.precoding.mean_inversion import MeanInversion
# isort: on

__all__ = [
    "PRECODERS",
    "ChannelInversion",
    "MeanInversion",
    "PhaseCompensation",
    "Precoder",
    "TruncatedInversion",
    "Unprecoded",
    "register",
]
