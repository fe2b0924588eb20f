"""Scenarios stored in results, which are read without importing a module of the user's.

Keys that this version does not have are left out. In a user's own file an unknown key is a mistake, and refused.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from otafl.errors import OtaflError
from otafl.losses import PROBLEMS
from otafl.scenario import user_classes
from otafl.scenario.dotted_keys import fields, nest, validated, without
from otafl.scenario.scenario import Scenario
from otafl.scenario.sweeps import FIGURE, Flat, flat
from otafl.scenario.toml import tables
from otafl.settings.keys import Settings
from otafl.settings.plot import Plot
from otafl.settings.run import Run
from otafl.settings.types import Values
from otafl.user_code import plugins

KIND = "problem.kind"
TARGETS = (KIND, "run.target_loss", "run.target_accuracy", "run.stop_at")
METRICS = "run.metrics"
NOT_IMPORTED = "reading a study imports no module that it names; where you trust them, add --plugins"


def parse_stored(name: str, text: str, file: str, modules: Sequence[str] = ()) -> Scenario:
    """Return the scenario of a result from its TOML; ``modules`` are imported in place of those that it names."""
    stored = tables(text, name)
    named = stored.get(plugins.KEY, [])
    user_classes.load(modules)
    try:
        given = flat(stored)
        unknown = {*given.fixed, *given.swept}.union(*given.of_methods.values()) - fields().keys()
        if unknown and named and not modules:
            raise OtaflError("scenario key", min(unknown), "unknown key")
        return Scenario.from_tables(name, _known(given).tables(stored.get("title", "")), {}, file, asked=())
    except OtaflError as error:
        if not named or modules:
            raise
        words = " ".join(map(str, named if isinstance(named, list) else [named]))
        raise OtaflError(plugins.KEY, named, f"{NOT_IMPORTED} {words}; without them {error}") from None


def _known(given: Flat) -> Flat:
    fixed, swept, *of_methods = (_only(table, fields()) for table in (*given[:2], *given.of_methods.values()))
    by_method = dict(zip(given.of_methods, of_methods, strict=True))
    return Flat(fixed, swept, by_method, _only(given.plot, Plot.model_fields))


def _only(values: Values, keys: Collection[str]) -> Values:
    return {key: value for key, value in values.items() if key in keys}


def plan(text: str) -> Run:
    """Return the table ``run`` of a stored scenario, without its metrics, which may be the user's and unknown here."""
    given = without(_known(flat(tables(text, "study"))).fixed, [METRICS])
    return validated(Settings, nest({key: value for key, value in given.items() if key.startswith("run.")})).run


class About(NamedTuple):
    """Subject of a result's figure and summary; a target is a result variable and the value to reach."""

    plot: Plot
    fixed: Values
    classifies: bool
    target: tuple[str, float]


def about(text: str) -> About:
    """Return the subject of a result's figure and summary from the TOML of its scenario."""
    given, swept, _, plot = _known(flat(tables(text, "result")))
    metrics = given.get(METRICS, [])
    if not isinstance(metrics, list) or not all(isinstance(name, str) for name in metrics):
        raise OtaflError(METRICS, metrics, "must be a list of names")
    target = _only(given, TARGETS)
    if target.get(KIND, "") not in PROBLEMS:  # a user's loss, which has the target of a regression
        target.pop(KIND, None)
    checked = validated(Settings, nest(target))
    fixed = {key: field.default for key, field in fields().items()} | given
    return About(figure_of(plot, metrics), without(fixed, swept), checked.classifies, checked.target)


def figure_of(keys: Values, metrics: Collection[str]) -> Plot:
    """Return the figure of some keys, which may show a metric of the user's that is not registered here."""
    shown = {"y": keys["y"]} if keys.get("y") in metrics else {}
    return validated(Plot, without(keys, shown), under="plot.").model_copy(update=shown)


def removed_keys(text: str) -> list[str]:
    """Return the keys that this version lacks, sorted; none where the user's modules may have keys."""
    stored = tables(text, "result")
    if stored.get(plugins.KEY):
        return []
    given = flat(stored)
    known = fields().keys() | {FIGURE + key for key in Plot.model_fields}
    return sorted(given.keys.union(*given.of_methods.values()) - known)
