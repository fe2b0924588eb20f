"""Time per worker and iteration of A-FADMM with 1,000 to 100,000 workers, and its peak memory."""

import sys
import time

import otafl
from benchmarks.groups import first_group
from benchmarks.peak_memory import own_peak_mebibytes, peak_mebibytes
from otafl.engine.group import Group
from otafl.engine.simulate import simulate

COUNTS = (1_000, 10_000, 100_000)
ITERATIONS = 200
REPEATS = 3
WANTED = 1.5


def group(workers: int) -> Group:
    """Return a run of A-FADMM on synthetic data, with d = 6 and two samples a worker."""
    overrides = {
        "method": "A-FADMM",
        "problem.dataset": "synthetic",
        "problem.samples": 2 * workers,
        "problem.dimension": 6,
        "federation.workers": workers,
        "run.seeds": 1,
        "run.iterations": ITERATIONS,
    }
    return first_group(otafl.load("quickstart", overrides))


def nanoseconds(workers: int) -> float:
    """Return the time per worker and iteration, the median of REPEATS runs after one that compiles [ns]."""
    runs, times = group(workers), []
    for _ in range(1 + REPEATS):
        started = time.perf_counter()
        simulate(runs)
        times.append(time.perf_counter() - started)
    return sorted(times[1:])[REPEATS // 2] / workers / ITERATIONS * 1e9


def main() -> None:
    """Print times in this process, and the memory of a process for each number of workers."""
    print("A-FADMM, d = 6, one seed: time per worker and iteration, peak resident memory")
    times = {workers: nanoseconds(workers) for workers in COUNTS}
    memory = {workers: peak_mebibytes("benchmarks.bench_workers", workers) for workers in (*COUNTS, 2 * COUNTS[-1])}
    for workers in COUNTS:
        print(f"  N = {workers:>7,}   {times[workers]:7.1f} ns   {memory[workers]:7.0f} MiB")
    print(f"  N = {2 * COUNTS[-1]:>7,}              {memory[2 * COUNTS[-1]]:7.0f} MiB")
    ratio = times[COUNTS[-1]] / times[COUNTS[0]]
    print(f"  time ratio of {COUNTS[-1]:,} to {COUNTS[0]:,} workers   {ratio:5.2f}   (wanted: at most {WANTED})")
    first = (memory[COUNTS[2]] - memory[COUNTS[0]]) / (COUNTS[2] - COUNTS[0]) * 2**20
    second = (memory[2 * COUNTS[-1]] - memory[COUNTS[-1]]) / COUNTS[-1] * 2**20
    print(f"  bytes for each further worker: {first:,.0f} up to 100,000, {second:,.0f} from there to 200,000")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        simulate(group(int(sys.argv[1])))
        print(own_peak_mebibytes())
    else:
        main()
