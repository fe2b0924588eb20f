"""Peak resident memory of a process (Linux)."""

import subprocess
import sys
from pathlib import Path


def peak_mebibytes(module: str, workers: int) -> float:
    """Return the peak memory of ``python -m module workers``, which prints it [MiB]."""
    command = [sys.executable, "-m", module, str(workers)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def own_peak_mebibytes() -> float:
    """Return the peak memory of this program alone [MiB]; that of getrusage includes the process that forked it."""
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))
