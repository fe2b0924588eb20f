"""Variables of results: the table of their names, units and sources."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

Source = Literal[
    "ledger",
    "problem",
    "classification",
    "residuals",
    "penalty",
    "training",
    "air",
    "truncation",
    "sum",
    "energy",
    "deadline",
    "metric",
    "study",
]
"""Source of a variable. Ledger and problem bring theirs in every study; a study brings one value for each run."""
WHY_ABSENT: dict[Source, str] = {
    "classification": "regressions have none",
    "residuals": "none of the methods has it",
    "penalty": "workers of none of the methods have penalties of their own",
    "training": "none of the methods trains in epochs",
    "air": "no upload is analog",
    "truncation": "no precoder truncates",
    "sum": "no upload is analog or quantised",
    "energy": "it needs energy.whole = true",
    "deadline": "it needs federation.deadline_s",
    "metric": "run.metrics does not name it",
}
"""Reason why a study has no variable of a source."""


@dataclass(frozen=True)
class Quantity:
    """Quantity on an axis of a figure: its name, unit and symbol.

    Arguments:
        unit: its unit, such as "J"; "1" without one.
        linear: True for an axis that is always linear; others are logarithmic where a line spans a wide range.
        symbol: symbol for legends; left out, the name.
    """

    long_name: str
    unit: str = "1"
    linear: bool = False
    symbol: str = ""


@dataclass(frozen=True, kw_only=True)
class Variable(Quantity):
    """Variable of results: a cost, which adds up over iterations, or a reading.

    Arguments:
        name: name in the dataset, such as "time_slots".
        brought_by: what computes it, such as "ledger"; NaN in runs without it, absent where no run has it.
        heading: heading of its column in the summary, for costs; left out, it has no column.
        beside: cost beside whose column its own stands unless in proportion to that; left out: always.
        rises: True where larger values are better, for readings.
        sparse: True where it is read at some iterations only, by ``run.evaluate_every``.
        over_workers: how values of groups of workers combine: mean, mean by their weights, or root of squares.
        classification_name: name in words where networks classify; left out, ``long_name``.
    """

    name: str
    brought_by: Source
    is_cost: bool = False
    heading: str = ""
    beside: str = ""
    rises: bool = False
    sparse: bool = False
    over_workers: Literal["mean", "objective", "norm"] = "mean"
    classification_name: str = ""
    least: float = -math.inf
    most: float = math.inf


def _cost(
    name: str, unit: str, long_name: str, heading: str = "", brought_by: Source = "ledger", beside: str = ""
) -> Variable:
    shown = Variable(name=name, unit=unit, long_name=long_name, heading=heading, beside=beside, brought_by=brought_by)
    return replace(shown, is_cost=True, least=0.0)


_TABLE = (
    _cost("time_slots", "slot", "Time slots", "Time slots"),
    _cost("time", "s", "Time", "Time [s]", beside="time_slots"),
    _cost("channel_uses", "use", "Channel uses", "Channel uses"),
    _cost("energy", "J", "Transmitted energy", "Energy [J]"),
    _cost("uplink_elements", "element", "Uploaded elements"),
    _cost("energy_data", "J", "Energy of uploaded symbols", brought_by="energy"),
    _cost("energy_pilots", "J", "Energy of pilots", brought_by="energy"),
    _cost("energy_feedback", "J", "Energy of side information", brought_by="energy"),
    _cost("energy_prefix", "J", "Energy of cyclic prefixes", brought_by="energy"),
    _cost("energy_downlink", "J", "Energy of the downlink", brought_by="energy"),
    _cost("energy_computation", "J", "Energy of local computation", brought_by="energy"),
    _cost("energy_circuits", "J", "Energy of workers' circuits", brought_by="energy"),
    _cost("energy_amplifiers", "J", "Energy lost in amplifiers", brought_by="energy"),
    _cost("total_energy", "J", "Total energy", "Total energy [J]", brought_by="energy"),
    _cost("late_workers", "worker", "Late workers", brought_by="deadline"),
    Variable(
        name="test_accuracy",
        long_name="Test accuracy",
        brought_by="classification",
        linear=True,
        rises=True,
        sparse=True,
        least=0.0,
        most=1.0,
    ),
    Variable(
        name="loss",
        long_name="Loss |Σ f(θ) − f*|",
        brought_by="problem",
        over_workers="objective",
        classification_name="Training loss",
    ),
    Variable(name="primal_residual", long_name="Primal residual", brought_by="residuals", over_workers="norm"),
    Variable(name="dual_residual", long_name="Dual residual", brought_by="residuals", over_workers="norm"),
    Variable(name="penalty", long_name="Mean penalty of the workers", brought_by="penalty"),
    Variable(name="local_epochs", unit="epoch", long_name="Local epochs of a worker", brought_by="training"),
    Variable(name="aggregation_nmse", long_name="Error of the received sum (NMSE)", brought_by="sum"),
    Variable(name="worker_power", unit="W", long_name="Largest power of a worker", brought_by="air"),
    Variable(
        name="truncated_share", long_name="Share of truncated elements", brought_by="truncation", least=0.0, most=1.0
    ),
    Variable(name="outcome", long_name="How a run ended", brought_by="study"),
)
VARIABLES = {variable.name: variable for variable in _TABLE}
"""Variables of results by name. Costs are cumulative at the end of an iteration."""
CURVES = {variable.name: variable for variable in _TABLE if variable.brought_by != "study"}
"""Variables with a value in every iteration, by name."""
ITERATION = _cost("iteration", "round", "Round", "Rounds", brought_by="study")
"""Coordinate of iterations, which also serves as a cost."""
COORDINATES: dict[str, Quantity] = {"scheme": Quantity("Method"), "seed": Quantity("Seed"), ITERATION.name: ITERATION}
COSTS = {variable.name: variable for variable in (ITERATION, *_TABLE) if variable.is_cost}
"""Costs by name: iterations, and the costs that the ledger counts."""
TABLES = (VARIABLES, CURVES)
"""Tables of variables to which a registered metric is added."""
RESERVED = ("seed", ITERATION.name)
"""Names of a result's own coordinates, which no swept key may take, as it may not take that of a variable."""
OF_KEYS: set[str] = set()
"""Names of scenario keys, with and without their tables, which swept keys give to dimensions and no metric may take."""


def add(variable: Variable) -> None:
    for table in TABLES:
        table[variable.name] = variable


def impossible(name: str, values: np.ndarray) -> Iterator[str]:
    """Yield in words what is wrong with the values of a variable, [..., iteration], NaN where there is none.

    >>> list(impossible("test_accuracy", np.array([0.9, 1.2])))
    ['is not within 0 to 1']
    """
    least, most = CURVES[name].least, CURVES[name].most
    if (values < least).any() or (values > most).any():
        yield f"is not within {least:g} to {most:g}"
    if name in COSTS and (values < np.fmax.accumulate(values, axis=-1)).any():
        yield "falls in places, and a cost adds up"
