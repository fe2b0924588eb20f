"""What a run will need of a machine's memory, and what that has left."""

import math
import os
from pathlib import Path

import tensorflow as tf

from otafl.engine.group import Group
from otafl.errors import OtaflError

GIB = 2**30
WORTH_SAYING = 2**28
"""Bytes from which on a run says beforehand what it will need."""
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Where Linux says what a container may take."""


def remark(group: Group) -> str:
    """What the models and duals of all workers take, where that is worth saying.

    Raises:
        OtaflError: they do not fit.
    """
    if not group.trains:
        return ""
    wanted, has, workers = needed(group), available(), group.workers
    need = (
        f"{group.settings.method} with {workers:,} workers, {group.settings.participants:,} of them in a round, takes "
    )
    need += f"{wanted / GIB:.2f} GiB of memory for their models and duals"
    if wanted > has:
        raise OtaflError("federation.workers", workers, f"{need}, and this machine has {has / GIB:.2f} GiB left")
    return need if wanted >= WORTH_SAYING else ""


def needed(group: Group) -> int:
    """Bytes for what all workers keep, and for a round: as measured, four times what its participants keep, and as many
    vectors as they upload and one."""
    start = tf.zeros([1, group.elements, 1])
    parameters = group.parameters([0])
    _, client = group.method.init(start, group.options, parameters)
    kept = sum(leaf.dtype.size * leaf.shape.num_elements() for leaf in client)
    participant = 4 * kept + (group.method.vectors + 1) * group.elements * start.dtype.size
    return group.workers * kept + group.settings.participants * participant


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
