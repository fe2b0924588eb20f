"""Uplinks: the transport of workers' messages to the server, and its costs; a class for each kind of uplink."""

from otafl.algorithms import Method
from otafl.errors import OtaflError
from otafl.settings.keys import Settings
from otafl.uplinks import chain
from otafl.uplinks.analog import Analog
from otafl.uplinks.digital import Digital
from otafl.uplinks.ideal import Ideal
from otafl.uplinks.kinds import UPLINKS, kind, kinds
from otafl.uplinks.uplink import Uplink, register

__all__ = [
    "UPLINKS",
    "Analog",
    "Digital",
    "Ideal",
    "Uplink",
    "carries",
    "is_analog",
    "is_exact",
    "kind",
    "kinds",
    "register",
    "uplink",
]


def uplink(kind: str) -> type[Uplink]:
    """Return the class of a kind of uplink.

    Arguments:
        kind: value of ``uplink.kind``, such as "analog".

    Raises:
        OtaflError: no kind has that name.
    """
    if kind not in UPLINKS:
        *others, last = map(repr, sorted(UPLINKS))
        raise OtaflError("uplink.kind", kind, f"must be {', '.join(others)} or {last}")
    return UPLINKS[kind]


def is_analog(settings: Settings) -> bool:
    """Return True where a run's uploads are analog, symbols of all workers adding up over the air.

    Arguments:
        settings: the run's ``Settings``.
    """
    return uplink(kind(settings)).superposes


def is_exact(settings: Settings) -> bool:
    """Return True where the server receives sums as they were sent: an exact uplink without lossy compressor.

    Arguments:
        settings: the run's ``Settings``.
    """
    made, compressor = uplink(kind(settings)), chain.names(settings)["compressor"]
    return made.exact and ("compressor" not in made.parts or compressor == chain.plain("compressor"))


def carries(kind: str, method: Method) -> bool:
    """Return True where a kind of uplink, or one that it is derived from, is among a method's uplinks.

    Arguments:
        kind: value of ``uplink.kind``, such as "analog".
        method: the ``Method``, whose ``uplinks`` are the kinds that can carry it.

    Raises:
        OtaflError: no kind has that name.
    """
    uplink(kind)
    return any(one in method.uplinks for one in kinds(kind))
