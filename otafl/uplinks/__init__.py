"""How what workers send is carried to the server, and what that costs: a class for each kind of uplink."""

from otafl.errors import OtaflError
from otafl.uplinks.analog import Analog
from otafl.uplinks.digital import Digital
from otafl.uplinks.ideal import Ideal
from otafl.uplinks.uplink import Uplink

UPLINKS: dict[str, type[Uplink]] = {kind.kind: kind for kind in (Analog, Digital, Ideal)}
"""Kinds of uplink by name."""


def uplink(kind: str) -> type[Uplink]:
    """The class of a kind of uplink.

    Raises:
        OtaflError: no such kind.
    """
    if kind not in UPLINKS:
        *others, last = map(repr, UPLINKS)
        raise OtaflError("uplink.kind", kind, f"must be {', '.join(others)} or {last}")
    return UPLINKS[kind]
