"""Keys of the table plot: the figure of a study."""

from collections.abc import Collection, Mapping
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, ValidationInfo, field_validator

from otafl.errors import OtaflError
from otafl.metrics.result_variables import COSTS
from otafl.settings.types import Positive, Table, Value, Values, one_of, rule

Cost = Annotated[str, one_of(COSTS)]
Limits = Annotated[
    tuple[Annotated[float, Field(allow_inf_nan=False)], ...],
    Field(strict=False),
    rule(lambda ends: not ends or (len(ends) == 2 and ends[0] < ends[1]), "must be two numbers, the lower one first"),
]
Scale = Literal["linear", "log"]
STATISTICS = {"curve": "mean", "at_budget": "mean", "to_target": "median"}
"""Statistic over seeds of each kind of figure, where none is named; a mean of costs to a target need not exist."""
TARGET = ""
"""Name that stands for the variable of the target."""
OF_AXIS = {axis: tuple(f"{axis}_{part}" for part in ("label", "scale", "limits")) for axis in "xy"}
"""Keys that are about one axis, and hold for what it shows alone."""


class Drawn(NamedTuple):
    """Axes of a figure: its kind, the cost or swept dimension on the horizontal one, and the variable on the other."""

    kind: str
    x: str
    y: str


class Plot(Table, frozen=True):
    """The figure that ``otafl plot`` draws."""

    kind: Literal["curve", "at_budget", "to_target"] = "curve"
    """Kind of figure. curve: y against a cost; at_budget: y at budgets of a cost; to_target: the cost of the target."""
    x: Cost = "time_slots"
    """Figure curve: variable on the horizontal axis."""
    y: str = "loss"
    """Figures curve, at_budget: variable on the vertical axis, such as test_accuracy or a cost."""
    cost: Cost = "channel_uses"
    """Figures at_budget, to_target: cost that is spent."""
    budgets: tuple[Positive, ...] = Field(default=(), validate_default=True, strict=False)
    """Figure at_budget: costs at which y is read."""
    over: str = ""
    """Figures at_budget, to_target: swept dimension on the horizontal axis, such as workers; the others have lines.
    Left out, the first one besides scheme and panels."""
    reached: Literal["held", "first"] = "held"
    """Figure to_target, and the summary: when a target counts as reached. held: the running median stays within it from
    then on. first: it is met once, and may be left again."""
    statistic: Literal["mean", "median"] | None = None
    """Statistic over seeds. Left out: the median for costs to a target, whose mean need not exist, else the mean."""
    spread: Literal["deviation", "quartiles", "interval", "none"] | None = None
    """Shaded spread over seeds: sample standard deviation, quartiles, or an interval of 95% confidence. Left out: the
    deviation around a mean, quartiles around a median."""
    x_scale: Scale | None = None
    """Scale of the horizontal axis, until another is asked for; by default log where what is seen spans a decade."""
    y_scale: Scale | None = None
    """Scale of the vertical axis, until another is asked for; by default log where what is seen spans a decade."""
    x_limits: Limits = ()
    """Ends of the horizontal axis. Where another one is asked for, they are left out."""
    y_limits: Limits = ()
    """Ends of the vertical axis. Where another one is asked for, they are left out."""
    target_line: bool = False
    """Figures curve, at_budget: line at the target. Ratios have none."""
    panels: str = ""
    """Dimension with a panel for each value, such as scheme or snr_db."""
    relative_to: str = ""
    """Scheme by whose values all others are divided, seed by seed: of y at equal costs, or of costs to the target."""
    columns: Literal[1, 2] = 1
    """Width of the figure in columns of a journal: 3.5 or 7.16 in."""
    labels: dict[str, str] = Field(default={})
    """Texts of the legend by scheme or value of a swept key, such as "A-FADMM" or "20". Their order is that of the
    legend; others follow. Formulas between dollars are drawn."""
    title: str = ""
    """Title of the figure."""
    x_label: str = ""
    """Name of the horizontal axis, until another one is asked for; left out, that of its variable or key."""
    y_label: str = ""
    """Name of the vertical axis, until another one is asked for; left out, that of its variable."""

    @field_validator("relative_to")
    @classmethod
    def _beside_others(cls, scheme: str, info: ValidationInfo) -> str:
        if scheme and info.data.get("panels") == "scheme":
            raise ValueError("needs all schemes in a panel, but plot.panels is 'scheme'")
        return scheme

    @field_validator("x_limits", "y_limits")
    @classmethod
    def _positive(cls, limits: tuple[float, ...], info: ValidationInfo) -> tuple[float, ...]:
        scale = f"{str(info.field_name)[0]}_scale"
        if info.data.get(scale) == "log" and limits and limits[0] <= 0:
            raise ValueError(f"must be positive where plot.{scale} is 'log'")
        return limits

    @field_validator("budgets")
    @classmethod
    def _given(cls, budgets: tuple[float, ...], info: ValidationInfo) -> tuple[float, ...]:
        if info.data.get("kind") == "at_budget" and not budgets:
            raise ValueError("must list at least one where plot.kind is 'at_budget'")
        return budgets

    def why_no_panels(self, swept: Collection[str]) -> str:
        """Return the rule that ``panels`` break, empty where there are none or a figure can have them."""
        if self.panels and self.panels not in swept:
            return f"must be a swept dimension: {', '.join(swept) or 'there is none'}"
        alone = self.panels not in ("", "scheme") and not _axes(swept, self.panels)
        return f"leaves {self.kind} no other swept key to draw against" if alone and self.kind != "curve" else ""

    def why_not_over(self, swept: Collection[str]) -> str:
        """Return the rule that ``over`` breaks, empty where it is left out or a figure can have it as an axis."""
        axes = _axes(swept, self.panels)
        rule = f"must be a swept dimension besides scheme and panels: {', '.join(axes) or 'there is none'}"
        return rule if self.over and self.over not in axes else ""

    def require_axis(self, swept: Collection[str]) -> None:
        """Refuse a figure against a swept key where there is none besides scheme and panels."""
        if self.kind != "curve" and not _axes(swept, self.panels):
            rule = "needs a swept key besides scheme and panels; otafl table has such numbers without one"
            raise OtaflError("plot.kind", self.kind, rule)

    def require_labels(self, known: Collection[Value]) -> None:
        """Refuse texts of the legend for what a figure does not have."""
        for name in self.unknown_labels(known):
            rule = f"names no scheme or value; the figure has {', '.join(dict.fromkeys(map(value_name, known)))}"
            raise OtaflError(f"plot.labels.{name}", self.labels[name], rule)

    def unknown_labels(self, known: Collection[Value]) -> list[str]:
        """Return the names of ``labels`` that are neither a budget nor among some known ones."""
        names = {value_name(value) for value in (*known, *self.budgets)}
        return [name for name in self.labels if value_name(name) not in names]

    def statistic_of(self, kind: str) -> str:
        return self.statistic or STATISTICS[kind]


def drawn(keys: Mapping[str, Value], swept: Collection[str]) -> Drawn:
    kind, y = keys["kind"], TARGET if keys["kind"] == "to_target" else keys["y"]
    axes = _axes(swept, keys["panels"])
    if kind == "curve" or not axes:
        return Drawn("curve", keys["x"] if kind == "curve" else keys["cost"], y)
    return Drawn(kind, keys["over"] or axes[0], keys["cost"] if kind == "to_target" else y)


def _axes(swept: Collection[str], panels: str) -> list[str]:
    """Return the swept dimensions against which a figure can be drawn."""
    return [name for name in swept if name not in ("scheme", panels)]


def changed(
    table: Mapping[str, Value], given: Mapping[str, Value], before: Collection[str], after: Collection[str]
) -> Values:
    """Return keys of a figure with other values for some, without those of an axis that shows something else then."""
    both = _meanings(table, before), _meanings({**table, **given}, after)
    wrong = [key for axis, keys in OF_AXIS.items() if both[0][axis] != both[1][axis] for key in keys]
    return {key: value for key, value in table.items() if key not in wrong} | dict(given)


def _meanings(table: Mapping[str, Value], swept: Collection[str]) -> Values:
    """Return what decides on the meaning of each axis, by axis."""
    keys = {key: field.default for key, field in Plot.model_fields.items()} | dict(table)
    kind, x, y = drawn(keys, swept)
    budgets = keys["budgets"] if isinstance(keys["budgets"], list | tuple) else [keys["budgets"]]
    at = [keys["cost"], *budgets] if kind == "at_budget" else []
    return {"x": x, "y": [kind == "to_target", y, keys["relative_to"], *at]}


def value_name(value: Value) -> str:
    """Return the name of a scheme or of a swept key's value in ``plot.labels``, such as "20" for 20.0."""
    if isinstance(value, bool):
        return str(value).lower()
    try:
        return f"{float(value):.12g}"
    except (TypeError, ValueError):
        return str(value)
