"""Memory of a run as far as data and model tell: peaks as measured, beyond 750 MiB to import TensorFlow."""

import math
import os
import shutil
import tempfile

from otafl.engine import curves, draws
from otafl.engine.group import Group
from otafl.engine.inputs import chunk_shape
from otafl.errors import OtaflError
from otafl.system.memory import GIB, Demand, available, require

WORTH_SAYING = GIB // 4
"""Smallest memory in bytes that a run announces beforehand."""
COMFORT = 0.8
"""Share of the free memory above which rows of workers lie in a file."""


def room() -> int:
    """Return the free space of the disk for temporary files [bytes]."""
    return shutil.disk_usage(tempfile.gettempdir()).free


def remark(group: Group) -> str:
    """Return a remark on the memory of a group's runs, in words; empty where their models and duals are small."""
    states, mapped = _states(group), in_file(group)
    filed = f"{_in_gib(group.rows_bytes)} in a file in {tempfile.gettempdir()}"
    require([states, *_others(group)], available())
    if mapped and group.rows_bytes > room():
        rule = f"keep {filed}, which has {_in_gib(room())} left; TMPDIR names another folder"
        raise OtaflError("federation.workers", group.workers, rule)
    if states.size + mapped * group.rows_bytes < WORTH_SAYING:
        return ""
    also = f", and {filed}" if mapped else ""
    return f"{states.text}{also}; the run takes about {_in_gib(estimate(group))} in all"


def estimate(group: Group) -> float:
    """Return the peak memory of a group's runs [bytes], beyond that of importing TensorFlow."""
    return sum(demand.size for demand in (_states(group), *_others(group)))


def in_file(group: Group) -> bool:
    """Return True where workers' states lie in a file, as they would fill the free memory; no result depends on it."""
    if group.resident or not hasattr(os, "posix_fallocate") or group.rows_bytes < WORTH_SAYING:
        return False
    others = sum(demand.size for demand in _others(group))
    return group.rows_bytes + group.program_bytes + others > COMFORT * available()


def _in_gib(size: float) -> str:
    return f"{size / GIB:,.2f} GiB"


def _others(group: Group) -> list[Demand]:
    """Return all demands but that of workers' states and programs."""
    drawn = draws.demand(group, math.prod(chunk_shape(group)) if group.resident else 1)
    gains = group.air.demand(len(group.columns), group.uplink.most_subcarriers, group.uplink.symbols_on_subcarrier)
    return [curves.demand(group), drawn, gains, *group.task.demands]


def _states(group: Group) -> Demand:
    workers, active = group.workers, group.settings.participants
    size = group.program_bytes + (0 if in_file(group) else group.rows_bytes)
    who = f"{group.settings.method} with {workers:,} workers, {active:,} of them in a round, takes"
    return Demand("federation.workers", workers, size, f"{who} {{size}} of memory for their models and duals")
