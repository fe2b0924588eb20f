"""Scenarios: what a study fixes, what it sweeps, and the figure it ends in."""

import itertools
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import tomli_w
from pydantic import Field

from otafl import algorithms
from otafl.algorithms import Method
from otafl.errors import OtaflError
from otafl.scenario import rules, sweeps, toml
from otafl.scenario.dotted import fields, flatten, nest, require_known
from otafl.scenario.keys import Plot, Settings, Table
from otafl.scenario.validation import validated
from otafl.variables import VARIABLES, WHY_ABSENT


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
    def from_tables(cls, name: str, tables: Mapping[str, Any], overrides: Mapping[str, Any], file: str) -> "Scenario":
        """A scenario from the tables of its TOML and from other values for some dotted keys.

        Raises:
            OtaflError: an unknown key, a value that breaks a rule, or parts that contradict each other.
        """
        scenario = validated(cls, {"name": name, "file": file} | _parts(tables, overrides), strip="settings.")
        sweeps.dimensions(scenario.sweep)
        for _ in scenario.points():
            pass
        scenario._check_plot()
        return scenario

    def points(self) -> Iterator[tuple[dict[str, Any], Settings]]:
        """Every combination of swept values with its settings, the last swept key fastest."""
        for values in itertools.product(*self.sweep.values()):
            point = dict(zip(self.sweep, values, strict=True))
            own = self.per_method.get(point.get("method", self.settings.method), {})
            yield point, _settings(nest(own | point, onto=self.settings.model_dump(exclude_unset=True)))

    def override(self, overrides: Mapping[str, Any]) -> "Scenario":
        """This scenario with other values for some dotted keys; a list sweeps the key.

        Raises:
            OtaflError: as ``load`` does.
        """
        return Scenario.from_tables(self.name, self._tables(exclude_unset=True), overrides, self.file)

    def _tables(self, exclude_unset: bool = False) -> dict[str, Any]:
        """The scenario as the tables of its TOML."""
        flat = flatten(self.settings.model_dump(exclude_none=True, exclude_unset=exclude_unset))
        fixed = nest({key: value for key, value in flat.items() if key not in self.sweep})
        tables = {"title": self.title, **fixed, "plot": self.plot.model_dump(mode="json")}
        listed = {"sweep": self.sweep, "per_method": self.per_method}
        return tables | {name: table for name, table in listed.items() if table}

    def _check_plot(self) -> None:
        if self.plot.y not in self.variables:
            raise OtaflError("plot.y", self.plot.y, WHY_ABSENT[VARIABLES[self.plot.y].brought_by])

    @property
    def classifies(self) -> bool:
        """Whether there is something to classify."""
        return self.settings.problem.kind == "classification"

    @property
    def target(self) -> tuple[str, float]:
        """The variable in which a target is set, and the target."""
        plan = self.settings.run
        return ("test_accuracy", plan.target_accuracy) if self.classifies else ("loss", plan.target_loss)

    @property
    def trains(self) -> bool:
        """Whether networks are trained, or federated methods run."""
        return self.classifies or any(method.federated for method in self._methods)

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables of its results."""
        optional = {
            "classification": self.classifies,
            "residuals": any(method.residuals for method in self._methods),
            "training": self.trains,
        }
        return tuple(name for name, variable in VARIABLES.items() if optional.get(variable.brought_by, True))

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


def _parts(tables: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a scenario but its name, not yet validated."""
    own = sweeps.for_single_methods(tables.get("per_method", {}), overrides)
    swept, fixed = sweeps.swept_and_fixed(tables.get("sweep", {}), sweeps.without(tables, sweeps.HEADINGS), overrides)
    methods = swept.get("method", [fixed.get("method")])
    return {
        "title": tables.get("title", ""),
        "plot": _known_plot(sweeps.plot_table(tables)),
        "settings": nest(fixed | {key: values[0] for key, values in swept.items()}),
        "sweep": swept,
        "per_method": sweeps.of_methods_run(own, methods, strict="method" not in overrides),
    }


def _known_plot(plot: dict[str, Any]) -> dict[str, Any]:
    """A plot table, whose keys must be known."""
    for key in plot:
        require_known(f"plot.{key}", [f"plot.{known}" for known in Plot.model_fields])
    return plot


def _settings(tables: dict[str, Any]) -> Settings:
    settings = validated(Settings, tables)
    rules.check(settings)
    return settings.resolved()
