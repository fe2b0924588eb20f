"""What a machine's memory has left, and the refusal of what would not fit into it."""

import math
import os
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from otafl.errors import OtaflError

GIB = 2**30
COPIES = 4
"""Of what is drawn or gathered, while it is made and moved."""
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Where Linux says what a container may take."""


class Demand(NamedTuple):
    """Memory that a key asks for.

    Arguments:
        key: that one would change, dotted.
        value: of it.
        size: in bytes.
        what: takes so much, in words; "{size}" stands where the size belongs.
    """

    key: str
    value: object
    size: float
    what: str

    @property
    def text(self) -> str:
        """What takes how much."""
        return self.what.replace("{size}", f"{self.size / GIB:,.2f} GiB")


def require(demands: Collection[Demand], has: float) -> None:
    """Refuse what together does not fit into so many bytes.

    Raises:
        OtaflError: names the key that asks for most.
    """
    total, most = sum(demand.size for demand in demands), max(demands, key=lambda demand: demand.size)
    if total > has:
        others = f", and all else {(total - most.size) / GIB:,.2f} GiB" if most.size <= has else ""
        raise OtaflError(most.key, most.value, f"{most.text}{others}, and this machine has {has / GIB:,.2f} GiB left")


def available() -> float:
    """Bytes that processes may still take: as Linux estimates it, elsewhere all of the machine's; at most what a
    container is given."""
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
