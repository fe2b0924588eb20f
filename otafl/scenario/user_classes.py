"""User's classes and functions: methods, kinds of problem, fading models, uplinks and their parts, and metrics."""

import itertools
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from otafl import algorithms, uplinks
from otafl.channels.fading import FADING
from otafl.losses import PROBLEMS
from otafl.metrics import REGISTERED
from otafl.scenario.dotted_keys import last_part
from otafl.settings import user_keys
from otafl.settings.keys import Settings
from otafl.uplinks import chain
from otafl.user_code import class_digests, plugins
from otafl.user_code.identifiers import identifiers

OF_PACKAGE = frozenset(user_keys.ADDED)
"""Keys that methods and parts of the package have added; the user's come later, as they import otafl."""


def load(names: Any) -> None:
    """Import the user's modules that a scenario names, which register their classes and scenario keys.

    Arguments:
        names: names of modules, or paths that end in ``.py``.

    Raises:
        OtaflError: a module cannot be imported, or cannot register a class.
    """
    plugins.load(names)
    user_keys.add_parts()


def classes(settings: Settings) -> list[Any]:
    """Return the classes of a run, of method, problem, fading model, uplink and its parts, and functions of metrics.

    Arguments:
        settings: the run's ``Settings``.
    """
    method, _ = algorithms.parse(settings.method)
    uplink, names = uplinks.uplink(uplinks.kind(settings)), chain.names(settings)
    parts = [chain.PARTS[key][names[key]] for key in uplink.parts]
    metrics = [REGISTERED[name].compute for name in settings.run.metrics]
    problem, fading = PROBLEMS[settings.problem.kind], FADING[settings.channel.fading]
    return [type(method), problem, fading, uplink, *parts, *metrics]


def sources(points: Iterable[Settings]) -> dict[str, Path | None]:
    """Return the user's modules that some runs need, each with its file.

    Arguments:
        points: ``Settings`` of the runs.

    Returns:
        Paths by name or path of the module; None: an interactive session, which has no file.
    """
    return class_digests.sources(set(itertools.chain.from_iterable(map(classes, points))))


def only_here(points: Iterable[Settings]) -> bool:
    """Return True if some runs need a class of an interactive session, which no other process can import.

    Arguments:
        points: ``Settings`` of the runs.
    """
    return None in sources(points).values()


def without_effect(keys: Collection[str], points: Iterable[Settings]) -> dict[str, str]:
    """Return those of some keys that were added for the user's methods and parts, and that no code of the user's names.

    Code of an interactive session cannot be read; nothing is said of studies that need it.

    Arguments:
        keys: dotted keys.
        points: ``Settings`` of the runs.

    Returns:
        By dotted key, the name of the method or part that has it.
    """
    own = {key: user_keys.ADDED[key] for key in keys if key in user_keys.ADDED.keys() - OF_PACKAGE}
    if not own or only_here(points):
        return {}
    named = identifiers()
    return {key: scheme for key, scheme in own.items() if last_part(key) not in named}


def digests(settings: Settings) -> list[tuple[str, str]]:
    """Return the files of a run's user's classes and of the modules that these import, each with its digest, sorted.

    Arguments:
        settings: the run's ``Settings``.

    Returns:
        Pairs of a file's or a module's name and the SHA-256 digest in hexadecimal; empty without user's classes.

    Raises:
        OtaflError: a file has changed since it was imported.
    """
    own = {pair for scheme in classes(settings) for pair in class_digests.digests(scheme)}
    return sorted(own.union(*map(plugins.digests, settings.plugins)))


def theirs(settings: Settings) -> bool:
    """Return True if a run uses user's code: in its classes or its model, or as a plugin.

    Arguments:
        settings: the run's ``Settings``.
    """
    return bool(":" in settings.problem.model or settings.plugins or sources([settings]))
