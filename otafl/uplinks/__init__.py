"""How what workers send is carried to the server, and what that costs: a class for each kind of uplink."""

from otafl import algorithms
from otafl.algorithms import Method
from otafl.errors import OtaflError
from otafl.settings.keys import Settings
from otafl.uplinks.analog import Analog
from otafl.uplinks.compressed import Compressed
from otafl.uplinks.cotaf import Cotaf
from otafl.uplinks.digital import Digital
from otafl.uplinks.ideal import Ideal
from otafl.uplinks.one_bit import OneBit
from otafl.uplinks.qsgd import Qsgd
from otafl.uplinks.registry import UPLINKS, register
from otafl.uplinks.uplink import Uplink

__all__ = [
    "UPLINKS",
    "Analog",
    "Compressed",
    "Cotaf",
    "Digital",
    "Ideal",
    "OneBit",
    "Qsgd",
    "Uplink",
    "carries",
    "is_analog",
    "is_exact",
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
    method, _ = algorithms.parse(settings.method)
    return issubclass(uplink(settings.uplink.kind or method.uplinks[0]), Analog)


def is_exact(settings: Settings) -> bool:
    """Whether the server has sums as they were sent."""
    return not is_analog(settings) and settings.uplink.quantiser == "none"


def carries(kind: str, method: Method) -> bool:
    """Whether a kind of uplink carries a method: it, or one that it is derived from, is among the method's.

    Raises:
        OtaflError: no such kind.
    """
    return any(getattr(base, "kind", "") in method.uplinks for base in uplink(kind).__mro__)
