"""Name of a run in a store: a hash of all that its result depends on, and of nothing else."""

import hashlib
import json
import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

from otafl import algorithms
from otafl.channels import fading
from otafl.data import sources
from otafl.errors import OtaflError
from otafl.scenario import old_keys, user_classes
from otafl.settings.keys import Settings
from otafl.uplinks import chain
from otafl.user_code import loaded, plugins

RESULTS_VERSION = 7
"""Version of the numbers, raised when a run brings others; ``tests/otafl/store/test_results_version.py`` notices."""
CORRECTED: dict[str, tuple[int, Callable[[Settings], bool]]] = {
    "neighbours": (2, lambda settings: bool(settings.cell.neighbours)),
    "groups": (2, lambda settings: bool(user_classes.sources([settings]))),
    "regularisers": (2, lambda settings: ":" in settings.problem.model),
    "weights": (2, lambda settings: settings.federation.weights != "equal"),
    "analog broadcast": (2, lambda settings: settings.uplink.downlink == "analog" and settings.energy.whole),
}
"""Versions of the numbers of some runs alone, by what was corrected, raised when a correction changes them. The second
entry says for which settings."""
NOT_OF_A_RUN = {"iterations", "seeds", "seed", "target_loss", "target_accuracy"}
"""Keys of the table run on which the curves of one seed do not depend."""
DATA, MODEL, CHANNELS = "problem.dataset", "problem.model", "channel.file"
"""Keys that name a data set, a model and a file of channels."""
GLOBAL, HERE = "global", "here"
"""Marks in place of a key: a value of the user's code that the session has changed; code that this process runs, in
whatever state it is."""
KEYS = (DATA, MODEL, plugins.KEY, CHANNELS)
"""Keys that name files, modules or functions on which a run depends, in the order of the hash."""
SINCE = "has changed since the study began; the same command computes it again"
"""Rule that an input breaks which has changed."""
NOT_THEN = (
    "is not found both before and after the study's code is imported; if that code extends sys.path or a "
    "package's __path__, put the folder on PYTHONPATH instead"
)
"""Rule that an input breaks which was found only before, or only after, the user's code was imported."""
CHANGED_HERE = (
    "was changed in this session, but worker processes import code from its files; compute "
    "in this process, with engine='in_process', or make it a key"
)
"""Rule that a value of the user's code breaks which the session has changed since it was loaded."""


class Input(NamedTuple):
    """Data, code or channels on which a run depends beside its keys.

    Arguments:
        key: key that names the input, such as "problem.dataset".
        what: name of a data set, a file or a module.
        digest: SHA-256 digest of its content, hexadecimal; empty: no file holds it, as with code of an interactive
            session.
    """

    key: str
    what: str
    digest: str


def run_name(settings: Settings, seed: int, known: list[Input] | None = None) -> str:
    """Return the name of a run in a store, 32 hexadecimal digits that do not depend on its number of iterations.

    It is the beginning of the SHA-256 digest of a JSON text of all that the result depends on: settings that are not at
    their defaults, the seed, the digests of inputs, and the version of results. A run with code of an interactive
    session, which no file holds, has another name every time. So has one with the user's code that this process
    computes. The user's code may read the number of iterations, so the name of a run with it depends on that.

    Arguments:
        settings: the run's ``Settings``.
        seed: seed of the run.
        known: inputs of the run (data, code, channels) with their digests; left out, they are read.

    Raises:
        OtaflError: data cannot be loaded, or code has changed since it was imported.
    """
    found = inputs(settings) if known is None else known
    read = {"seed", "seeds"} if any(one.key == plugins.KEY for one in found) else NOT_OF_A_RUN
    told = settings.model_dump(exclude_defaults=True, exclude={"run": read, "plugins": True})
    told["uplink"] = _uplink(told.get("uplink", {}), settings)
    data, model, theirs, channels = ([one[1:] for one in found if one.key == key] for key in KEYS)
    theirs += [("", uuid.uuid4().hex)] if any(not one.digest for one in found) else []
    content = {
        "results": RESULTS_VERSION,
        "settings": {table: keys for table, keys in told.items() if keys},
        "seed": seed,
        "data": data[0][1] if data else "",
        "model": model or "",
        **({"schemes": theirs} if theirs else {}),
        **({"channels": channels[0][1]} if channels else {}),
        **({"drawn": "for participants alone"} if settings.few_at_a_time else {}),
        **({"corrected": corrected} if (corrected := _corrected(settings)) else {}),
    }
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _corrected(settings: Settings) -> dict[str, int]:
    """Return the versions, above 1, of the numbers of a run's method and parts, and of corrections that concern it."""
    parts = {key: chain.PARTS[key][name].version for key, name in chain.names(settings).items()}
    parts["method"] = algorithms.parse(settings.method)[0].version
    others = {what: version for what, (version, concerns) in CORRECTED.items() if concerns(settings)}
    return {key: version for key, version in parts.items() if version > 1} | others


def _uplink(told: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Return keys of the uplink that are not at their default, its parts as names of runs have them from the start."""
    parts = {key: value for key, value in told.items() if key in chain.COMPUTING or key == "precoder"}
    own = chain.names(settings.with_values({"uplink.precoder": None}))["precoder"]
    return {key: value for key, value in told.items() if key not in parts} | old_keys.before(parts, own)


def inputs(settings: Settings) -> list[Input]:
    """Return the present inputs of a run, with digests: its data, the modules of the user's code, a file of channels.

    Arguments:
        settings: the run's ``Settings``.

    Raises:
        OtaflError: data cannot be loaded, or code has changed since it was imported.
    """
    data, (module, _, function) = sources.fingerprint(settings.problem), settings.problem.model.partition(":")
    model = (plugins.module_digests(MODEL, module) or {module: ""}) if function else {}
    channels = getattr(fading.FADING.make(settings.channel.fading, **settings.channel.model_dump()), "digest", "")
    return [
        *([Input(DATA, settings.problem.dataset, data)] if data else []),
        *(Input(MODEL, *pair) for pair in sorted(model.items())),
        *(Input(plugins.KEY, *pair) for pair in user_classes.digests(settings)),
        *([Input(plugins.KEY, "", "")] if user_classes.only_here([settings]) else []),
        *([Input(CHANNELS, settings.value(CHANNELS), channels)] if channels else []),
    ]


def of_session(settings: Settings, here: bool) -> list[Input]:
    """Return values of the user's code that were changed in this process since it was loaded, as inputs of a run.

    Arguments:
        settings: the run's ``Settings``.
        here: True if this process computes the run, with the user's code in a state that no file holds; the only input
            then is a mark that says so.

    Returns:
        Inputs beside those of ``inputs``, a name and a digest (16 hexadecimal digits) for each value; none if the run
        has no code of the user's.
    """
    if not user_classes.theirs(settings):
        return []
    if here and not loaded.ours:
        return [Input(HERE, "", "")]
    return [Input(GLOBAL, *pair) for pair in loaded.changed_values()]


def require_unchanged(settings: Settings, known: list[Input]) -> None:
    """Refuse a run if its data, code or channels are not those that its name stands for.

    Arguments:
        settings: the run's ``Settings``.
        known: inputs of the run, with digests, when it was named.

    Raises:
        OtaflError: an input has changed since, or cannot be read any more.
    """
    try:
        found = inputs(settings)
    except loaded.Changed as error:
        raise OtaflError(error.key, error.file, SINCE) from None
    told = [one for one in known if one.key not in (GLOBAL, HERE)]
    named, different = {one[:2] for one in found} & {one[:2] for one in told}, sorted(set(found) ^ set(told))
    for one in [one for one in different if one[:2] in named] or different:
        raise OtaflError(one.key, one.what, SINCE if one[:2] in named else NOT_THEN)
    for one in [one for one in known if one.key == GLOBAL]:
        loaded.require_as_loaded(*one, CHANGED_HERE)
    if user_classes.theirs(settings) and not any(one.key == HERE or not one.digest for one in known):
        loaded.require_all_said(plugins.KEY)
