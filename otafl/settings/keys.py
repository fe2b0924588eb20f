"""Settings of a run: all tables of scenario keys, with defaults, units and rules of a single key."""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from otafl.channels.combiners import COMBINERS
from otafl.errors import OtaflError
from otafl.metrics.result_variables import OF_KEYS, Quantity
from otafl.settings.algorithm import Algorithm
from otafl.settings.cell import Cell
from otafl.settings.channel import Channel
from otafl.settings.energy import Energy
from otafl.settings.federation import Federation
from otafl.settings.local import Local
from otafl.settings.problem import DENSE, Problem
from otafl.settings.run import Run
from otafl.settings.types import ALWAYS, Table, Value, schedule
from otafl.settings.uplink import Uplink

MANY_WORKERS, FEW_OF_THEM = 1_000, 10
"""Number of workers above which random numbers may be drawn for a round's participants alone, and how many times more
than these they must be."""
BOUNDS = ("federation.deadline_s", "federation.largest_loss_db")
"""Keys of bounds that leave workers out of rounds."""
ROUNDING = 1e-9
"""Amount by which a product of decimals may fall short of a whole number."""
ALL_DEFAULTS: Any = Field(default_factory=dict, validate_default=True)
"""Default of a table, all of whose keys have theirs; it is not validated before one is needed."""
Rule = tuple[str, object, str]
"""Dotted key, whether its value breaks a rule, and the rule in words."""


class Settings(Table, frozen=True):
    """Scenario keys of one run, table by table, such as ``settings.channel.snr_db``."""

    method: Annotated[str, Quantity("Method"), ALWAYS] = "A-FADMM"
    """Method by its name in the papers. -10x: with ten times the subcarriers; @analog, @digital, @ideal: over this
    uplink; text after a space: a label."""
    plugins: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], ALWAYS] = Field(default=(), strict=False)
    """Your modules that register methods, fading models, uplinks or parts, by name, or by a path that ends in .py. A
    run's name depends on those of its classes and on your modules that they import, not on files that these read."""
    problem: Problem = ALL_DEFAULTS
    federation: Federation = ALL_DEFAULTS
    algorithm: Algorithm = ALL_DEFAULTS
    local: Local = ALL_DEFAULTS
    channel: Channel = ALL_DEFAULTS
    cell: Cell = ALL_DEFAULTS
    uplink: Uplink = ALL_DEFAULTS
    energy: Energy = ALL_DEFAULTS
    run: Run = ALL_DEFAULTS

    @property
    def subcarriers(self) -> int | Literal["one_slot"]:
        """Number of subcarriers S, multiplied by the method's suffix such as -10x; or "one_slot"."""
        count = self.uplink.subcarriers
        return count if count == "one_slot" else bandwidth_factor(self.method)[1] * count

    @property
    def classifies(self) -> bool:
        """True where the problem is classification, and has a test accuracy."""
        return self.problem.family == "classification"

    @property
    def target(self) -> tuple[str, float]:
        """Result variable of the target, such as "loss", and the value that it should reach, in its unit."""
        plain = ("test_accuracy", self.run.target_accuracy) if self.classifies else ("loss", self.run.target_loss)
        return next(iter(self.run.stop_at.items()), plain)

    @property
    def blind(self) -> bool:
        """True where workers know nothing of their channels, as several antennas of the server are combined so."""
        return COMBINERS[self.uplink.combiner].blind and self.cell.antennas > 1

    @property
    def by_channel(self) -> bool:
        """True where only some workers take part in a round, chosen by their channel gains."""
        return self.federation.sampling == "channel" and self.drawn < self.federation.workers

    @property
    def heard_alone(self) -> bool:
        """True where costs depend on what a receiver hears of one sender alone: of reports, or of a broadcast."""
        broadcast = self.uplink.downlink == "digital" and (self.uplink.charge_downlink or self.energy.whole)
        return self.uplink.charge_side_information or self.by_channel or broadcast

    @property
    def few_at_a_time(self) -> bool:
        """True where so few of many workers are drawn for a round that random numbers are drawn for these alone."""
        federation, channel = self.federation, self.channel
        few = federation.workers > MANY_WORKERS and self.drawn * FEW_OF_THEM <= federation.workers
        errors = channel.pilots, channel.phase_error_rad, channel.timing_error_s, channel.carrier_offset_hz
        errors += channel.carrier_offset_ppm, channel.linewidth_hz, channel.server_linewidth_hz
        exact = not any(errors) and channel.evolves == "by_block"
        # by their gains participants are chosen, and the weakest of all hears a charged broadcast
        everyone = self.by_channel or self.uplink.charge_downlink or self.energy.whole
        return few and exact and not everyone and self.subcarriers != "one_slot"

    @property
    def participants(self) -> int:
        """Number of workers that take part in a round, late ones included: the drawn ones without those in outage."""
        return max(1, self.drawn - int(self.uplink.outage * self.drawn + ROUNDING))

    @property
    def partial(self) -> bool:
        """True where workers may be left out of a round: by participation, outage, a deadline or their path loss."""
        return self.participants < self.federation.workers or any(self.value(key) is not None for key in BOUNDS)

    @property
    def drawn(self) -> int:
        """Number of workers that are drawn for a round, those in outage included."""
        federation = self.federation
        return max(1, round(sum(federation.probabilities) or federation.participation * federation.workers))

    @property
    def threads(self) -> int:
        """Number of processor threads of an operation, where networks are trained."""
        return self.run.threads or (2 if self.problem.model in DENSE else 1)

    def value(self, key: str, iteration: int = 1) -> Value:
        """Return the value of a scenario key, in an iteration where the key has a schedule."""
        table, _, leaf = key.rpartition(".")
        keys = getattr(self, table) if table else self
        value = getattr(keys, leaf)
        for first, later in sorted(schedule(getattr(keys, f"{leaf}_schedule", "")).items()):
            value = later if iteration >= first else value
        return value

    def refusal(self, key: str, rule: str) -> OtaflError:
        """Return an error that refuses the value of a scenario key; the caller raises it."""
        value = self.value(key)
        return OtaflError(key, list(value) if isinstance(value, tuple) else value, rule)

    def require(self, rules: Iterable[Rule]) -> None:
        """Refuse the value of a key by the first rule that is broken."""
        for key, broken, rule in rules:
            if broken:
                raise self.refusal(key, rule)

    def with_values(self, values: Mapping[str, Value]) -> "Settings":
        """Return a copy of the settings with other values for some keys."""
        tables: dict[str, Table] = {}
        for key, value in values.items():
            table, leaf = key.split(".")
            tables[table] = (tables.get(table) or getattr(self, table)).model_copy(update={leaf: value})
        return self.model_copy(update=tables)


def common(several: Iterable[Settings]) -> Settings:
    """Return the settings that runs have in common; a key in which they differ has no value, and none can be read."""
    # by identity, as most runs of a study share one object, and comparing tables takes long
    first, *others = {id(settings): settings for settings in several}.values()
    tables: dict[str, Table] = {}
    for name, table in first:
        for leaf, value in table if isinstance(table, Table) else ():
            if any(getattr(getattr(other, name), leaf) != value for other in others):
                tables.setdefault(name, table.model_copy())
                vars(tables[name]).pop(leaf, None)
                tables[name].__pydantic_fields_set__.add(leaf)
    return first.model_copy(update=tables)


def bandwidth_factor(method: str) -> tuple[str, int]:
    """Split the name of a method into the plain name, without uplink and label, and the factor on its subcarriers.

    >>> bandwidth_factor("D-FADMM-10x@digital")
    ('D-FADMM', 10)
    """
    method = re.split("[@ ]", method)[0]
    match = re.fullmatch(r"(.+?)(?:-([1-9]\d{0,8})x)?", method)
    return (match[1], int(match[2] or 1)) if match else (method, 1)


def is_number(key: str) -> bool:
    """Return True if a scenario key takes a real number: its type is float, or a union with float."""
    table, leaf = key.split(".")
    return takes_float(KEY_TABLES[table].model_fields[leaf].annotation)


def takes_float(annotation: object) -> bool:
    """Return True if a type is float, or a union or annotated type that contains it."""
    return annotation is float or any(map(takes_float, get_args(annotation)))


def axes(table: str, leaf: str) -> set[str]:
    """Return the names that a scenario key may give to a dimension of results: its own, and that with its table."""
    return {leaf, f"{table}_{leaf}"}


KEY_TABLES: dict[str, type[Table]] = {
    name: field.annotation
    for name, field in Settings.model_fields.items()
    if isinstance(field.annotation, type) and issubclass(field.annotation, Table)
}
_LEAVES = ((name, leaf) for name, table in KEY_TABLES.items() for leaf in table.model_fields)
OF_KEYS.update(Settings.model_fields, *(axes(*names) for names in _LEAVES))
