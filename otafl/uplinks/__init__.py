"""Uplinks: the transport of workers' messages to the server, and its costs; a class for each kind of uplink."""

from otafl.algorithms import Method
from otafl.errors import OtaflError
from otafl.settings.keys import Settings
from otafl.uplinks import chain
from otafl.uplinks.analog import Analog
from otafl.uplinks.digital import Digital
from otafl.uplinks.ideal import Ideal
from otafl.uplinks.kinds import UPLINKS, kind
from otafl.uplinks.uplink import Uplink, register


def uplink(kind: str) -> type[Uplink]:
    """Return the class of a kind of uplink, such as "analog"."""
    if kind not in UPLINKS:
        *others, last = map(repr, sorted(UPLINKS))
        raise OtaflError("uplink.kind", kind, f"must be {', '.join(others)} or {last}")
    return UPLINKS[kind]


def uplink_of(settings: Settings, method: Method, elements: int) -> Uplink:
    """Return the uplink of a run for vectors of d elements, which over the air may be compressed to fewer numbers."""
    of_kind = uplink(kind(settings))
    numbers = chain.chain(settings).compressor.symbols(elements) if of_kind.superposes else elements
    return of_kind(settings, method, numbers)


def keys_read(settings: Settings) -> tuple[str, ...]:
    """Return the dotted scenario keys that the uplink of a run reads, those of its parts included."""
    of_kind = uplink(kind(settings))
    return (*of_kind.keys, *(chain.keys(settings, of_kind.parts) if of_kind.parts else ()))


def truncates(settings: Settings) -> bool:
    """Return True where workers are silent in deep fades."""
    return "precoder" in uplink(kind(settings)).parts and chain.chain(settings).precoder.truncates


def is_exact(settings: Settings) -> bool:
    """Return True where the server receives sums as they were sent: an exact uplink without lossy compressor."""
    of_kind, compressor = uplink(kind(settings)), chain.names(settings)["compressor"]
    return of_kind.exact and ("compressor" not in of_kind.parts or compressor == chain.plain("compressor"))
