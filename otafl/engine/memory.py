"""What a machine has left of its memory."""

import math
import os
from pathlib import Path

GIB = 2**30


LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Where Linux says what a container may take."""


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
