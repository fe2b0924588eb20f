"""Precoding: the complex coefficient p by which a worker multiplies a contribution c, so that it transmits x = p·c.

A precoder is a frozen dataclass that ``register`` has given a name, and of which the parameters are a threshold or an
SNR; with it comes the combiner that makes the sum of what arrives an estimate of the sum that is wanted.
"""

from dataclasses import fields
from typing import Any

# isort: off
from channels.precoding.protocol import PRECODERS, Precoder, register

# precoders, in the order in which they are listed
from channels.precoding.inversion import ChannelInversion
from channels.precoding.truncated import CommonInversion, MeasurementInversion, TruncatedInversion, silent_probability
from channels.precoding.average import AverageInversion, SignInversion, mean_inverse_gain
from channels.precoding.phase import PhaseOnly
from channels.precoding.optimal import OptimalPower
# isort: on

__all__ = [
    "PRECODERS",
    "AverageInversion",
    "ChannelInversion",
    "CommonInversion",
    "MeasurementInversion",
    "OptimalPower",
    "PhaseOnly",
    "Precoder",
    "SignInversion",
    "TruncatedInversion",
    "mean_inverse_gain",
    "parameters",
    "precoder",
    "register",
    "silent_probability",
]


def parameters(name: str) -> tuple[str, ...]:
    """Names of the parameters of a precoder."""
    return tuple(field.name for field in fields(PRECODERS[name]))


def precoder(name: str, **given: Any) -> Precoder:
    """The precoder of that name, with those of the given parameters that it has; others are left aside."""
    if name not in PRECODERS:
        raise ValueError(f"precoder = {name!r}: known are {', '.join(PRECODERS)}")
    return PRECODERS[name](**{key: given[key] for key in parameters(name) if key in given})
