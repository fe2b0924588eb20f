"""Peak resident memory, of a process that does one thing (Linux)."""

import subprocess
import sys
from pathlib import Path


def peak_mebibytes(module: str, workers: int) -> float:
    """Peak of ``python -m module workers``, which prints its own."""
    command = [sys.executable, "-m", module, str(workers)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def own_peak_mebibytes() -> float:
    """Peak resident memory of this program alone; getrusage's starts at that of the process it was forked from."""
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))
