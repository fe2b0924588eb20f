"""The schemes of the user's own that runs have: methods, fading models and uplinks that are registered elsewhere."""

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from channels.fading import FADING
from otafl import algorithms, plugins, uplinks
from otafl.settings import own
from otafl.settings.keys import Settings


def load(names: Any) -> None:
    """Import the modules that a scenario names, so that their schemes and keys are known.

    Raises:
        OtaflError: one of them cannot be imported, or what it registers cannot be.
    """
    plugins.load(names)
    own.add_fading()


def classes(settings: Settings) -> list[type]:
    """The classes of a run's method, fading model and uplink."""
    method, _ = algorithms.parse(settings.method)
    return [type(method), FADING[settings.channel.fading], uplinks.uplink(settings.uplink.kind or method.uplinks[0])]


def sources(points: Iterable[Settings]) -> dict[str, Path | None]:
    """The modules of the user's own that some runs need, by name, with their files."""
    return plugins.sources(set(itertools.chain.from_iterable(map(classes, points))))


def only_here(points: Iterable[Settings]) -> bool:
    """Whether some runs need what was registered in an interactive session, which no other process can import."""
    return None in sources(points).values()


def digests(settings: Settings) -> list[str]:
    """Digests of the files of schemes of the user's own; of one without a file, another one every time.

    Raises:
        OtaflError: a file has changed since it was imported.
    """
    return sorted({digest for scheme in classes(settings) for digest in plugins.digests(scheme)})
