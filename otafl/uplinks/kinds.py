"""Kinds of uplink by name, otafl's and the user's, and the kind of a run."""

from typing import TYPE_CHECKING

from otafl import algorithms
from otafl.schemes import SCHEMES
from otafl.settings.keys import Settings

if TYPE_CHECKING:
    from otafl.uplinks.uplink import Uplink

UPLINKS: dict[str, type["Uplink"]] = {}


def kind(settings: Settings) -> str:
    """Return the kind of a run's uplink: that of ``uplink.kind``, that of its scheme, or the method's own."""
    carrying = algorithms.parse(settings.method)[0].uplinks
    of_scheme = SCHEMES[settings.uplink.scheme].uplink if settings.uplink.scheme else None
    return settings.uplink.kind or (of_scheme if of_scheme in carrying else None) or carrying[0]


def kinds(name: str) -> tuple[str, ...]:
    """Return a kind of uplink and the kinds that it is derived from, the given one first."""
    return UPLINKS[name].kinds if name in UPLINKS else (name,)


def scheme(settings: Settings) -> str | None:
    """Return the published scheme of a run, where it is one for its kind of uplink; otherwise None."""
    chosen = settings.uplink.scheme
    return chosen if chosen and SCHEMES[chosen].uplink in kinds(kind(settings)) else None
