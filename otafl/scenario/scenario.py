"""Scenarios: what a study fixes, what it sweeps, and the figure it ends in."""

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import tomli_w
from pydantic import Field

from otafl import algorithms, uplinks
from otafl.algorithms import Method
from otafl.errors import OtaflError
from otafl.scenario import keys_read, old_keys, rules, sweeps, toml, user_classes, variants
from otafl.scenario.dotted_keys import fields, flatten, nest, require_known, without
from otafl.scenario.validation import validated
from otafl.settings.keys import Settings, Table
from otafl.settings.plot import Plot
from otafl.variables import VARIABLES, WHY_ABSENT, Source

FIGURE = "plot."
"""What keys of the figure begin with."""


class Scenario(Table, frozen=True):
    """A study: settings, the keys it sweeps, and the figure it ends in.

    Arguments:
        name: of its result.
        file: where it comes from: the name of one that comes with otafl, or a path.
    """

    name: str
    file: str
    title: str = ""
    settings: Settings
    sweep: dict[str, list[Any]] = Field(default_factory=dict)
    per_method: dict[str, dict[str, Any]] = Field(default_factory=dict)
    plot: Plot = Plot()

    @classmethod
    def from_tables(
        cls,
        name: str,
        tables: Mapping[str, Any],
        overrides: Mapping[str, Any],
        file: str,
        asked: Collection[str] | None = None,
    ) -> "Scenario":
        """A scenario from the tables of its TOML and from other values for some dotted keys.

        What none of its runs reads is left at its default, unless it was asked for: by an override, or by the tables
        (of which ``asked`` names the keys if not all count), where it is not idle because of an override.

        Raises:
            OtaflError: an unknown key, a value that breaks a rule, parts that contradict each other, or a key that was
                asked for and that nothing reads.
        """
        if not isinstance(overrides, Mapping):
            raise OtaflError("overrides", overrides, "must map dotted keys to values")
        user_classes.load(overrides.get("plugins", ()))
        gone = old_keys.moved(*sweeps.flat(tables), overrides)
        tables = old_keys.current_tables(tables, gone, remark=True)
        overrides = old_keys.current(overrides, gone, remark=True)
        asked = None if asked is None else old_keys.keys(asked, gone)
        given = cls._given_by(name, file, tables, overrides)
        before = _read_without(tables, name, file) if overrides else ()
        of_tables = {*(given._given if asked is None else asked)}.difference(before)
        scenario = given._without_unread(of_tables.union(overrides))
        scenario = scenario if "plot.panels" in overrides else scenario._without_idle_panels(tables)
        for _, settings in scenario.points():
            rules.check(settings)
        scenario._check_plot()
        return scenario._with_plugins()

    @classmethod
    def _given_by(cls, name: str, file: str, tables: Mapping[str, Any], overrides: Mapping[str, Any]) -> "Scenario":
        """A scenario of which it has not been looked at what its runs read."""
        given = validated(cls, {"name": name, "file": file} | _parts(tables, overrides), strip="settings.")
        sweeps.dimensions(given.sweep)
        sweeps.require_few("sweep", given.sweep, math.prod(map(len, given.sweep.values())))
        return given

    def _with_plugins(self) -> "Scenario":
        """This scenario, which names all modules of the user's own that its runs need and that others can import."""
        found = user_classes.sources(settings for _, settings in self.points())
        needed = [name for name, file in found.items() if file and name not in self.settings.plugins]
        named = {"plugins": (*self.settings.plugins, *needed)}
        settings = validated(Settings, self.settings.model_dump(exclude_unset=True) | named)
        return self.model_copy(update={"settings": settings}) if needed else self

    def _without_unread(self, asked: Collection[str]) -> "Scenario":
        """This scenario with what none of its runs reads at its default, which must not have been asked for."""
        given = list(self._as_given())
        points = [settings for _, settings in given]
        unread = without(self._given, keys_read.keys_read_by(points))
        _refuse({key: value for key, value in unread.items() if key in asked}, points)
        for method, table in self.per_method.items():
            own = [settings for point, settings in given if method in variants.lineage(self.method_of(point))]
            _refuse(without(table, keys_read.keys_read_by(own)), own, f"per_method.{method}.")
        if not unread:
            return self
        fixed = flatten(self.settings.model_dump(exclude_unset=True))
        settings = validated(Settings, nest(without(fixed, unread)))
        return self.model_copy(update={"settings": settings, "sweep": without(self.sweep, unread)})

    @property
    def _given(self) -> dict[str, Any]:
        """The dotted keys that have a value, swept ones with their values."""
        return flatten(self.settings.model_dump(exclude_unset=True)) | self.sweep

    def points(self) -> Iterator[tuple[dict[str, Any], Settings]]:
        """Every combination of swept values with the settings of its runs, the last swept key fastest."""
        for point, settings in self._as_given():
            yield point, keys_read.resolved(settings)

    def method_of(self, point: Mapping[str, Any]) -> str:
        """The method of a point of the sweep, in its variant."""
        return point.get("method", self.settings.method)

    def _as_given(self) -> Iterator[tuple[dict[str, Any], Settings]]:
        """Every combination of swept values with its settings as they were given."""
        for values in itertools.product(*self.sweep.values()):
            point = dict(zip(self.sweep, values, strict=True))
            name = self.method_of(point)
            keys = variants.own(self.per_method, name) | point | variants.fixed(name)
            yield point, validated(Settings, nest(keys, onto=self.settings.model_dump(exclude_unset=True)))

    def override(self, overrides: Mapping[str, Any]) -> "Scenario":
        """This scenario with other values for some dotted keys; a list sweeps the key.

        Raises:
            OtaflError: as ``load`` does.
        """
        return Scenario.from_tables(self.name, self._tables(exclude_unset=True), overrides, self.file)

    def _tables(self, exclude_unset: bool = False) -> dict[str, Any]:
        """The scenario as the tables of its TOML."""
        flat = flatten(self.settings.model_dump(exclude_none=True, exclude_unset=exclude_unset))
        plot = self.plot.model_dump(mode="json", exclude_none=True)
        tables = {"title": self.title, **nest(without(flat, self.sweep)), "plot": plot}
        listed = {"sweep": self.sweep, "per_method": self.per_method}
        return tables | {name: table for name, table in listed.items() if table}

    def _without_idle_panels(self, tables: Mapping[str, Any]) -> "Scenario":
        """This scenario without panels for a dimension that its tables sweep, where overrides leave one value of it, or
        no other one to draw against."""
        swept = [name for name in sweeps.dimensions(self.sweep) if name != "scheme"]
        alone = self.plot.kind != "curve" and swept == [self.plot.panels]
        if not self.plot.panels or (self.plot.panels in sweeps.dimensions(self.sweep) and not alone):
            return self
        before = sweeps.dimensions(_parts(tables, {})["sweep"])
        if self.plot.panels not in before or len(before) == len(self.sweep):
            return self
        return self.model_copy(update={"plot": self.plot.model_copy(update={"panels": ""})})

    def _check_plot(self) -> None:
        for key in ("y", "x", "cost"):
            name = getattr(self.plot, key)
            if name in VARIABLES and name not in self.variables:
                raise OtaflError(f"plot.{key}", name, WHY_ABSENT[VARIABLES[name].brought_by])
        swept = sweeps.dimensions(self.sweep)
        if self.plot.panels and self.plot.panels not in swept:
            rule = f"must be a dimension that the scenario sweeps: {', '.join(swept) or 'there is none'}"
            raise OtaflError("plot.panels", self.plot.panels, rule)
        self.plot.require_axis([name for name in swept if name != "scheme"])

    @property
    def trains(self) -> bool:
        """Whether networks are trained, or federated methods run."""
        return self.settings.classifies or any(not method.exact for method in self._methods)

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables of its results: those that all its methods have, and the one that its figure is about.

        One that some methods lack would be missing there, and with it the methods where rows with gaps are dropped.
        """
        return tuple(
            name for name in VARIABLES if self._has(name, all) or (name == self.plot.y and self._has(name, any))
        )

    def _has(self, variable: str, quantified: Callable[[Iterable[bool]], bool]) -> bool:
        """Whether all methods, or any, bring a variable."""
        brings: dict[Source, Iterable[bool]] = {
            "residuals": (method.has_residuals for method in self._methods),
            "penalty": (method.has_penalty for method in self._methods),
            "air": (uplinks.is_analog(settings) for _, settings in self.points()),
            "sum": (not uplinks.is_exact(settings) for _, settings in self.points()),
            "energy": (settings.energy.whole for _, settings in self.points()),
            "classification": [self.settings.classifies],
            "training": [self.trains],
        }
        return quantified(brings.get(VARIABLES[variable].brought_by, [True]))

    @property
    def _methods(self) -> list[Method]:
        return [algorithms.parse(name)[0] for name in self.sweep.get("method", [self.settings.method])]

    def to_toml(self, read: Collection[str] | None = None) -> str:
        """The resolved scenario as TOML, every key that has a value; the others are left to the method.

        Arguments:
            read: dotted keys that its runs read; all others are marked. Left out, none is.
        """
        text = tomli_w.dumps(self._tables())
        return text if read is None else toml.marked(text, fields().keys() - set(read), "not read")


def _refuse(unread: Mapping[str, Any], points: Collection[Settings], prefix: str = "") -> None:
    """Refuse keys that none of some runs reads, unless they have their default value."""
    for key, value in unread.items():
        if value != fields()[key].default:
            raise OtaflError(prefix + key, value, keys_read.why_unread(key, points))


def _read_without(tables: Mapping[str, Any], name: str, file: str) -> Collection[str]:
    """Return the dotted keys that the runs of tables alone read; all, where these are no scenario."""
    try:
        given = Scenario._given_by(name, file, tables, {})
        return keys_read.keys_read_by(settings for _, settings in given._as_given())
    except OtaflError:
        return fields()


def _parts(tables: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a scenario but its name, not yet validated."""
    of_figure = {key.removeprefix(FIGURE): value for key, value in overrides.items() if str(key).startswith(FIGURE)}
    overrides = {key: value for key, value in overrides.items() if not str(key).startswith(FIGURE)}
    own = sweeps.for_single_methods(tables.get("per_method", {}), overrides)
    swept, fixed = sweeps.swept_and_fixed(tables.get("sweep", {}), without(tables, sweeps.HEADINGS), overrides)
    methods = swept.get("method", [fixed.get("method", fields()["method"].default)])
    sweeps.require_one_uplink(swept, overrides, methods)
    run = sweeps.of_methods_run(own, methods, strict="method" not in overrides)
    swept, run = sweeps.with_variants(swept, methods, run)
    plot = sweeps.plot_table(tables) | of_figure
    for key in plot:
        require_known(FIGURE + key, [FIGURE + known for known in Plot.model_fields])
    return {
        "title": tables.get("title", ""),
        "plot": plot,
        "settings": nest(fixed | {key: values[0] for key, values in swept.items()}),
        "sweep": swept,
        "per_method": run,
    }
