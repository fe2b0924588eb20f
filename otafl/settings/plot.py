"""The keys of a study's figure."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from otafl.errors import OtaflError
from otafl.settings.types import Positive, Table, one_of, rule
from otafl.variables import COSTS, READINGS

Cost = Annotated[str, one_of(COSTS)]
Reading = Annotated[str, one_of(READINGS)]

Limits = Annotated[
    tuple[Annotated[float, Field(allow_inf_nan=False)], ...],
    Field(strict=False),
    rule(lambda ends: not ends or (len(ends) == 2 and ends[0] < ends[1]), "must be two numbers, the lower one first"),
]
Scale = Literal["linear", "log"]


class Plot(Table, frozen=True):
    """The figure that ``otafl plot`` draws."""

    kind: Literal["curve", "at_budget", "to_target"] = Field(
        default="curve",
        description="what the figure shows: y against a cost, what y is at budgets of a cost, or what the target costs",
    )
    x: Cost = Field(default="time_slots", description="curve: variable on the horizontal axis")
    y: Reading = Field(default="loss", description="curve, at_budget: variable on the vertical axis")
    cost: Cost = Field(default="channel_uses", description="at_budget, to_target: what is spent")
    budgets: tuple[Positive, ...] = Field(
        default=(), validate_default=True, strict=False, description="at_budget: at which cost y is read"
    )
    reached: Literal["held", "first"] = Field(
        default="held",
        description="to_target, and the summary: a target counts as reached where the running median stays within it "
        "from then on, or where it is first met, though it may be left again at once",
    )
    statistic: Literal["mean", "median"] | None = Field(
        default=None,
        description="over seeds; left out, the median of costs to a target, whose mean need not exist, else the mean",
    )
    spread: Literal["deviation", "quartiles", "interval", "none"] | None = Field(
        default=None,
        description="shade around it: standard deviation of a sample, quartiles, or an interval of 95% confidence; "
        "left out, the deviation around a mean, quartiles around a median",
    )
    x_scale: Scale | None = Field(
        default=None,
        description="horizontal axis; left out, log where values span a decade",
    )
    y_scale: Scale | None = Field(default=None, description="vertical axis, likewise")
    x_limits: Limits = Field(default=(), description="ends of the horizontal axis")
    y_limits: Limits = Field(default=(), description="ends of the vertical axis")
    target_line: bool = Field(default=False, description="curve, at_budget: a line at the target")
    panels: str = Field(default="", description="a panel for each value of this dimension, such as scheme or snr_db")
    columns: Literal[1, 2] = Field(default=1, description="width: columns of a journal, 3.5 or 7.16 in")

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
            raise ValueError("must list some where plot.kind is 'at_budget'")
        return budgets

    def require_axis(self, swept: Sequence[str]) -> None:
        """Refuse panels for the only one of the swept dimensions, but for the scheme, where values stand against one.

        Raises:
            OtaflError: they leave none.
        """
        if self.kind != "curve" and list(swept) == [self.panels]:
            raise OtaflError("plot.panels", self.panels, f"leaves {self.kind} no other swept key to draw against")

    @property
    def over_seeds(self) -> dict[str, Any]:
        """The statistic over seeds and its spread, as functions that draw take them."""
        statistic = self.statistic or ("median" if self.kind == "to_target" else "mean")
        return {"statistic": statistic, "spread": self.spread}
