"""How what workers send is carried to the server, and what that costs: a class for each kind of uplink."""

from otafl.algorithms import Method
from otafl.errors import OtaflError
from otafl.settings.keys import Settings
from otafl.uplinks import chain
from otafl.uplinks.analog import Analog
from otafl.uplinks.digital import Digital
from otafl.uplinks.ideal import Ideal
from otafl.uplinks.kinds import kind, kinds
from otafl.uplinks.registry import UPLINKS, register
from otafl.uplinks.uplink import Uplink

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
    """The class of a kind of uplink.

    Raises:
        OtaflError: no such kind.
    """
    if kind not in UPLINKS:
        *others, last = map(repr, sorted(UPLINKS))
        raise OtaflError("uplink.kind", kind, f"must be {', '.join(others)} or {last}")
    return UPLINKS[kind]


def is_analog(settings: Settings) -> bool:
    """Whether a run's uploads are analog."""
    return uplink(kind(settings)).analog


def is_exact(settings: Settings) -> bool:
    """Whether the server has sums as they were sent."""
    made = uplink(kind(settings))
    return made.exact and ("compressor" not in made.parts or chain.names(settings)["compressor"] == "none")


def carries(kind: str, method: Method) -> bool:
    """Whether a kind of uplink carries a method: it, or one that it is derived from, is among the method's.

    Raises:
        OtaflError: no such kind.
    """
    uplink(kind)
    return any(one in method.uplinks for one in kinds(kind))
