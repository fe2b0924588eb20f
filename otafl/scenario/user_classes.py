"""Methods, fading models, uplinks and parts of uplinks of the user's own."""

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from channels.fading import FADING
from otafl import algorithms, uplinks
from otafl.settings import user_keys
from otafl.settings.keys import Settings
from otafl.uplinks import chain
from otafl.user_code import class_digests, plugins


def load(names: Any) -> None:
    """Import the modules that a scenario names, so that their schemes and keys are known.

    Raises:
        OtaflError: one of them cannot be imported, or what it registers cannot be.
    """
    plugins.load(names)
    user_keys.add_parts()


def classes(settings: Settings) -> list[type]:
    """The classes of a run's method, fading model, uplink and its parts."""
    method, _ = algorithms.parse(settings.method)
    uplink, names = uplinks.uplink(uplinks.kind(settings)), chain.names(settings)
    parts = [chain.PARTS[key][names[key]] for key in uplink.parts]
    return [type(method), FADING[settings.channel.fading], uplink, *parts]


def sources(points: Iterable[Settings]) -> dict[str, Path | None]:
    """The modules of the user's own that some runs need, by name, with their files."""
    return class_digests.sources(set(itertools.chain.from_iterable(map(classes, points))))


def only_here(points: Iterable[Settings]) -> bool:
    """Whether some runs need what was registered in an interactive session, which no other process can import."""
    return None in sources(points).values()


def digests(settings: Settings) -> list[tuple[str, str]]:
    """The files of schemes of the user's own and of the modules that these import, each with its digest.

    Raises:
        OtaflError: a file has changed since it was imported.
    """
    own = {pair for scheme in classes(settings) for pair in class_digests.digests(scheme)}
    return sorted(own.union(*map(plugins.digests, settings.plugins)))


def theirs(settings: Settings) -> bool:
    """Return if code of the user's own runs, in schemes or a model, or is imported as a plugin that a run names."""
    return bool(":" in settings.problem.model or settings.plugins or sources([settings]))
