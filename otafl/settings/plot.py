"""Keys of the table plot: the figure of a study."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from otafl.errors import OtaflError
from otafl.settings.types import Positive, Table, one_of, rule
from otafl.variables import COSTS, METRICS

Cost = Annotated[str, one_of(COSTS)]
Metric = Annotated[str, one_of(METRICS)]

Limits = Annotated[
    tuple[Annotated[float, Field(allow_inf_nan=False)], ...],
    Field(strict=False),
    rule(lambda ends: not ends or (len(ends) == 2 and ends[0] < ends[1]), "must be two numbers, the lower one first"),
]
Scale = Literal["linear", "log"]


class Plot(Table, frozen=True):
    """The figure that ``otafl plot`` draws.

    Table ``plot`` of scenario keys: kind of figure, its axes, statistics over seeds, and panels.

    Figures are ``y`` against the cost ``x``, ``y`` at ``budgets`` of ``cost`` in its unit, or the ``cost`` of the
    target. None: by kind of figure and values. ``panels``: dimension with a panel for each value; ``columns``: width of
    the figure in columns of a journal.
    """

    kind: Literal["curve", "at_budget", "to_target"] = "curve"
    """Kind of figure. curve: y against a cost; at_budget: y at budgets of a cost; to_target: the cost of the target."""
    x: Cost = "time_slots"
    """Figure curve: variable on the horizontal axis."""
    y: Metric = "loss"
    """Figures curve, at_budget: variable on the vertical axis."""
    cost: Cost = "channel_uses"
    """Figures at_budget, to_target: cost that is spent."""
    budgets: tuple[Positive, ...] = Field(default=(), validate_default=True, strict=False)
    """Figure at_budget: costs at which y is read."""
    reached: Literal["held", "first"] = "held"
    """Figure to_target, and the summary: when a target counts as reached. held: the running median stays within it from
    then on. first: it is met once, and may be left again."""
    statistic: Literal["mean", "median"] | None = None
    """Statistic over seeds. Left out: the median for costs to a target, whose mean need not exist, else the mean."""
    spread: Literal["deviation", "quartiles", "interval", "none"] | None = None
    """Shaded spread over seeds: sample standard deviation, quartiles, or an interval of 95% confidence. Left out: the
    deviation around a mean, quartiles around a median."""
    x_scale: Scale | None = None
    """Scale of the horizontal axis; left out, log where values span a decade."""
    y_scale: Scale | None = None
    """Scale of the vertical axis; left out, log where values span a decade."""
    x_limits: Limits = ()
    """Ends of the horizontal axis."""
    y_limits: Limits = ()
    """Ends of the vertical axis."""
    target_line: bool = False
    """Figures curve, at_budget: line at the target."""
    panels: str = ""
    """Dimension with a panel for each value, such as scheme or snr_db."""
    columns: Literal[1, 2] = 1
    """Width of the figure in columns of a journal: 3.5 or 7.16 in."""

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

    def require_axis(self, swept: Sequence[str]) -> None:
        """Refuse panels that leave no swept key for the horizontal axis, where the figure's kind is not "curve".

        Arguments:
            swept: names of the swept dimensions of the result, without "scheme", that of the methods.

        Raises:
            OtaflError: the panels take the only swept dimension.
        """
        if self.kind != "curve" and list(swept) == [self.panels]:
            raise OtaflError("plot.panels", self.panels, f"leaves {self.kind} no other swept key to draw against")

    @property
    def over_seeds(self) -> dict[str, Any]:
        """Statistic over seeds and spread, as keyword arguments of functions that draw.

        An example is {"statistic": "median", "spread": None}.
        """
        statistic = self.statistic or ("median" if self.kind == "to_target" else "mean")
        return {"statistic": statistic, "spread": self.spread}
