"""Curves of a group's runs, entered iteration by iteration."""

import math
from typing import NamedTuple

import numpy as np

from otafl.engine.account import Account
from otafl.engine.checkpoint import Checkpoint
from otafl.engine.costs import SLOTS, USES
from otafl.engine.group import Group
from otafl.engine.outcome import judged, reached
from otafl.engine.work_done import WorkDone
from otafl.metrics.result_variables import VARIABLES
from otafl.system.memory import Demand

MEASURED, PLANNED = 210, 20
"""Bytes kept of a recorded iteration of a run until its end, and of each iteration while these are planned."""


class Curves(NamedTuple):
    """Curves of runs by variable, costs cumulative, [runs, recorded] each, NaN after the end; outcomes, [runs]."""

    values: dict[str, np.ndarray]
    outcomes: np.ndarray


class Record:
    """Record of a group's iterations so far: measured values and costs of all runs.

    Attributes: ``table``, values by variable, [runs, recorded] each, NaN beyond the end of a run at a target or as it
    diverged; ``done``, the number of iterations that are done; ``outcomes``, "completed" for runs without such an end,
    [runs]; and ``account``, the sums of costs.
    """

    def __init__(self, group: Group) -> None:
        self.group, plan = group, group.settings.run
        self.account = Account(group)
        self.is_recorded = np.isin(np.arange(plan.iterations), plan.recorded - 1)
        self.read = np.isin(np.arange(plan.iterations), plan.evaluated - 1) & group.trains
        self.table: dict[str, np.ndarray] = {}
        self.done = 0
        self.accuracy = math.nan
        self.outcomes = np.full(len(group.columns), "completed")

    def enter(self, part: dict[str, np.ndarray], costs: np.ndarray, work: WorkDone | None = None) -> None:
        count = len(part["loss"])
        now = slice(self.done, self.done + count)
        accuracy = np.where(self.read[now, None], part["test_accuracy"], math.nan)
        self.accuracy = next((reading for reading in accuracy[::-1, 0] if not math.isnan(reading)), self.accuracy)
        measured = part | {"test_accuracy": accuracy} | self.account.add(costs, part["energy"], work)
        rows = {name: values[self.is_recorded[now]].T for name, values in measured.items()}
        none = np.full((len(self.group.columns), len(self.iterations)), math.nan)  # as earlier versions may leave it
        self.table = {name: np.concatenate([self.table.get(name, none), new], axis=1) for name, new in rows.items()}
        self.done += count
        self._judge()

    def _judge(self) -> None:
        if self.table:
            self.table, self.outcomes = judged(self.table, self.iterations, self.group.settings.run.stop_at)

    def begin(self, begin: list[Checkpoint]) -> None:
        """Go on from checkpoints of all runs; their last iteration stays only if it is one to record now."""
        plan, done = self.group.settings.run, begin[0].iterations
        rows = np.isin(done, plan.recorded)
        if rows.any():
            tables = [checkpoint.table for checkpoint in begin]
            self.table = {name: np.stack([table[name][rows] for table in tables]) for name in tables[0]}
            read = self.read[done[rows] - 1]
            sparse = [name for name in self.table if self.group.trains and VARIABLES[name].sparse]
            self.table |= {name: np.where(read, self.table[name], math.nan) for name in sparse}
        self.account.totals = np.stack([checkpoint.totals for checkpoint in begin], axis=-1)
        self.done = begin[0].start
        self._judge()

    @property
    def iterations(self) -> np.ndarray:
        """Numbers of the recorded iterations that are done, from 1. Shape [recorded]."""
        return np.flatnonzero(self.is_recorded[: self.done]) + 1

    @property
    def ended(self) -> bool:
        """True if all runs have diverged, or are at their target."""
        return "completed" not in self.outcomes

    @property
    def standing(self) -> str:
        """Progress in words, such as "round 20, accuracy 0.913"; empty where no networks are trained."""
        if not self.group.trains:
            return ""
        slots = self.account.totals[SLOTS]
        words = [f"round {self.done}"]
        words += [] if math.isnan(self.accuracy) else [f"accuracy {self.accuracy:.3f}"]
        words += [f"{slots[0]:,.0f} slots"] if len(slots) == 1 and np.isfinite(slots[0]) else []
        return ", ".join(words)

    def curves(self) -> Curves:
        shape = (len(self.group.columns), int(self.is_recorded.sum()))
        if not self.table:
            return Curves({}, np.full(shape[0], "stopped"))
        done = self.group.finished(self.account.totals[USES]) | (self.done >= self.group.settings.run.iterations)
        outcomes = np.where((self.outcomes != "completed") | done, self.outcomes, "stopped")
        values = {name: np.full(shape, math.nan) for name in self.table}
        for name, rows in self.table.items():
            values[name][:, : rows.shape[1]] = np.where(reached(self.table), rows, math.nan)
        return Curves(values, outcomes)


def demand(group: Group) -> Demand:
    """Return the memory for measured values until the end of the runs."""
    iterations, runs = group.settings.run.iterations, len(group.columns)
    size = MEASURED * len(group.settings.run.recorded) * runs + PLANNED * iterations
    what = f"{runs:,} runs of {iterations:,} iterations side by side take {{size}} of memory for what is measured"
    return Demand("run.iterations", iterations, size, what)
