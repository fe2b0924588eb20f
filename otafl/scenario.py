"""Scenarios: what a study fixes, what it sweeps, and the rules that its keys obey."""

import difflib
import functools
import itertools
import math
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import tomli_w
from pydantic import AfterValidator, BaseModel, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from otafl import algorithms
from otafl.errors import OtaflError, UnknownName

LOWEST_SNR_DB = -200
RESERVED = (
    "seed",
    "iteration",
    "loss",
    "test_accuracy",
    "time_slots",
    "channel_uses",
    "energy",
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
)
"""Keys that hold for a whole study."""


def _whole_or_infinite(value: float) -> float:
    if not (value >= 1 and (math.isinf(value) or value == int(value))):
        raise ValueError("must be a whole number of at least 1, or inf for a channel that never changes")
    return value


def _snr(value: float) -> float:
    if not value >= LOWEST_SNR_DB:
        raise ValueError(f"must be a number of decibels from {LOWEST_SNR_DB} on, or inf for a noise-free channel")
    return value


Validated = TypeVar("Validated", bound=BaseModel)
Dataset = Literal["california_housing", "diabetes", "synthetic", "mnist", "fashion_mnist", "cifar10", "digits"]
DATASETS = {
    "linear_regression": ("california_housing", "diabetes", "synthetic"),
    "classification": ("mnist", "fashion_mnist", "cifar10", "digits"),
}
"""Data sets by kind of problem."""
Cost = Literal["time_slots", "channel_uses", "energy", "iteration"]
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Count = Annotated[int, Field(ge=1)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Table(BaseModel, frozen=True, extra="forbid", strict=True):
    """A table of scenario keys: immutable, strictly typed, unknown keys refused."""


class Problem(Table, frozen=True):
    """What is learned, and on which data."""

    kind: Literal["linear_regression", "classification"] = Field(
        default="linear_regression", description="kind of learning problem"
    )
    dataset: Dataset = Field(default="diabetes", description="data set; the last four for classification")
    model: Annotated[str, Field(min_length=1)] = Field(
        default="mlp",
        description="classification: mlp (784-128-64-10 on MNIST), mlp_small, cnn, or package.module:function, which "
        "gets the shape of an input and the number of classes and returns a Keras model that ends in logits",
    )
    loss_reduction: Literal["mean", "sum"] = Field(
        default="mean", description="linear regression: mean or sum of ½·residual² over a worker's samples"
    )
    dimension: Count = Field(default=6, description="synthetic data: number of features d")
    samples: Count = Field(default=20_000, description="synthetic data: number of samples")
    condition_number: Annotated[float, Field(ge=1, allow_inf_nan=False)] = Field(
        default=10.0, description="synthetic data: condition number of the features' covariance"
    )
    seed: Seed | None = Field(
        default=None, description="synthetic data: seed of the data set; left out, every run seed has data of its own"
    )


class Federation(Table, frozen=True):
    """Who takes part."""

    workers: Count = Field(default=100, description="number of workers N")
    partition: Literal["iid"] = Field(default="iid", description="how samples are dealt to workers")


class Algorithm(Table, frozen=True):
    """The methods' own parameters; each method reads those it has."""

    rho: Positive = Field(default=0.5, description="ADMM penalty on the disagreement of local and global model")
    consensus: Literal["plain", "channel_weighted"] = Field(
        default="plain", description="D-FADMM: plain ADMM (3)-(5), or weighted by |h|² as in (9)-(11)"
    )
    gradient_reduction: Literal["sum", "mean"] = Field(
        default="sum", description="A-(S)GD, D-(S)GD: step along the sum or the mean of the workers' gradients"
    )
    on_channel_change: Literal["train", "dual_flip"] = Field(
        default="train",
        description="A-SFADMM: after a change of channel go on training, ahead in the first rounds, or keep models and "
        "solve for duals (II-C), stable in long runs at low SNR; A-FADMM always does the latter",
    )


class Local(Table, frozen=True):
    """Local training of networks, and the step of gradient methods."""

    learning_rate: Positive | None = Field(
        default=None,
        description="learning rate; left out, the method's default (A-GD, D-GD: 1e-4; A-SFADMM, D-SFADMM: 0.01; "
        "A-SGD, D-SGD: 0.005)",
    )
    optimizer: Literal["adam", "sgd", "momentum"] = Field(
        default="adam", description="A-SFADMM, D-SFADMM: optimiser of local training, fresh in every round"
    )
    batch_size: Count = Field(default=100, description="networks: samples in a mini-batch")
    steps: Count = Field(default=20, description="A-SFADMM, D-SFADMM: local steps in a round")


class Channel(Table, frozen=True):
    """The radio channel between the workers and the server."""

    fading: Literal["none", "rayleigh"] = Field(default="rayleigh", description="fading of every worker and subcarrier")
    coherence_iterations: Annotated[float, AfterValidator(_whole_or_infinite)] = Field(
        default=10.0,
        description="iterations for which the channel stays constant; inf: it never changes; 1: A-FADMM only flips "
        "duals and never trains",
    )
    snr_db: Annotated[float, AfterValidator(_snr)] = Field(
        default=40.0, description="SNR = P/(W·N0) of a worker on one subcarrier [dB]; inf: no noise"
    )


class Uplink(Table, frozen=True):
    """How uploads are carried, and what they cost."""

    kind: algorithms.UplinkKind | None = Field(
        default=None, description="left out, the one that the method fixes; it refuses another"
    )
    subcarriers: Count | Literal["one_slot"] = Field(
        default=10, description='number of subcarriers S; "one_slot": just enough for uploads of one slot'
    )
    subcarrier_spacing_hz: Positive = Field(default=15e3, description="bandwidth W of one subcarrier [Hz]")
    slot_s: Positive = Field(default=1e-3, description="length T of a slot [s]")
    bits_per_element: Count = Field(default=32, description="digital uploads: bits per model element")
    rate_gain: Literal["power", "amplitude"] = Field(
        default="power", description="digital uploads: |h|² in the Shannon rate, or |h| as the A-FADMM paper prints"
    )
    power_budget: Literal["per_subcarrier", "per_upload"] = Field(
        default="per_subcarrier", description="analog uploads: Σ|αx|² at most P·d, or at most P"
    )
    noise_psd_w_per_hz: Positive = Field(default=1e-9, description="noise power spectral density N0 [W/Hz]")
    inversion_threshold: Positive = Field(default=1e-6, description="truncated inversion: transmit where |h| ≥ this")
    downlink: Literal["digital", "analog"] = Field(
        default="digital", description="A-FADMM: error-free broadcast, or the noisy analog one of (14), (15)"
    )


class Run(Table, frozen=True):
    """How long, how often, and what is kept."""

    iterations: Count = Field(default=500, description="number of iterations")
    seeds: Count = Field(default=5, description="number of runs, each with a seed of its own")
    seed: Seed = Field(default=0, description="the first seed")
    record: Literal["all", "log"] = Field(
        default="all", description="iterations kept in the result: all, or 100 per decade (linear regression)"
    )
    target_loss: Positive = Field(
        default=1e-4, description="linear regression: loss at which the summary reads slots, uses and energy"
    )
    target_accuracy: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.9, description="classification: test accuracy at which the summary reads slots, uses and energy"
    )
    evaluate_every: Count = Field(default=1, description="classification: rounds between readings of test accuracy")
    max_channel_uses: Positive | None = Field(
        default=None, description="end of a run: iterations that would exceed so many channel uses are left out (NaN)"
    )
    worker_chunk: Count | None = Field(
        default=None,
        description="networks: workers trained at once; left out, one on each core of a processor, as its model then "
        "stays in the core's cache, and on a GPU 500 million weights; no result depends on it",
    )
    precision: Literal["float32", "bfloat16"] = Field(
        default="float32",
        description="networks: type in which layers compute; weights, optimiser, duals and uploads stay float32",
    )

    @property
    def seed_range(self) -> range:
        """The seeds of the runs."""
        return range(self.seed, self.seed + self.seeds)


class Plot(Table, frozen=True):
    """The figure that ``otafl plot`` draws."""

    kind: Literal["curve", "at_budget", "to_target"] = Field(default="curve", description="what the figure shows")
    x: Cost = Field(default="time_slots", description="curve: variable on the horizontal axis")
    y: Literal["loss", "test_accuracy", "primal_residual", "dual_residual"] = Field(
        default="loss", description="curve, at_budget: variable on the vertical axis"
    )
    cost: Cost = Field(default="channel_uses", description="at_budget, to_target: what is spent")
    budgets: tuple[Positive, ...] = Field(default=(), strict=False, description="at_budget: at which cost y is read")

    @model_validator(mode="after")
    def _budgets_given(self) -> "Plot":
        if self.kind == "at_budget" and not self.budgets:
            raise ValueError("must list plot.budgets where plot.kind is 'at_budget'")
        return self


class Settings(Table, frozen=True):
    """Every key of one run; a scenario is these and a sweep over some of them."""

    method: str = Field(default="A-FADMM", description="method by the papers' name; -10x: ten times the subcarriers")
    problem: Problem = Problem()
    federation: Federation = Federation()
    algorithm: Algorithm = Algorithm()
    local: Local = Local()
    channel: Channel = Channel()
    uplink: Uplink = Uplink()
    run: Run = Run()

    @property
    def subcarriers(self) -> int | Literal["one_slot"]:
        """Number of subcarriers S, the method's bandwidth suffix applied."""
        _, factor = algorithms.parse(self.method)
        count = self.uplink.subcarriers
        return count if count == "one_slot" else factor * count

    @property
    def learning_rate(self) -> float:
        """The learning rate, or the method's default; NaN for a method that has none."""
        return self.local.learning_rate or algorithms.parse(self.method)[0].learning_rate or math.nan


class Scenario(Table, frozen=True):
    """A study: settings, the keys it sweeps, and the figure it ends in."""

    name: str
    title: str = ""
    settings: Settings
    sweep: dict[str, list[Any]] = {}
    plot: Plot = Plot()

    def points(self) -> Iterator[tuple[dict[str, Any], Settings]]:
        """Every combination of swept values with its settings, the last swept key fastest."""
        for values in itertools.product(*self.sweep.values()):
            point = dict(zip(self.sweep, values, strict=True))
            yield point, _settings(_with(self.settings.model_dump(exclude_unset=True), point))

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
        return tables | ({"sweep": self.sweep} if self.sweep else {})

    @property
    def classifies(self) -> bool:
        """Whether networks are trained."""
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
    installed = Path(__file__).parent / "scenarios"
    return installed if installed.is_dir() else Path(__file__).parents[1] / "scenarios"


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
    sweep, fixed = _resolved(tables.pop("sweep", {}), tables, overrides)
    settings = _with({}, fixed | {key: values[0] for key, values in sweep.items()})
    if isinstance(heading["plot"], dict):
        for key in heading["plot"]:
            _known(f"plot.{key}", [f"plot.{known}" for known in Plot.model_fields])
    scenario = _validated(Scenario, heading | {"settings": settings, "sweep": sweep}, strip="settings.")
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
        if isinstance(value, list | tuple) or (key in swept and key not in overrides)
    }
    return lists, {key: value for key, value in merged.items() if key not in lists}


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
    _consistent(settings)
    return settings


def _consistent(settings: Settings) -> None:
    """Refuse settings whose parts contradict each other."""
    method, factor = algorithms.parse(settings.method)
    uplink = settings.uplink
    problem = settings.problem
    if problem.dataset not in DATASETS[problem.kind]:
        rule = f"must be one of {', '.join(DATASETS[problem.kind])} where problem.kind = {problem.kind!r}"
        raise OtaflError("problem.dataset", problem.dataset, rule)
    if method.problem != problem.kind:
        rule = f"is for problem.kind = {method.problem!r}, not {problem.kind!r}"
        raise OtaflError("method", settings.method, rule)
    if settings.run.record != "all" and problem.kind == "classification":
        raise OtaflError("run.record", settings.run.record, "must be 'all' where networks are trained")
    if uplink.kind not in (None, method.uplink):
        raise OtaflError("uplink.kind", uplink.kind, f"{settings.method} is carried by the {method.uplink} uplink")
    if uplink.downlink not in method.downlinks:
        raise OtaflError("uplink.downlink", uplink.downlink, f"{settings.method} has no {uplink.downlink} downlink")
    if factor > 1 and uplink.subcarriers == "one_slot":
        raise OtaflError("method", settings.method, 'contradicts uplink.subcarriers = "one_slot"')


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
