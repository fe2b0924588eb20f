"""Scenarios: settings, swept keys and the figure of a study."""

import itertools
import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import tomli_w
from pydantic import Field

from otafl import algorithms, uplinks
from otafl.algorithms import Method
from otafl.errors import OtaflError
from otafl.metrics import REGISTERED
from otafl.scenario import keys_read, old_keys, rules, sweeps, toml, user_classes, variants
from otafl.scenario.dotted_keys import fields, flatten, nest, require_known, without
from otafl.scenario.validation import validated
from otafl.settings.keys import Settings
from otafl.settings.plot import Plot
from otafl.settings.types import Table
from otafl.uplinks import chain
from otafl.variables import VARIABLES, WHY_ABSENT, Source

SCHEME = "uplink.scheme"
FIGURE = "plot."
"""Beginning of the keys of the figure."""


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
        """Return the scenario of some TOML tables and overrides.

        Keys that no run reads are set to their defaults, unless they were asked for: by an override, or by the tables,
        where no override makes them unread.

        Arguments:
            name: name of the result.
            tables: as in TOML, those of bases included.
            overrides: values by dotted key; a list sweeps the key.
            file: the name or path that the scenario was loaded from.
            asked: dotted keys of the tables that count as asked for; None: all.

        Raises:
            OtaflError: an unknown key, a value that breaks a rule, keys that contradict each other, or a key that was
                asked for and that no run reads.
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
        """Return a scenario whose unread keys are not yet looked for."""
        given = validated(cls, {"name": name, "file": file} | _parts(tables, overrides), strip="settings.")
        sweeps.dimensions(given.sweep)
        sweeps.require_few("sweep", given.sweep, math.prod(map(len, given.sweep.values())))
        return given

    def _with_plugins(self) -> "Scenario":
        """Return this scenario with the names of all user's modules that its runs need and other processes can
        import."""
        found = user_classes.sources(settings for _, settings in self.points())
        needed = [name for name, file in found.items() if file and name not in self.settings.plugins]
        named = {"plugins": (*self.settings.plugins, *needed)}
        settings = validated(Settings, self.settings.model_dump(exclude_unset=True) | named)
        return self.model_copy(update={"settings": settings}) if needed else self

    def _without_unread(self, asked: Collection[str]) -> "Scenario":
        """Return this scenario with unread keys at their defaults; refuse those that were asked for."""
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
        """Dotted keys that have a value; swept ones with all their values."""
        return flatten(self.settings.model_dump(exclude_unset=True)) | self.sweep

    def points(self) -> Iterator[tuple[dict[str, Any], Settings]]:
        """Yield each point of the sweep, a value for each swept key, with the resolved settings of its runs.

        The last swept key changes fastest. A scenario without a sweep has one point.

        Returns:
            Iterator of pairs, values by dotted key and settings as a run uses them.
        """
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

    def method_of(self, point: Mapping[str, Any]) -> str:
        """Return the method of a point of the sweep, with its uplink and label, such as "FedProx@analog mild".

        Arguments:
            point: values of the swept keys, by dotted key.
        """
        return point.get("method", self.settings.method)

    def _as_given(self) -> Iterator[tuple[dict[str, Any], Settings]]:
        """Yield each point of the sweep with its settings as they were given."""
        for values in itertools.product(*self.sweep.values()):
            point = dict(zip(self.sweep, values, strict=True))
            name = self.method_of(point)
            keys = variants.own(self.per_method, name) | point | variants.fixed(name)
            yield point, validated(Settings, nest(keys, onto=self.settings.model_dump(exclude_unset=True)))

    def override(self, overrides: Mapping[str, Any]) -> "Scenario":
        """Return this scenario with other values for some keys; a new scenario is checked as a whole.

        Arguments:
            overrides: values by dotted key; a list sweeps the key.

        Raises:
            OtaflError: an unknown key, a value that breaks a rule, or keys that contradict each other.
        """
        return Scenario.from_tables(self.name, self._tables(exclude_unset=True), overrides, self.file)

    def _tables(self, exclude_unset: bool = False) -> dict[str, Any]:
        """Return the scenario as tables of TOML."""
        flat = flatten(self.settings.model_dump(exclude_none=True, exclude_unset=exclude_unset))
        plot = self.plot.model_dump(mode="json", exclude_none=True)
        tables = {"title": self.title, **nest(without(flat, {*self.sweep, *self._by_scheme})), "plot": plot}
        listed = {"sweep": self.sweep, "per_method": self.per_method}
        return tables | {name: table for name, table in listed.items() if table}

    def _without_idle_panels(self, tables: Mapping[str, Any]) -> "Scenario":
        """Return this scenario without panels for a dimension of the tables, where overrides leave one value of it or
        no other dimension for the axis."""
        swept = [name for name in sweeps.dimensions(self.sweep) if name != "scheme"]
        alone = self.plot.kind != "curve" and swept == [self.plot.panels]
        if not self.plot.panels or (self.plot.panels in sweeps.dimensions(self.sweep) and not alone):
            return self
        before = sweeps.dimensions(_parts(tables, {})["sweep"])
        if self.plot.panels not in before or len(before) == len(self.sweep):
            return self
        return self.model_copy(update={"plot": self.plot.model_copy(update={"panels": ""})})

    def _check_plot(self) -> None:
        present = self.variables
        for key in ("y", "x", "cost"):
            name = getattr(self.plot, key)
            if name in VARIABLES and name not in present:
                raise OtaflError(f"plot.{key}", name, WHY_ABSENT[VARIABLES[name].brought_by])
        swept = sweeps.dimensions(self.sweep)
        if self.plot.panels and self.plot.panels not in swept:
            rule = f"must be a dimension that the scenario sweeps: {', '.join(swept) or 'there is none'}"
            raise OtaflError("plot.panels", self.plot.panels, rule)
        self.plot.require_axis([name for name in swept if name != "scheme"])

    @property
    def trains(self) -> bool:
        """True where networks are trained, or federated methods run."""
        return self.settings.classifies or any(not method.solves_exactly for method in self._methods)

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the result's variables: those that all its methods have, and the one that its figure shows.

        A variable that only some methods have would leave gaps, and rows with gaps may be dropped.
        """
        methods, points = self._methods, [settings for _, settings in self.points()]
        brings: dict[Source, list[bool]] = {
            "residuals": [method.has_residuals for method in methods],
            "penalty": [method.has_penalty for method in methods],
            "air": [uplinks.is_analog(settings) for settings in points],
            "sum": [not uplinks.is_exact(settings) for settings in points],
            "energy": [settings.energy.whole for settings in points],
            "deadline": [settings.federation.deadline_s is not None for settings in points],
            "classification": [self.settings.classifies],
            "training": [self.trains],
        }
        found = {name: brings.get(variable.brought_by, [True]) for name, variable in VARIABLES.items()}
        found |= {name: [name in settings.run.metrics for settings in points] for name in REGISTERED}
        return tuple(name for name, each in found.items() if all(each) or (name == self.plot.y and any(each)))

    @property
    def _methods(self) -> list[Method]:
        return [algorithms.parse(name)[0] for name in self.sweep.get("method", [self.settings.method])]

    def to_toml(self, read: Collection[str] | None = None) -> str:
        """Return the scenario as TOML text, with every key that has a value; the methods decide on the others.

        Arguments:
            read: dotted keys that its runs read; others get a comment "not read". None: no key is marked.
        """
        text = tomli_w.dumps(self._tables())
        return text if read is None else toml.marked(text, fields().keys() - set(read), "not read")


def _refuse(unread: Mapping[str, Any], points: Collection[Settings], prefix: str = "") -> None:
    """Refuse keys that no run reads, unless they have their default value and no scheme has another one."""
    for key, value in unread.items():
        if value != fields()[key].default or any(key in keys_read.keys_by_scheme(one) for one in points):
            raise OtaflError(prefix + key, value, keys_read.why_unread(key, points))


def _read_without(tables: Mapping[str, Any], name: str, file: str) -> Collection[str]:
    """Return the dotted keys that the runs of tables without overrides read; all keys where these are no scenario."""
    try:
        return Scenario._given_by(name, file, tables, {}).read
    except OtaflError:
        return fields()


def _parts(tables: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a scenario, but name and file, not yet validated."""
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
