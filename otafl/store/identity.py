"""The name of a run: a hash of all that its result depends on, and of nothing else."""

import hashlib
import json
import uuid
from typing import Any, NamedTuple

from channels import fading
from otafl.data import sources
from otafl.errors import OtaflError
from otafl.scenario import old_keys, user_classes
from otafl.settings.keys import Settings
from otafl.uplinks import chain
from otafl.user_code import loaded, plugins

RESULTS_VERSION = 7
"""Raised where a run brings other numbers than before; ``tests/otafl/store/test_results_version.py`` notices."""
NOT_OF_A_RUN = {"iterations", "seeds", "seed", "target_loss", "target_accuracy"}
"""Keys of the table run that say how long and how often, and what summaries read; a run's own seed is told apart."""
DATA, MODEL, CHANNELS = "problem.dataset", "problem.model", "channel.file"
GLOBAL, HERE = "global", "here"
"""Stand for a key: values of code of the user's that the session has set anew, and code that runs in this process, in
whatever state that is."""
KEYS = (DATA, MODEL, plugins.KEY, CHANNELS)
"""Keys that name files, modules or functions on which a run depends."""
SINCE = "has changed since the study began; the same command computes it anew"

NOT_THEN = (
    "is not found both before and after the study's code is imported; if that code extends sys.path or a "
    "package's __path__, put the folder on PYTHONPATH instead"
)


SET_ANEW = (
    "was set anew in this session, of which worker processes do not know, as they import code from its files; compute "
    "in this process, with engine=otafl.study.engines.engine(processes=0), or make it a key"
)


class Input(NamedTuple):
    """Something beside its keys that a run depends on.

    Arguments:
        key: that names it.
        what: a data set, a file, or a module.
        digest: of what it holds; empty: no file does, as with code of an interactive session.
    """

    key: str
    what: str
    digest: str


def run_name(settings: Settings, seed: int, known: list[Input] | None = None) -> str:
    """The name of the run of some settings under a seed, however many iterations it has. 32 hexadecimal digits.

    One with code of an interactive session, which no file holds, has another name every time, and so has one with code
    of the user's that this process computes. Code of the user's may read how many iterations there are.

    Arguments:
        settings: of the run.
        seed: of the run.
        known: its inputs, where they are at hand.

    Raises:
        OtaflError: inputs that cannot be had.
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
    }
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _uplink(told: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Return keys of the uplink that are not at their default, its parts as names of runs have them from the start."""
    parts = {key: value for key, value in told.items() if key in chain.COMPUTING or key == "precoder"}
    own = chain.names(settings.with_values({"uplink.precoder": None}))["precoder"]
    return {key: value for key, value in told.items() if key not in parts} | old_keys.before(parts, own)


def inputs(settings: Settings) -> list[Input]:
    """Return the inputs of a run as they are now: data, modules of its model and schemes, a file of channels.

    Raises:
        OtaflError: data that cannot be had, or a file of code that has changed since it was imported.
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
    """Return what decides, beside its inputs, whether a run can have the name that these give it.

    Arguments:
        settings: of the run.
        here: whether this process computes it, whose state no file tells where there is code of the user's.
    """
    if not user_classes.theirs(settings):
        return []
    return [Input(HERE, "", "")] if here and not loaded.ours else [Input(GLOBAL, *pair) for pair in loaded.set_anew()]


def require_unchanged(settings: Settings, known: list[Input]) -> None:
    """Refuse a run that would not be computed from what its name stands for.

    Arguments:
        settings: of the run.
        known: its inputs as they were when it was named.

    Raises:
        OtaflError: one of them has changed since, or cannot be had any more.
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
        loaded.require_as_loaded(*one, SET_ANEW)
    if user_classes.theirs(settings) and not any(one.key == HERE or not one.digest for one in known):
        loaded.require_all_said(plugins.KEY)
