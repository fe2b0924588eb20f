"""Scenarios stored in results, which are read without importing a module of the user's.

Keys that this version does not have are left out. In a user's own file an unknown key is a mistake, and refused.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from otafl.errors import OtaflError
from otafl.losses import PROBLEMS
from otafl.scenario import user_classes
from otafl.scenario.dotted_keys import fields, flatten, nest, require_known, without
from otafl.scenario.scenario import Scenario
from otafl.scenario.sweeps import HEADINGS, flat, flat_sweep, plot_table
from otafl.scenario.toml import tables
from otafl.scenario.validation import validated
from otafl.settings.keys import Settings
from otafl.settings.plot import Plot
from otafl.settings.run import Run
from otafl.settings.types import Tables, Values
from otafl.user_code import plugins

KIND = "problem.kind"
TARGETS = (KIND, "run.target_loss", "run.target_accuracy")
"""Keys that say which target is to be reached."""
METRICS = "run.metrics"
NOT_IMPORTED = "reading a study imports no module that it names; where you trust them, name them with --plugins"
"""Hint for a stored scenario that cannot be understood and names user's modules."""


def parse_stored(name: str, text: str, file: str, modules: Sequence[str] = ()) -> Scenario:
    """Return the scenario of a result, without importing any module that it names.

    Arguments:
        name: name of the scenario.
        text: TOML from its ``to_toml``.
        file: the name or path that it was loaded from.
        modules: names or paths of modules to import in place of those that it names.

    Raises:
        OtaflError: the text is not TOML, breaks a rule of this version, or needs modules that are not imported.
    """
    stored = tables(text, name)
    named = stored.get(plugins.KEY, [])
    user_classes.load(modules)
    try:
        if named and not modules:
            _require_known(stored)
        return Scenario.from_tables(name, _with_known_keys(stored), {}, file, asked=())
    except OtaflError as error:
        if not named or modules:
            raise
        raise OtaflError(plugins.KEY, named, f"{NOT_IMPORTED}; without them {error}") from None


def _require_known(stored: Tables) -> None:
    """Refuse keys that neither this version nor an imported module has."""
    for key in sorted(set().union(*flat(stored))):
        require_known(key, fields())


def _with_known_keys(stored: Tables) -> Tables:
    fixed, swept, *of_methods = (_known(table) for table in flat(stored))
    return {
        "title": stored.get("title", ""),
        "plot": _known(plot_table(stored), Plot.model_fields),
        "sweep": swept,
        "per_method": dict(zip(stored.get("per_method", {}), of_methods, strict=True)),
        **nest(fixed),
    }


def _known(values: Values, keys: Collection[str] | None = None) -> Values:
    """Return the values of keys that this version has."""
    keys = fields() if keys is None else keys
    return {key: value for key, value in values.items() if key in keys}


def plan(text: str) -> Run:
    """Return the table ``run`` of a stored scenario, without its metrics, which may be the user's and unknown here."""
    given = _known(flatten(without(tables(text, "study"), HEADINGS)), without(fields(), [METRICS]))
    return validated(Settings, nest({key: value for key, value in given.items() if key.startswith("run.")})).run


class About(NamedTuple):
    """Subject of a result's figure and summary, read from its scenario without any of the user's modules.

    Arguments:
        plot: keys of the figure.
        fixed: values of this version's keys that are the same in all runs, by dotted key.
        classifies: True where the problem is classification.
        target: the result variable in which the target is set, and the value to reach.
    """

    plot: Plot
    fixed: Values
    classifies: bool
    target: tuple[str, float]


def about(text: str) -> About:
    """Return the subject of a result's figure and summary from the TOML of its scenario."""
    stored = tables(text, "result")
    given, swept = (_known(keys) for keys in (flatten(without(stored, HEADINGS)), flat_sweep(stored.get("sweep", {}))))
    metrics = given.get(METRICS, [])
    if not isinstance(metrics, list) or not all(isinstance(name, str) for name in metrics):
        raise OtaflError(METRICS, metrics, "must be a list of names")
    target = _known(given, TARGETS)
    if target.get(KIND, "") not in PROBLEMS:  # a user's loss, which has the target of a regression
        target.pop(KIND, None)
    checked = validated(Settings, nest(target))
    fixed = {key: field.default for key, field in fields().items()} | given
    plot = figure_of(_known(plot_table(stored), Plot.model_fields), metrics)
    return About(plot, without(fixed, swept), checked.classifies, checked.target)


def figure_of(keys: Values, metrics: Collection[str]) -> Plot:
    """Return the figure of some keys, which may show a metric of the user's that is not registered here."""
    shown = {"y": keys["y"]} if keys.get("y") in metrics else {}
    return validated(Plot, without(keys, shown), under="plot.").model_copy(update=shown)


def removed_keys(text: str) -> list[str]:
    """Return the dotted keys of a stored scenario that this version does not have, sorted.

    A scenario with user's modules gives none, as these may have keys of their own.
    """
    stored = tables(text, "result")
    if stored.get(plugins.KEY):
        return []
    given = set().union(*flat(stored)) | {f"plot.{key}" for key in plot_table(stored)}
    return sorted(given - fields().keys() - {f"plot.{key}" for key in Plot.model_fields})
