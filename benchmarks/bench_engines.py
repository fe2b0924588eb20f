"""Times of commands that compute studies by worker processes and in one process, alternately."""

import os
import subprocess
import sys
import tempfile
import time

STUDIES = {
    "many small runs of networks": "digits_quickstart --run.seeds 12 --run.iterations 150 --method A-SFADMM FedAvg",
    "convolving networks": "digits_quickstart --problem.model cnn --method FedAvg FedADMM-Gong --run.seeds 4 "
    "--run.iterations 30 --federation.workers 10 --uplink.kind digital",
    "regressions": "linreg_energy",
    "ten seeds of a network on MNIST": "gong_table3_iid_small --run.iterations 60",
}
TIMES = 2


def main() -> None:
    """Time each study both ways, print the ratios."""
    print("a command from start to end [s], in one process and by worker processes")
    for name, words in STUDIES.items():
        if "digits" not in words and not os.environ.get("OTAFL_DATA_DIR"):
            print(f"  {name:<34} skipped: OTAFL_DATA_DIR is not set")
            continue
        pairs = [(_timed(words, "0"), _timed(words, None)) for _ in range(TIMES)]
        one, many = (sum(times) / TIMES for times in zip(*pairs, strict=True))
        shown = "  ".join(f"{first:.1f}/{second:.1f}" for first, second in pairs)
        print(f"  {name:<34} {shown}   ratio {one / many:4.2f}")


def _timed(words: str, processes: str | None) -> float:
    """Return the time of a command with an empty store [s]."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "otafl.cli", "run", *words.split(), "--no-store", "--out", folder]
        command += ["--processes", processes] if processes else []
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        return time.perf_counter() - began
