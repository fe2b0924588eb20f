"""Time that cached programs save a process, in one short study."""

import os
import subprocess
import sys
import tempfile
import time

STUDY = ("digits_quickstart", "--run.iterations", "5", "--run.seeds", "1")


def seconds(cache: str) -> float:
    """Return the time of a process that runs the study with programs cached in a folder; empty: none [s]."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "otafl.cli", "run", *STUDY, "--out", out]
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=os.environ | {"OTAFL_CACHE_DIR": cache})
        return time.perf_counter() - started


def main() -> None:
    """Print the times and their ratio."""
    with tempfile.TemporaryDirectory() as cache:
        without, filling, filled = seconds(""), seconds(cache), seconds(cache)
    print(f"otafl run {' '.join(STUDY)}, a process each")
    print(f"  without kept programs {without:.1f} s, keeping them {filling:.1f} s, with them {filled:.1f} s", end="")
    print(f"   ratio {filled / without:.2f}")


if __name__ == "__main__":
    main()
