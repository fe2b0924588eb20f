"""Cost per worker and iteration, and peak memory, of A-FADMM with 1,000 to 100,000 workers."""

import resource
import subprocess
import sys
import time

import otafl
from otafl import sweep
from otafl.engine import simulate

COUNTS = (1_000, 10_000, 100_000)
ITERATIONS = 200


def one(workers: int) -> tuple[float, float]:
    """Nanoseconds per worker and iteration of the second of two like runs, and peak resident bytes."""
    overrides = {
        "method": "A-FADMM",
        "problem.dataset": "synthetic",
        "problem.samples": 2 * workers,
        "problem.dimension": 6,
        "federation.workers": workers,
        "run.seeds": 1,
        "run.iterations": ITERATIONS,
    }
    (group, _), *_ = sweep.prepare(otafl.load("quickstart", overrides)).groups
    simulate(group)
    started = time.perf_counter()
    simulate(group)
    elapsed = time.perf_counter() - started
    return elapsed / workers / ITERATIONS * 1e9, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    """Every count in a process of its own, so that its peak memory is its own."""
    print("A-FADMM, d = 6, one seed: time per worker and iteration, peak resident memory")
    measured = {}
    for workers in COUNTS:
        command = [sys.executable, "-m", "benchmarks.bench_workers", str(workers)]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        measured[workers] = float(lines[0]), float(lines[1])
        print(f"  N = {workers:>7,}   {measured[workers][0]:7.1f} ns   {measured[workers][1] / 2**20:7.0f} MiB")
    (base, base_memory), (_, memory_10), (top, memory) = (measured[workers] for workers in COUNTS)
    print(f"  time ratio of {COUNTS[-1]:,} to {COUNTS[0]:,} workers   {top / base:5.2f}   (wanted: at most 1.5)")
    print(f"  memory per worker added, {COUNTS[1]:,} to {COUNTS[2]:,}: {(memory - memory_10) / 9e4:,.0f} bytes")
    print(f"  memory per worker added, {COUNTS[0]:,} to {COUNTS[1]:,}: {(memory_10 - base_memory) / 9e3:,.0f} bytes")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(*one(int(sys.argv[1])))
    else:
        main()
