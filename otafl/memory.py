"""What a machine has left of its memory."""

import os
from pathlib import Path

GIB = 2**30


def available() -> int:
    """Bytes that processes may still take: as Linux estimates it, elsewhere all of the machine's."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
