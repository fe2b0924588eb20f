"""Precoding: the complex coefficient p by which a worker multiplies a contribution c, so that it transmits x = p·c.

A precoder is a frozen dataclass that ``register`` has given a name, and whose fields are its parameters; with it comes
the combiner that makes the sum of what arrives an estimate of the sum that is wanted.
"""

# isort: off
from channels.precoding.protocol import PRECODERS, Precoder, register

# precoders, in the order in which they are listed
from channels.precoding.channel_inversion import ChannelInversion
from channels.precoding.truncated_inversion import TruncatedInversion
from channels.precoding.phase_compensation import PhaseCompensation
# isort: on

__all__ = ["PRECODERS", "ChannelInversion", "PhaseCompensation", "Precoder", "TruncatedInversion", "register"]
