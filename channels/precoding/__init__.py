"""Precoding: a worker's complex factor p on a contribution c, so that it transmits x = p·c."""

# ruff: isort: skip_file
from .precoder import PRECODERS, Precoder, register

# precoders, in the order in which they are listed
from .channel_inversion import ChannelInversion
from .truncated_inversion import TruncatedInversion
from .phase_compensation import PhaseCompensation
from .unprecoded import Unprecoded
from .mean_inversion import MeanInversion
