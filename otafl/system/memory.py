"""Free memory of the machine, and refusals of demands beyond it."""

import math
import os
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from otafl.errors import OtaflError

GIB = 2**30
COPIES = 4
"""Copies of drawn or gathered data while these are made and moved."""
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Files in which Linux gives the memory limit of a container."""


class Demand(NamedTuple):
    """Memory [B] that a study or a run needs, the key that would reduce it, and words on it with "{size}"."""

    key: str
    value: object
    size: float
    what: str

    @property
    def text(self) -> str:
        """Reason for the demand in words, with the size in GiB."""
        return self.what.replace("{size}", f"{self.size / GIB:,.2f} GiB")


def require(demands: Collection[Demand], has: float) -> None:
    total, most = sum(demand.size for demand in demands), max(demands, key=lambda demand: demand.size)
    if total > has:
        others = f", and all else {(total - most.size) / GIB:,.2f} GiB" if most.size <= has else ""
        raise OtaflError(most.key, most.value, f"{most.text}{others}, and this machine has {has / GIB:,.2f} GiB left")


def available() -> float:
    """Return the free memory as Linux estimates it, or all memory, at most the limit of a container [B]."""
    return min(_left(), *map(_limit, LIMITS))


def _left() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _limit(path: str) -> float:
    try:
        return float(Path(path).read_text().replace("max", "inf"))
    except OSError:
        return math.inf
