"""Scenarios: what a study fixes, what it sweeps, and the rules that its keys obey."""

import difflib
import functools
import itertools
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import tomli_w
from pydantic import BaseModel, Field, ValidationError
from pydantic_core import ErrorDetails

from otafl import algorithms
from otafl.errors import OtaflError, UnknownName
from otafl.scenario import rules
from otafl.scenario.keys import Plot, Settings, Table

RESERVED = (
    "seed",
    "iteration",
    "loss",
    "test_accuracy",
    "time_slots",
    "channel_uses",
    "energy",
    "uplink_elements",
    "local_epochs",
    "primal_residual",
    "dual_residual",
    "outcome",
)
"""Names in a result that no swept key may take."""
NOT_SWEPT = (
    "problem.kind",
    "run.seed",
    "run.seeds",
    "run.iterations",
    "run.record",
    "run.evaluate_every",
    "run.target_loss",
    "run.target_accuracy",
    "federation.probabilities",
)
"""Keys that hold for a whole study."""
VECTORS = ("federation.probabilities",)
"""Keys whose value is a list."""
Validated = TypeVar("Validated", bound=BaseModel)


class Scenario(Table, frozen=True):
    """A study: settings, the keys it sweeps, and the figure it ends in."""

    name: str
    title: str = ""
    settings: Settings
    sweep: dict[str, list[Any]] = Field(default_factory=dict)
    per_method: dict[str, dict[str, Any]] = Field(default_factory=dict)
    plot: Plot = Plot()

    def points(self) -> Iterator[tuple[dict[str, Any], Settings]]:
        """Every combination of swept values with its settings, the last swept key fastest."""
        for values in itertools.product(*self.sweep.values()):
            point = dict(zip(self.sweep, values, strict=True))
            own = self.per_method.get(point.get("method", self.settings.method), {})
            yield point, _settings(_with(self.settings.model_dump(exclude_unset=True), own | point))

    def override(self, overrides: Mapping[str, Any]) -> "Scenario":
        """This scenario with other values for some dotted keys; a list sweeps the key.

        Raises:
            OtaflError: as ``load`` does.
        """
        return _scenario(self.name, self._tables(exclude_unset=True), overrides)

    def _tables(self, exclude_unset: bool = False) -> dict[str, Any]:
        """The scenario as the tables of its TOML."""
        flat = _flat(self.settings.model_dump(exclude_none=True, exclude_unset=exclude_unset))
        fixed = _with({}, {key: value for key, value in flat.items() if key not in self.sweep})
        tables = {"title": self.title, **fixed, "plot": self.plot.model_dump(mode="json")}
        listed = {"sweep": self.sweep, "per_method": self.per_method}
        return tables | {name: table for name, table in listed.items() if table}

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
    def has_residuals(self) -> bool:
        """Whether some method here has primal and dual residuals."""
        return any(algorithms.parse(point.method)[0].residuals for _, point in self.points())

    def to_toml(self) -> str:
        """The resolved scenario as TOML, every key that has a value; the others are left to the method."""
        return tomli_w.dumps(self._tables())


def folder() -> Path:
    """The folder of scenarios: inside the installed package, or beside it in a checkout."""
    installed = Path(__file__).parents[1] / "scenarios"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "scenarios"


def names() -> list[str]:
    """Names of the scenarios that come with otafl."""
    return sorted(path.stem for path in folder().glob("*.toml"))


@functools.cache
def fields() -> dict[str, Any]:
    """Every dotted scenario key with its pydantic field."""
    flat = {"method": Settings.model_fields["method"]}
    for table, field in Settings.model_fields.items():
        if isinstance(field.default, Table):
            flat |= {f"{table}.{key}": leaf for key, leaf in type(field.default).model_fields.items()}
    return flat


def find(name_or_path: str | Path) -> Path:
    """The file of a scenario, given by name or by a path that ends in ``.toml``.

    Raises:
        UnknownName: no scenario of that name.
    """
    path = Path(name_or_path)
    if path.suffix == ".toml":
        return path
    if str(name_or_path) not in names():
        raise UnknownName("scenario", str(name_or_path), names())
    return folder() / f"{name_or_path}.toml"


def load(name_or_path: str | Path, overrides: Mapping[str, Any] | None = None) -> Scenario:
    """Load a scenario by name or from a TOML file.

    Arguments:
        name_or_path: a name that ``otafl list`` prints, or a path that ends in ``.toml``.
        overrides: dotted scenario keys and their values; a list sweeps the key.

    Raises:
        OtaflError: an unknown name or key, a value that breaks a rule, or parts that contradict each other.
    """
    path = find(name_or_path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise OtaflError("scenario", str(path), f"the file cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise OtaflError("scenario", str(path), f"must be a TOML file; {error}") from None
    return _scenario(path.stem, _toml(text, str(path)), overrides or {})


def parse(name: str, text: str, overrides: Mapping[str, Any] | None = None) -> Scenario:
    """A scenario from the text of its TOML.

    Raises:
        OtaflError: as ``load`` does.
    """
    return _scenario(name, _toml(text, name), overrides or {})


def _toml(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise OtaflError("scenario", source, f"must be a TOML file; {error}") from None


def _scenario(name: str, tables: dict[str, Any], overrides: Mapping[str, Any]) -> Scenario:
    heading = {"name": name, "title": tables.pop("title", ""), "plot": tables.pop("plot", {})}
    own = _per_method(tables.pop("per_method", {}), overrides)
    sweep, fixed = _resolved(tables.pop("sweep", {}), tables, overrides)
    settings = _with({}, fixed | {key: values[0] for key, values in sweep.items()})
    own = _used(own, sweep.get("method", [fixed.get("method")]), strict="method" not in overrides)
    if isinstance(heading["plot"], dict):
        for key in heading["plot"]:
            _known(f"plot.{key}", [f"plot.{known}" for known in Plot.model_fields])
    scenario = _validated(
        Scenario, heading | {"settings": settings, "sweep": sweep, "per_method": own}, strip="settings."
    )
    dimensions(scenario.sweep)
    for _ in scenario.points():
        pass
    if scenario.plot.y.endswith("residual") and not scenario.has_residuals:
        raise OtaflError("plot.y", scenario.plot.y, "none of the methods has it")
    if scenario.plot.y == "test_accuracy" and not scenario.classifies:
        raise OtaflError("plot.y", scenario.plot.y, "linear regression has none")
    return scenario


def dimensions(sweep: Mapping[str, Any]) -> list[str]:
    """Names of the swept dimensions: the last part of every swept key.

    Raises:
        OtaflError: a key ends like a name that results have anyway.
    """
    last = [key.split(".")[-1] for key in sweep]
    for key, name in zip(sweep, last, strict=True):
        if name in RESERVED:
            raise OtaflError(f"sweep.{key}", sweep[key], f"cannot be swept: results have a {name!r} of their own")
    return last


def _resolved(
    sweep: Any, tables: Mapping[str, Any], overrides: Mapping[str, Any]
) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Swept and fixed keys: overrides win, and a list sweeps wherever it stands."""
    if not isinstance(sweep, dict):
        raise OtaflError("sweep", sweep, "must be a table of dotted keys and lists")
    swept, given = _flat(sweep), _flat(tables)
    merged = swept | given | {key: _plain_value(value) for key, value in overrides.items()}
    for key in merged:
        _known(key, fields())
    for key in swept.keys() & given.keys():
        raise OtaflError(key, merged[key], "must stand in [sweep] or in its table, not in both")
    lists = {
        key: _swept(key, value)
        for key, value in merged.items()
        if _is_sweep(key, value) or (key in swept and key not in overrides)
    }
    return lists, {key: value for key, value in merged.items() if key not in lists}


def _is_sweep(key: str, value: Any) -> bool:
    """Whether a value stands for several runs."""
    several = isinstance(value, list | tuple)
    return several and (key not in VECTORS or (bool(value) and isinstance(value[0], list | tuple)))


def _per_method(tables: Any, overrides: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Keys that hold for one method of a sweep; an override of such a key goes for all methods."""
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise OtaflError("per_method", tables, "must be tables of scenario keys, one for each method")
    own = {method: _flat(table) for method, table in tables.items()}
    for method, table in own.items():
        algorithms.parse(method)
        for key in table:
            _known(key, fields())
            if key in (*NOT_SWEPT, "method"):
                raise OtaflError(f"per_method.{method}", key, "must be the same for all methods")
            if _is_sweep(key, table[key]):
                raise OtaflError(f"per_method.{method}.{key}", table[key], "must be one value, not a list")
    return {
        method: {key: value for key, value in table.items() if key not in overrides} for method, table in own.items()
    }


def _used(own: dict[str, dict[str, Any]], methods: Collection[Any], strict: bool) -> dict[str, dict[str, Any]]:
    """Those of some tables that are not empty and whose methods are run; strictly, there must be no others."""
    for method in own.keys() - set(methods) if strict else ():
        raise OtaflError("per_method", method, "must be a method that the scenario runs")
    return {method: table for method, table in own.items() if table and method in methods}


def _flat(tables: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in tables.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return flat


def _with(tables: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Nested tables with dotted keys set."""
    tables = {key: dict(value) if isinstance(value, dict) else value for key, value in tables.items()}
    for key, value in values.items():
        *table, leaf = key.split(".")
        (tables.setdefault(table[0], {}) if table else tables)[leaf] = value
    return tables


def _plain_value(value: Any) -> Any:
    """A number or list of NumPy, or a range, as Python's own."""
    return value.tolist() if hasattr(value, "tolist") else list(value) if isinstance(value, range) else value


def _known(key: str, known: Collection[str]) -> None:
    if key not in known:
        elsewhere = [other for other in known if other.split(".")[-1] == key.split(".")[-1]]
        close = elsewhere or difflib.get_close_matches(key, known, n=1, cutoff=0.5)
        raise OtaflError("scenario key", key, f"unknown key{f'; did you mean {close[0]!r}?' if close else ''}")


def _swept(key: str, values: Any) -> list[Any]:
    if not isinstance(values, list | tuple) or not values:
        raise OtaflError(f"sweep.{key}", values, "must be a list of at least one value")
    if any(value in values[:place] for place, value in enumerate(values)):
        raise OtaflError(f"sweep.{key}", values, "must not list a value twice")
    if key in NOT_SWEPT:
        raise OtaflError(f"sweep.{key}", values, "cannot be swept")
    return list(values)


def _settings(tables: dict[str, Any]) -> Settings:
    settings = _validated(Settings, tables)
    rules.check(settings)
    return settings.resolved()


def _validated(model: type[Validated], tables: dict[str, Any], strip: str = "") -> Validated:
    try:
        return model.model_validate(tables)
    except ValidationError as error:
        raise _plain(error.errors(), strip) from None


def _plain(details: list[ErrorDetails], strip: str) -> OtaflError:
    """The first key that pydantic refuses, as our error: the dotted key, its value and all rules that it could obey."""

    def key(detail: ErrorDetails) -> str:
        dotted = ".".join(map(str, detail["loc"])).removeprefix(strip)
        leaf = ".".join(dotted.split(".")[:2])
        return leaf if leaf in fields() else dotted

    first = key(details[0])
    rules = [detail["msg"] for detail in details if key(detail) == first]
    rule = (
        " or ".join(rules).replace("Value error, ", "").replace("Input should be", "must be").replace("or must", "or")
    )
    return OtaflError(first, details[0]["input"], rule)
