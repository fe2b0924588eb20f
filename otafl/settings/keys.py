"""The keys of a scenario: tables of what one run is made of, with defaults, units and rules of a single key."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from otafl.errors import OtaflError
from otafl.settings.energy import Energy
from otafl.settings.learning import Algorithm, Federation, Local, Problem
from otafl.settings.radio import Cell, Channel, Uplink
from otafl.settings.types import ALWAYS, Count, Positive, Seed, Table, schedule
from otafl.variables import Quantity

DENSE = ("mlp", "mlp_small", "mlp_biased", "linear")
"""Models that do not convolve, for certain."""
ROUNDING = 1e-9
"""By which a product of decimals may fall short of a whole number."""
MOST_THREADS = 1024


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
    max_channel_uses: Annotated[Positive | None, Quantity("Limit on channel uses", "use")] = Field(
        default=None, description="end of a run: iterations that would exceed so many channel uses are left out (NaN)"
    )
    worker_chunk: Count | None = Field(
        default=None,
        description="networks: workers trained at once; left out, one on each core of a processor, as its model then "
        "stays in the core's cache, and on a GPU 500 million weights; results depend on it by rounding, about 1e-7",
    )
    threads: Annotated[int | None, Field(ge=1, le=MOST_THREADS)] = Field(
        default=None,
        description="networks on a processor: threads of an operation, on which the order of additions depends, and so "
        "results by rounding; left out, 1 for models that may convolve and 2 for the others, on any machine",
    )
    precision: Literal["float32", "bfloat16"] = Field(
        default="float32",
        description="networks: type in which layers compute; weights, optimiser, duals and uploads stay float32",
    )

    @property
    def seed_range(self) -> range:
        """The seeds of the runs."""
        return range(self.seed, self.seed + self.seeds)


class Settings(Table, frozen=True):
    """Every key of one run; a scenario is these and a sweep over some of them."""

    method: Annotated[str, Quantity("Method"), ALWAYS] = Field(
        default="A-FADMM",
        description="method by the papers' name; -10x: ten times the subcarriers; @analog, @digital, @ideal: over that "
        "uplink; what follows a space is a label",
    )
    plugins: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], ALWAYS] = Field(
        default=(),
        strict=False,
        description="modules of your own that register methods, fading models, uplinks or precoders, by name, or paths "
        "of files that end in .py; a run's name heeds those that its schemes come from and the modules of yours that "
        "their import statements lead to, not files and variables that these read, nor more than a scheme's own file "
        "of a package in site-packages",
    )
    problem: Problem = Problem()
    federation: Federation = Federation()
    algorithm: Algorithm = Algorithm()
    local: Local = Local()
    channel: Channel = Channel()
    cell: Cell = Cell()
    uplink: Uplink = Uplink()
    energy: Energy = Energy()
    run: Run = Run()

    @property
    def subcarriers(self) -> int | Literal["one_slot"]:
        """Number of subcarriers S, the method's bandwidth suffix applied."""
        count = self.uplink.subcarriers
        return count if count == "one_slot" else bandwidth_factor(self.method)[1] * count

    @property
    def classifies(self) -> bool:
        """True where the problem is classification, and has a test accuracy."""
        return self.problem.kind == "classification"

    @property
    def target(self) -> tuple[str, float]:
        """Result variable in which the target is set, and the value to reach."""
        return ("test_accuracy", self.run.target_accuracy) if self.classifies else ("loss", self.run.target_loss)

    @property
    def blind(self) -> bool:
        """Whether workers know nothing of their channels."""
        return self.uplink.combiner == "sum" and self.cell.antennas > 1

    @property
    def by_channel(self) -> bool:
        """Whether some workers take part, chosen by their channels."""
        return self.federation.sampling == "channel" and self.drawn < self.federation.workers

    @property
    def participants(self) -> int:
        """Workers that take part in a round: those that are drawn, but for the slowest, which are in outage."""
        return max(1, self.drawn - int(self.uplink.outage * self.drawn + ROUNDING))

    @property
    def drawn(self) -> int:
        """Workers that are drawn for a round."""
        federation = self.federation
        return max(1, round(sum(federation.probabilities) or federation.participation * federation.workers))

    @property
    def threads(self) -> int:
        """Threads of an operation, where networks are trained."""
        return self.run.threads or (2 if self.problem.model in DENSE else 1)

    def value(self, key: str, iteration: int = 1) -> Any:
        """The value of a dotted key, in an iteration where it has a schedule."""
        table, leaf = key.split(".")
        keys = getattr(self, table)
        value = getattr(keys, leaf)
        for first, later in sorted(schedule(getattr(keys, f"{leaf}_schedule", "")).items()):
            value = later if iteration >= first else value
        return value

    def refusal(self, key: str, rule: str) -> OtaflError:
        """Return the error that refuses the value of a dotted key, with the rule that it breaks."""
        return OtaflError(key, self.value(key), rule)

    def with_values(self, values: Mapping[str, Any]) -> "Settings":
        """These settings with other values for some dotted keys, which are not checked."""
        tables: dict[str, Any] = {}
        for key, value in values.items():
            table, leaf = key.split(".")
            tables[table] = tables.get(table, getattr(self, table)).model_copy(update={leaf: value})
        return self.model_copy(update=tables)


def bandwidth_factor(method: str) -> tuple[str, int]:
    """The name of a method, without what says which variant it is, and the factor on the number of subcarriers that its
    suffix asks for.

    ``D-FADMM-10x`` is D-FADMM with ten times the subcarriers, the A-FADMM paper's notation.
    """
    method = re.split("[@ ]", method)[0]
    match = re.fullmatch(r"(.+?)(?:-([1-9]\d{0,8})x)?", method)
    return (match[1], int(match[2] or 1)) if match else (method, 1)


def is_number(key: str) -> bool:
    """Whether a dotted key takes a real number."""
    table, leaf = key.split(".")
    return takes_float(type(Settings.model_fields[table].default).model_fields[leaf].annotation)


def takes_float(annotation: Any) -> bool:
    """Return if a type is that of real numbers, or one of several is."""
    return annotation is float or any(map(takes_float, get_args(annotation)))
