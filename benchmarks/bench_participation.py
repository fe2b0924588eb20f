"""Time of a round with 10 of 1,000 workers against 10 of 100, and the memory of 1,000 duals of 1.66 million numbers."""

import sys
import time

import numpy as np

import otafl
from benchmarks.groups import first_group
from benchmarks.peak_memory import own_peak_mebibytes, peak_mebibytes
from otafl.engine.group import Group
from otafl.engine.simulate import Listener, simulate

ACTIVE, FEW, MANY = 10, 100, 1000
ROUNDS = 60
WANTED = 1.3
WANTED_GIB = 8


def group(method: str, workers: int, rounds: int, model: str = "mlp") -> Group:
    """Return a run with ACTIVE participants a round, who take 20 local steps on 1, 2 or 14 samples."""
    overrides = {
        "method": method,
        "problem.model": model,
        "federation.workers": workers,
        "federation.participation": ACTIVE / workers,
        "local.steps": 20,
        "local.batch_size": 20,
        "uplink.kind": "ideal",
        "run.seeds": 1,
        "run.iterations": rounds,
        "run.evaluate_every": rounds,
    }
    return first_group(otafl.load("digits_quickstart", overrides))


class Clock(Listener):
    """Listener that notes when rounds end."""

    def __init__(self) -> None:
        self.ends: list[float] = []

    def advanced(self, iterations: int, standing: str) -> None:
        self.ends.append(time.perf_counter())


def milliseconds(method: str, workers: int) -> float:
    """Return the median time of a round after the first, which compiles [ms]."""
    clock = Clock()
    simulate(group(method, workers, ROUNDS), clock)
    return float(np.median(np.diff(clock.ends)[:-1])) * 1e3


def main() -> None:
    """Print times of rounds in this process, and the memory of another process."""
    print(f"a round with {ACTIVE} of {MANY:,} workers against {ACTIVE} of {FEW}, MLP with 17,024 weights, 20 steps")
    for method in ("FedAvg", "FedDyn", "FedADMM-Gong"):
        few, many = milliseconds(method, FEW), milliseconds(method, MANY)
        print(f"  {method:<13} {few:6.2f} ms and {many:6.2f} ms   ratio {many / few:4.2f}   (wanted: at most {WANTED})")
    peak = peak_mebibytes("benchmarks.bench_participation", MANY) / 1024
    print(
        f"  peak memory of FedDyn, {MANY:,} workers with 1,663,482 weights, 99% of them drawn: {peak:.2f} GiB", end=""
    )
    print(f"   (wanted: at most {WANTED_GIB})")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        simulate(group("FedDyn", int(sys.argv[1]), 460, "benchmarks.wide:wide"))
        print(own_peak_mebibytes())
    else:
        main()
