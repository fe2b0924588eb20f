"""Scenarios stored in results, which another version of otafl may have written.

Renamed keys are read under their present names. Removed keys are left out. Keys that came later get the value that
describes the earlier behaviour. A user's own file is read more strictly: an unknown key is a mistake there, and an old
name gives a warning.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from otafl.errors import OtaflError
from otafl.losses import PROBLEMS
from otafl.scenario import old_keys, user_classes
from otafl.scenario.dotted_keys import RENAMED, fields, flatten, nest, require_known, without
from otafl.scenario.file import tables
from otafl.scenario.scenario import Scenario
from otafl.scenario.sweeps import HEADINGS, dimensions, flat, flat_sweep, plot_table
from otafl.scenario.validation import validated
from otafl.settings.keys import Settings
from otafl.settings.plot import Plot
from otafl.settings.run import Run
from otafl.user_code import plugins

BEFORE = {"uplink.symbols_per_slot": "as_printed"}
"""Values of later keys that describe the behaviour before them, where they are not the defaults."""
KIND = "problem.kind"
TARGETS = (KIND, "run.target_loss", "run.target_accuracy")
"""Keys that say which target is to be reached."""
METRICS = "run.metrics"
NOT_IMPORTED = "reading a study imports no module that it names; where you trust them, name them with --plugins"
"""Hint for a stored scenario that cannot be understood and names user's modules."""


def parse_stored(name: str, text: str, file: str, own: Sequence[str] = ()) -> Scenario:
    """Return the scenario of a result, without importing any module that it names.

    Arguments:
        name: name of the scenario.
        text: TOML from its ``to_toml``.
        file: the name or path that it was loaded from.
        own: names or paths of modules to import in place of those that it names.

    Raises:
        OtaflError: the text is not TOML, breaks a rule of this version, or needs modules that are not imported.
    """
    stored = tables(text, name)
    named = stored.get(plugins.KEY, [])
    user_classes.load(own)
    try:
        _require_known(stored if named and not own else {})
        return _parsed(name, stored, file)
    except OtaflError as error:
        if not named or own:
            raise
        raise OtaflError(plugins.KEY, named, f"{NOT_IMPORTED}; without them {error}") from None


def _require_known(stored: Mapping[str, Any]) -> None:
    """Refuse keys that neither this version nor an imported module has."""
    for key in sorted(RENAMED.get(key, key) for key in _keys(stored)):
        require_known(key, fields())


def _parsed(name: str, stored: Mapping[str, Any], file: str) -> Scenario:
    """Return the scenario of stored tables, without unknown keys."""
    before = without(BEFORE, _keys(stored))
    current = old_keys.current_tables(stored, old_keys.moved(*flat(stored)), known=fields())
    plot = {key: value for key, value in current["plot"].items() if key in Plot.model_fields}
    return Scenario.from_tables(name, nest(before, onto=current | {"plot": plot}), {}, file, asked=())


def plan(text: str) -> Run:
    """Return the length, seeds and recording of a stored scenario, its table ``run`` without metrics.

    No other table is read, and so a metric of the user's need not be known.

    Arguments:
        text: TOML of the scenario.

    Returns:
        Keys of the table, such as ``iterations`` and ``seeds``.

    Raises:
        OtaflError: the text is not TOML, or breaks a rule of these keys.
    """
    given = _current(flatten(without(tables(text, "study"), HEADINGS)), without(fields(), [METRICS]))
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
    fixed: dict[str, Any]
    classifies: bool
    target: tuple[str, float]


def about(text: str) -> About:
    """Return the subject of a result's figure and summary: keys of the figure, fixed keys, kind of problem and target.

    Arguments:
        text: TOML of the result's scenario.

    Raises:
        OtaflError: the text is not TOML, or its figure or target break a rule.
    """
    stored = tables(text, "result")
    given = _current(flatten(without(stored, HEADINGS)), fields())
    given_sweep = flat_sweep(stored.get("sweep", {}))
    swept = _current(given_sweep, fields())
    metrics = given.get(METRICS, [])
    if not isinstance(metrics, list) or not all(isinstance(name, str) for name in metrics):
        raise OtaflError(METRICS, metrics, "must be a list of names")
    told = {key: given[key] for key in TARGETS if key in given}
    if told.get(KIND, "") not in PROBLEMS:  # a user's loss, which has the target of a regression
        told.pop(KIND, None)
    checked = validated(Settings, nest(told))
    fixed = {key: field.default for key, field in fields().items()} | given
    figure = old_keys.figure(plot_table(stored), given_sweep)
    plot = figure_of(_current(figure, Plot.model_fields), metrics)
    return About(plot, without(fixed, swept), checked.classifies, checked.target)


def figure_of(keys: dict[str, Any], metrics: Any) -> Plot:
    """Return the figure of some keys, which may show a metric of the user's that is not registered here.

    Arguments:
        keys: keys of the table ``plot``.
        metrics: names that ``y`` may have beside those of known variables, a list.

    Raises:
        OtaflError: a value breaks a rule of its key.
    """
    shown = {"y": keys.pop("y")} if isinstance(metrics, list) and keys.get("y") in metrics else {}
    return validated(Plot, keys, under="plot.").model_copy(update=shown)


def removed_keys(text: str) -> list[str]:
    """Return the dotted keys of a stored scenario that no longer exist, sorted.

    A scenario with user's modules gives none, as these may have keys of their own.

    Arguments:
        text: TOML of the scenario.

    Raises:
        OtaflError: the text is not TOML, or its tables have another form.
    """
    stored = tables(text, "result")
    if stored.get("plugins"):
        return []
    plot = {f"plot.{key}" for key in plot_table(stored) if key not in Plot.model_fields}
    return sorted(plot | {key for key in _keys(stored) if RENAMED.get(key, key) not in fields()})


def renamed_dimensions(text: str) -> dict[str, tuple[str, dict[Any, Any]]]:
    """Return the dimensions of a result that have another name in this version, with the present values on them.

    Arguments:
        text: TOML of the result's scenario.

    Returns:
        By old name: the present name, and the present values by the stored ones.

    Raises:
        OtaflError: the text is not TOML, or its sweep is not a table.
    """
    stored = flat_sweep(tables(text, "result").get("sweep", {}))
    swept = {key: values for key, values in stored.items() if isinstance(values, list) and _plain(values)}
    found, values = old_keys.dimensions(swept), zip(swept.values(), old_keys.current(swept).values(), strict=True)
    both = dict(zip(dimensions(swept), values, strict=True))
    return {old: (new, dict(zip(*both[old], strict=True))) for old, new in found.items()}


def _plain(values: list[Any]) -> bool:
    """Return True for values that a coordinate may have."""
    return not any(isinstance(value, list | dict) for value in values)


def _keys(stored: Mapping[str, Any]) -> set[str]:
    """Return the dotted keys of runs in a stored scenario."""
    return set().union(*flat(stored))


def _current(values: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return values by the present names of their keys, without keys that no longer exist."""
    return {key: value for key, value in old_keys.current(values).items() if key in known}
