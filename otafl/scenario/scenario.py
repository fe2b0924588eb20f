"""Scenarios: settings, swept keys and the figure of a study."""

import functools
import itertools
import math
import operator
import warnings
from collections.abc import Collection, Iterator, Mapping

import tomli_w
from pydantic import Field

from otafl import algorithms
from otafl.errors import OtaflError, Remark
from otafl.metrics.result_variables import ITERATION, VARIABLES, WHY_ABSENT
from otafl.scenario import keys_read, rules, sweeps, toml, user_classes, variants
from otafl.scenario.dotted_keys import WHOLE, alternatives, fields, flatten, nest, require_known, validated, without
from otafl.scenario.sweeps import FIGURE
from otafl.scenario.variable_sources import variables
from otafl.scenario.variants import OfMethods
from otafl.settings.keys import ALL_DEFAULTS, Settings
from otafl.settings.plot import Plot, changed
from otafl.settings.types import Table, Tables, Value, Values
from otafl.system.home import at_home
from otafl.uplinks import chain

SCHEME = "uplink.scheme"


class Scenario(Table, frozen=True):
    """Study: settings, swept keys and a figure.

    Arguments:
        name: name of the result.
        file: origin: the name of a scenario that comes with otafl, or a path.
        title: one line about the study.
        settings: fixed keys, and the first value of each swept key.
        sweep: list of values of each swept key, by dotted key, such as "method" or "channel.snr_db".
        per_method: values of keys of single methods, by method and dotted key.
        plot: keys of the figure, table ``plot``.
    """

    name: str
    file: str
    title: str = ""
    settings: Settings
    sweep: sweeps.Sweep = Field(default_factory=dict)
    per_method: OfMethods = Field(default_factory=dict)
    plot: Plot = ALL_DEFAULTS

    @classmethod
    def from_tables(
        cls, name: str, tables: Tables, overrides: Mapping[str, Value], file: str, asked: Collection[str] | None = None
    ) -> "Scenario":
        """Return the scenario of TOML tables, those of bases included, and overrides; a list sweeps its key.

        A key that no run reads has its default, and one of the figure that does not fit the study the nearest value
        that does. Refused are those that were asked for: by an override, or by the tables (``asked``; None: all).
        """
        if not isinstance(overrides, Mapping):
            raise OtaflError("overrides", overrides, "must map dotted keys to values")
        overrides = {key: at_home(value) for key, value in overrides.items()}
        user_classes.load(overrides.get("plugins", ()))
        given = cls._given_by(name, file, tables, overrides)
        # what runs of the tables alone would read, an override has made idle; what they would not is a mistake
        before = _read_without(tables, name, file) if overrides else ()
        of_tables = {*(given._given if asked is None else asked)}.difference(before)
        scenario = given._without_unread(of_tables.union(overrides), overrides)
        scenario._remark_without_effect(of_tables.union(overrides))
        scenario = scenario._titled(tables, overrides)
        for _, settings in scenario.points():
            rules.check(settings)
        for method in scenario.sweep.get("method", [scenario.settings.method]):
            algorithms.parse(method)
        of_figure = sweeps.flat(tables).keys if asked is None else {*asked}
        changed = any(not str(key).startswith(FIGURE) for key in overrides)
        fitted = scenario._with_fitting_plot({*overrides} if changed else of_figure.union(overrides))
        if FIGURE + "kind" in overrides:
            fitted.plot.require_axis(sweeps.dimensions(fitted.sweep))
        return fitted._with_plugins()

    @classmethod
    def _given_by(cls, name: str, file: str, tables: Tables, overrides: Mapping[str, Value]) -> "Scenario":
        """Return a scenario whose unread keys are not yet looked for."""
        given = validated(cls, {"name": name, "file": file} | _parts(tables, overrides), strip="settings.")
        sweeps.dimensions(given.sweep)
        points = math.prod(map(len, given.sweep.values()))
        sweeps.require_few("sweep", given.sweep, points)
        if (runs := points * given.settings.run.seeds) > sweeps.MOST_RUNS:
            rule = f"makes {runs:,} runs, but a study can have at most {sweeps.MOST_RUNS:,}; use fewer seeds"
            raise given.settings.refusal("run.seeds", rule)
        return given

    def _with_plugins(self) -> "Scenario":
        """Return this scenario with the names of all user's modules that other processes import for its runs."""
        modules = user_classes.to_import(settings for _, settings in self.points())
        needed = [name for name in modules if name not in self.settings.plugins]
        named = {"plugins": (*self.settings.plugins, *needed)}
        settings = validated(Settings, self.settings.model_dump(exclude_unset=True) | named)
        return self.model_copy(update={"settings": settings}) if needed else self

    def _without_unread(self, asked: Collection[str], overrides: Collection[str]) -> "Scenario":
        """Return this scenario with unread keys at their defaults; refuse those that were asked for."""
        given = list(self._as_given())
        points = [settings for _, settings in given]
        unread = without(self._given, keys_read.keys_read_by(points))
        _refuse({key: value for key, value in unread.items() if key in asked}, points, overrides)
        for method, table in self.per_method.items():
            of_method = [settings for point, settings in given if method in variants.lineage(self.method_of(point))]
            _refuse(without(table, keys_read.keys_read_by(of_method)), of_method, (), f"per_method.{method}.")
        if not unread:
            return self
        fixed = flatten(self.settings.model_dump(exclude_unset=True))
        settings, sweep = validated(Settings, nest(without(fixed, unread))), without(self.sweep, unread)
        plot = {key: value for key, value in self.plot.model_dump().items() if FIGURE + key in asked}
        return self.model_copy(update={"settings": settings, "sweep": sweep, "plot": self._figure(plot, sweep)})

    def _remark_without_effect(self, asked: Collection[str]) -> None:
        """Remark on keys of the user's methods and parts that were asked for and that no code of the user's names."""
        given = {key: value for key, value in self._given.items() if key in asked}
        idle = user_classes.without_effect(given, (settings for _, settings in self.points()))
        for key, scheme in idle.items():
            why = f"no file of {scheme} names it; unless other code reads it, it has no effect"
            warnings.warn(f"{key} = {given[key]!r}: {why}", Remark, stacklevel=3)

    def _titled(self, tables: Tables, overrides: Mapping[str, Value]) -> "Scenario":
        """Return this scenario with its methods as its title, where overrides set others and the title names some."""
        before = _listed(sweeps.flat(tables).swept.get("method", tables.get("method")))
        methods = _listed(overrides.get("method")) or before
        if methods == before or not algorithms.named_in(self.title):
            return self
        *others, last = methods
        listed = f"{', '.join(others)} and {last}" if others else last
        return self.model_copy(update={"title": f"As {self.name}, with {listed}"})

    @property
    def _given(self) -> Values:
        """Dotted keys that have a value; swept ones with all their values."""
        return flatten(self.settings.model_dump(exclude_unset=True)) | self.sweep

    def points(self) -> Iterator[tuple[Values, Settings]]:
        """Yield each point of the sweep, values by swept key, the last changing fastest, with its resolved settings."""
        for point, settings in self._as_given():
            yield point, keys_read.resolved(settings)

    @property
    def read(self) -> frozenset[str]:
        """Dotted keys that at least one run of the study reads, with a scheme that chooses parts of the uplink."""
        return keys_read.keys_read_by(settings for _, settings in self._as_given())

    @property
    def scheme_lines(self) -> list[str]:
        """Lines of text on the parts that the schemes of its runs choose, one for each scheme."""
        lines = dict.fromkeys(chain.scheme_line(settings) for _, settings in self._as_given())
        return [line for line in lines if line]

    @property
    def _by_scheme(self) -> frozenset[str]:
        """Dotted keys of parts that follow from the schemes of all runs that have such a part."""
        if not any(SCHEME in given for given in (self._given, *self.per_method.values())):
            return frozenset()
        points = [settings for _, settings in self._as_given()]
        return frozenset().union(*map(keys_read.keys_by_scheme, points)) - keys_read.keys_read_by(points)

    def method_of(self, point: Mapping[str, Value]) -> str:
        """Return the method of a point of the sweep, with its uplink and label, such as "FedProx@analog mild"."""
        return point.get("method", self.settings.method)

    def _as_given(self) -> Iterator[tuple[Values, Settings]]:
        """Yield each point of the sweep with its settings as they were given."""
        for values in itertools.product(*self.sweep.values()):
            point = dict(zip(self.sweep, values, strict=True))
            name = self.method_of(point)
            # a sweep has the last word over keys of single methods, and the variant's name over the sweep
            keys = variants.own(self.per_method, name) | point | variants.fixed(name)
            yield point, validated(Settings, nest(keys, onto=self.settings.model_dump(exclude_unset=True)))

    def override(self, overrides: Mapping[str, Value]) -> "Scenario":
        """Return this scenario with other values by dotted key, where a list sweeps it; all is checked as a whole."""
        return Scenario.from_tables(self.name, self._tables(exclude_unset=True), overrides, self.file)

    def with_seeds(self, first: int, count: int) -> "Scenario":
        """Return this scenario with other seeds; nothing else is checked anew, as in a stored one."""
        settings = self.settings.with_values({"run.seed": first, "run.seeds": count})
        return self.model_copy(update={"settings": settings})

    def _tables(self, exclude_unset: bool = False, idle: Collection[str] = ()) -> Values:
        flat = without(flatten(self.settings.model_dump(exclude_none=True, exclude_unset=exclude_unset)), idle)
        plot = self.plot.model_dump(mode="json", exclude_none=True)
        others = alternatives(functools.reduce(operator.or_, self.per_method.values(), self._given))
        empty = [key for key in WHOLE if not flat.get(key)]
        kept = without(flat, {*self.sweep, *self._by_scheme, *others, *empty})
        tables = {"title": self.title, **nest(kept), "plot": plot}
        listed = {"sweep": self.sweep, "per_method": self.per_method}
        return tables | {name: table for name, table in listed.items() if table}

    def _with_fitting_plot(self, asked: Collection[str]) -> "Scenario":
        """Return this scenario with the nearest figure that it has; remark on other keys, or refuse those asked for."""
        fitting: Values = {}
        for key, rule, nearest in self._misfits():
            value = getattr(self.plot, key)
            if FIGURE + key in asked:
                raise OtaflError(FIGURE + key, value, rule)
            said = f"{FIGURE}{key} = {value!r}: {rule}; the figure has {nearest or 'none'} here"
            warnings.warn(said, Remark, stacklevel=3)
            fitting[key] = nearest
        if FIGURE + "labels" in asked:
            self.plot.require_labels(self._labelled)
        fitting["labels"] = without(self.plot.labels, self.plot.unknown_labels(self._labelled))
        return self.model_copy(update={"plot": self._figure(fitting, self.sweep)})

    def _figure(self, given: Mapping[str, Value], sweep: Mapping[str, Value]) -> Plot:
        """Return the figure with other values or sweep; keys of axes that show something else have their defaults."""
        kept = changed(self.plot.model_dump(), given, sweeps.dimensions(self.sweep), sweeps.dimensions(sweep))
        lost = {key: field.default for key, field in Plot.model_fields.items() if key not in kept}
        return self.plot.model_copy(update=lost | dict(given))

    def _misfits(self) -> Iterator[tuple[str, str, str]]:
        """Yield each key of the figure that its study does not have: key, rule that it breaks, nearest value."""
        curves = [name for name in self.variables if VARIABLES[name].brought_by != "study"]
        for key, nearest in {"y": self.settings.target[0], "x": "time_slots", "cost": "channel_uses"}.items():
            if (name := getattr(self.plot, key)) not in (ITERATION.name, *curves):
                known = WHY_ABSENT.get(VARIABLES[name].brought_by) if name in VARIABLES else None
                yield key, known or f"must be a variable of the result: {', '.join(curves)}", nearest
        swept = sweeps.dimensions(self.sweep)
        for key, rule in (("panels", self.plot.why_no_panels(swept)), ("over", self.plot.why_not_over(swept))):
            if rule:
                yield key, rule, ""
        methods = self.sweep.get("method", [])
        if self.plot.relative_to and (self.plot.relative_to not in methods or len(methods) == 1):
            yield "relative_to", f"must be a method among several: {', '.join(methods) or 'there is one'}", ""

    @property
    def _labelled(self) -> list[Value]:
        """All for which the figure may have texts: schemes and values of swept keys."""
        return [self.settings.method, *itertools.chain(*self.sweep.values())]

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the result's variables: those that at least one of its runs has."""
        has = set[str]().union(*(variables(settings) for _, settings in self.points()))
        return tuple(name for name in VARIABLES if name in has)

    def to_toml(self, read: Collection[str] | None = None, only: bool = False) -> str:
        """Return the scenario as TOML text, with every key that has a value; the methods decide on the others.

        Keys that are not among those ``read`` get a comment "not read", or with ``only`` are left out.
        """
        idle = set() if read is None else fields().keys() - set(read)
        text = tomli_w.dumps(self._tables(idle=idle if only else ()))
        return text if only else toml.marked(text, idle, "not read")


def _listed(methods: Value) -> list[str]:
    return [methods] if isinstance(methods, str) else [str(method) for method in methods or ()]


def _refuse(
    unread: Mapping[str, Value], points: Collection[Settings], overrides: Collection[str], prefix: str = ""
) -> None:
    """Refuse keys that no run reads, but for defaults in a file, as ``otafl show`` writes them, that no scheme sets."""
    for key, value in unread.items():
        if (
            (key in overrides and value is not None)
            or value != fields()[key].default
            or any(key in keys_read.keys_by_scheme(settings) for settings in points)
        ):
            raise OtaflError(prefix + key, value, keys_read.why_unread(key, points))


def _read_without(tables: Tables, name: str, file: str) -> Collection[str]:
    """Return the dotted keys that the runs of tables without overrides read; all keys where these are no scenario."""
    try:
        return Scenario._given_by(name, file, tables, {}).read
    except OtaflError:
        return fields()


def _parts(tables: Tables, overrides: Mapping[str, Value]) -> Values:
    """Return the fields of a scenario, but name and file, not yet validated."""
    of_figure = {key.removeprefix(FIGURE): value for key, value in overrides.items() if str(key).startswith(FIGURE)}
    overrides = {key: value for key, value in overrides.items() if not str(key).startswith(FIGURE)}
    given = sweeps.flat(tables)
    of_methods = sweeps.for_single_methods(given.of_methods, overrides)
    swept, fixed = sweeps.swept_and_fixed(given, overrides)
    methods = swept.get("method", [fixed.get("method", fields()["method"].default)])
    sweeps.require_one_uplink(swept, overrides, methods)
    of_methods = sweeps.of_methods_run(of_methods, methods, strict="method" not in overrides)
    sweeps.require_one_unit(functools.reduce(operator.or_, of_methods.values(), swept | fixed))
    swept, of_methods = sweeps.with_variants(swept, methods, of_methods)
    plot = changed(given.plot, of_figure, sweeps.dimensions(given.swept), sweeps.dimensions(swept))
    for key in plot:
        require_known(FIGURE + key, [FIGURE + known for known in Plot.model_fields])
    settings = nest(fixed | {key: values[0] for key, values in swept.items()})
    title = tables.get("title", "")
    return {"title": title, "plot": plot, "settings": settings, "sweep": swept, "per_method": of_methods}
