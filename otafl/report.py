"""The summary of a result: what each method took to reach the target, and where it ended."""

import numpy as np
import xarray as xr
from rich import box
from rich.table import Table

from otafl import analysis, results

CAPTION = (
    "mean and standard deviation over seeds; * passes the target and exceeds it later (the gap changes sign, or noise)"
)
COSTS = {"iteration": "Iterations", "time_slots": "Time slots", "channel_uses": "Channel uses", "energy": "Energy [J]"}


def summary(data: xr.Dataset) -> Table:
    """A table with a row for each swept point: costs to the target loss and the final loss, mean ± deviation.

    A cost is taken over the seeds that reach the target; [3/5] says that three of five do, and * that some exceed it
    later again.
    """
    target = results.scenario(data).settings.run.target_loss
    table = Table(title=f"{data.attrs['name']}: what a loss of {target:g} takes", box=box.SIMPLE_HEAD, caption=CAPTION)
    dims = [str(name) for name in data["loss"].dims if name not in ("seed", "iteration")]
    for heading in dims or ["method"]:
        table.add_column(heading, no_wrap=True)
    for heading in (*COSTS.values(), "Final loss"):
        table.add_column(heading, justify="right", no_wrap=True)
    for part in analysis.points(data):
        labels = [str(part[name].item()) for name in dims or ["method"]]
        table.add_row(*labels, *(_cost(part, target, cost) for cost in COSTS), _final(part))
    return table


def _cost(part: xr.Dataset, target: float, cost: str) -> str:
    values = analysis.to_target(part, target, cost).values
    reached = values[~np.isnan(values)]
    if not len(reached):
        return "not reached"
    share = "" if len(reached) == len(values) else f" [{len(reached)}/{len(values)}]"
    mark = " *" if cost == "iteration" and _exceeds_later(part, target) else ""
    return _spread(reached) + share + mark


def _exceeds_later(part: xr.Dataset, target: float) -> bool:
    """Whether some seed has a loss above the target after it has reached it."""
    reached = (part["loss"] <= target).cumsum("iteration") > 0
    return bool(((part["loss"] > target) & reached).any())


def _final(part: xr.Dataset) -> str:
    last = part["time_slots"].notnull().sum("iteration") - 1
    values = part["loss"].isel(iteration=last.clip(min=0)).values[(last >= 0).values]
    if not len(values):
        return "–"
    return _spread(values) if np.isfinite(values).all() else "diverged"


def _spread(values: np.ndarray) -> str:
    if np.isinf(values).any():
        return "inf"
    return f"{_number(values.mean())} ± {_number(values.std())}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if 10 <= abs(value) < 1e7 else f"{value:.2g}"
