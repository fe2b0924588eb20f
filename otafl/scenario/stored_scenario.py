"""Scenarios as results hold them, which another version of otafl may have written.

A key that has another name now is read under that; one that is no more is left out; one that came later has the value
that says what was done before. In files of users an unknown key is a mistake, and one that has another name is remarked
upon.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from otafl.errors import OtaflError
from otafl.scenario import old_keys, user_classes
from otafl.scenario.dotted_keys import RENAMED, fields, flatten, nest, require_known, without
from otafl.scenario.file import tables
from otafl.scenario.scenario import Scenario
from otafl.scenario.sweeps import HEADINGS, dimensions, flat, flat_sweep, plot_table
from otafl.scenario.validation import validated
from otafl.settings.keys import Run, Settings
from otafl.settings.plot import Plot
from otafl.user_code import plugins

BEFORE = {"uplink.symbols_per_slot": "as_printed"}
"""What was done before there were some keys, where that is not their default."""
TARGETS = ("problem.kind", "run.target_loss", "run.target_accuracy")
"""Keys that say what is to be reached."""
NOT_IMPORTED = "reading a study imports no module that it names; where you trust them, name them with --plugins"
"""Hint for a stored scenario that is not understood, and names modules of the user's own."""


def parse_stored(name: str, text: str, file: str, own: Sequence[str] = ()) -> Scenario:
    """Parse the scenario of a result from its TOML text; none of the modules that it names is imported.

    Arguments:
        name: the scenario's.
        text: what its ``to_toml`` gave.
        file: the name or path that it was loaded from.
        own: modules to import in place of those that it names.

    Raises:
        OtaflError: it is not TOML, breaks a rule of this version, or needs modules that are not imported.
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
    """Refuse keys that are none of this version, nor of modules that are imported."""
    for key in sorted(RENAMED.get(key, key) for key in _keys(stored)):
        require_known(key, fields())


def _parsed(name: str, stored: Mapping[str, Any], file: str) -> Scenario:
    """A scenario from its stored tables, with what is known of them."""
    before = without(BEFORE, _keys(stored))
    current = old_keys.current_tables(stored, old_keys.moved(*flat(stored)), known=fields())
    plot = {key: value for key, value in current["plot"].items() if key in Plot.model_fields}
    return Scenario.from_tables(name, nest(before, onto=current | {"plot": plot}), {}, file, asked=())


def plan(text: str) -> Run:
    """Return the table run of a stored scenario, from its TOML text; no other table is looked at.

    Raises:
        OtaflError: it is not TOML, or breaks a rule of these keys.
    """
    given = _current(flatten(without(tables(text, "study"), HEADINGS)), fields())
    return validated(Settings, nest({key: value for key, value in given.items() if key.startswith("run.")})).run


class About(NamedTuple):
    """What the figure and the summary of a result are about, for which nothing of the user's own need be loaded.

    Arguments:
        plot: the figure.
        fixed: values of the dotted keys of this version that are the same in all runs.
        classifies: whether the problem is classification.
        target: the result variable in which the target is set, and the value to reach.
    """

    plot: Plot
    fixed: dict[str, Any]
    classifies: bool
    target: tuple[str, float]


def about(text: str) -> About:
    """What a result is about, from the text of its scenario.

    Raises:
        OtaflError: it is not TOML, or its figure or target are none.
    """
    stored = tables(text, "result")
    given = _current(flatten(without(stored, HEADINGS)), fields())
    given_sweep = flat_sweep(stored.get("sweep", {}))
    swept = _current(given_sweep, fields())
    checked = validated(Settings, nest({key: given[key] for key in TARGETS if key in given}))
    fixed = {key: field.default for key, field in fields().items()} | given
    figure = old_keys.figure(plot_table(stored), given_sweep)
    plot = validated(Plot, _current(figure, Plot.model_fields), under="plot.")
    return About(plot, without(fixed, swept), checked.classifies, checked.target)


def removed_keys(text: str) -> list[str]:
    """The dotted keys of a stored scenario that are no more; of one with modules of the user's own, which may know
    others, none.

    Raises:
        OtaflError: it is not TOML, or its tables are none.
    """
    stored = tables(text, "result")
    if stored.get("plugins"):
        return []
    plot = {f"plot.{key}" for key in plot_table(stored) if key not in Plot.model_fields}
    return sorted(plot | {key for key in _keys(stored) if RENAMED.get(key, key) not in fields()})


def renamed_dimensions(text: str) -> dict[str, tuple[str, dict[Any, Any]]]:
    """Return dimensions of a result whose swept key has another name now, from its stored scenario: that name, and the
    values of today by those that are stored."""
    stored = flat_sweep(tables(text, "result").get("sweep", {}))
    swept = {key: values for key, values in stored.items() if isinstance(values, list) and _plain(values)}
    found, values = old_keys.dimensions(swept), zip(swept.values(), old_keys.current(swept).values(), strict=True)
    both = dict(zip(dimensions(swept), values, strict=True))
    return {old: (new, dict(zip(*both[old], strict=True))) for old, new in found.items()}


def _plain(values: list[Any]) -> bool:
    """Return True for values that a coordinate may have."""
    return not any(isinstance(value, list | dict) for value in values)


def _keys(stored: Mapping[str, Any]) -> set[str]:
    """The dotted keys that runs of a stored scenario are given."""
    return set().union(*flat(stored))


def _current(values: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Values under the names that their keys have now, without those of keys that are no more."""
    return {key: value for key, value in old_keys.current(values).items() if key in known}
