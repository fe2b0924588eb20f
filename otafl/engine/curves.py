"""The curves of a group's runs, entered as iterations are done."""

import math
from typing import NamedTuple

import numpy as np

from otafl.engine.group import Group
from otafl.engine.ledger import Ledger
from otafl.engine.schedule import evaluated, recorded


class Curves(NamedTuple):
    """The curves of a group.

    Arguments:
        values: variables of results at the recorded iterations, each of shape [columns, recorded]. Costs are
            cumulative; what lies beyond a run's end is NaN.
        outcomes: "completed", "diverged" or "stopped", for each column.
        interrupted: whether the runs were stopped before their end.
    """

    values: dict[str, np.ndarray]
    outcomes: np.ndarray
    interrupted: bool


class Record:
    """What the iterations of a group have brought so far."""

    def __init__(self, group: Group) -> None:
        self.group, plan = group, group.settings.run
        self.ledger = Ledger(group)
        self.kept = np.isin(np.arange(plan.iterations), recorded(plan) - 1)
        self.read = np.isin(np.arange(plan.iterations), evaluated(plan) - 1) & group.trains
        self.parts: list[dict[str, np.ndarray]] = []
        self.done = 0
        self.diverged = np.zeros(len(group.columns), bool)
        self.interrupted = False

    def enter(self, part: dict[str, np.ndarray]) -> None:
        """Add what the next iterations have measured, by name, each of shape [iterations, runs]."""
        count = len(part["loss"])
        now = slice(self.done, self.done + count)
        part["test_accuracy"] = np.where(self.read[now, None], part["test_accuracy"], math.nan)
        self.diverged |= ~np.isfinite(part["loss"][self.kept[now]]).all(axis=0)
        self.parts.append(part)
        self.done += count

    @property
    def measured(self) -> dict[str, np.ndarray]:
        """All that was measured so far, costs among it."""
        if not self.parts:
            return {}
        table = {name: np.concatenate([part[name] for part in self.parts]) for name in self.parts[0]}
        return table | self.ledger.cumulative(table["energy"])

    @property
    def standing(self) -> str:
        """How the run stands, where there is one."""
        if not self.group.trains:
            return ""
        table = self.measured
        accuracy, slots = table["test_accuracy"][:, 0], table["time_slots"][-1]
        read = accuracy[~np.isnan(accuracy)]
        words = [f"round {self.done}"]
        words += [f"accuracy {read[-1]:.3f}"] if len(read) else []
        words += [f"{slots[0]:,.0f} slots"] if len(slots) == 1 and np.isfinite(slots[0]) else []
        return ", ".join(words)

    def curves(self) -> Curves:
        """Costs and readings at the recorded iterations, NaN after a run's end."""
        kept, shape = self.kept[: self.done], (len(self.group.columns), int(self.kept.sum()))
        measured = self.measured
        if not measured:
            return Curves({}, np.full(shape[0], "stopped"), self.interrupted)
        table = {name: values[kept].T for name, values in measured.items()}
        beyond, lost = np.isnan(table["time_slots"]), ~np.isfinite(table["loss"])
        ended = beyond | (np.cumsum(lost, axis=1) > lost)
        spent = np.nanmax(measured["channel_uses"], axis=0) >= self.ledger.limit
        exhausted = beyond.any(axis=1) | spent | (self.done >= self.group.settings.run.iterations)
        diverged = (lost & ~beyond).any(axis=1)
        outcomes = np.where(diverged, "diverged", np.where(exhausted, "completed", "stopped"))
        return Curves(
            {name: _filled(values, ended, shape) for name, values in table.items()}, outcomes, self.interrupted
        )


def _filled(values: np.ndarray, ended: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Values that go to the runs' ends, NaN beyond and where nothing is done yet."""
    curves = np.full(shape, math.nan)
    curves[:, : values.shape[1]] = np.where(ended, math.nan, values)
    return curves
