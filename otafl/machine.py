"""What this machine gives a process."""

import os


def cores() -> list[int]:
    """Numbers of the processor cores that this process may use; where the system does not tell, those there are."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))
