"""Overhead of a run on a Ray cluster, and the speed-up by a second worker."""

import logging
import tempfile
import time
from pathlib import Path

import otafl
from otafl.study.collect import collect

KEYS = {"method": "FedAvg", "run.iterations": 150}
FEW, MANY = 8, 40
"""Numbers of seeds, each a run and a task; their difference leaves out the time to start."""
WANTED_S, WANTED_RATIO = 0.05, 1.7


def main() -> None:
    """Print the overhead and the speed-up."""
    try:
        import ray
    except ImportError as error:
        print(f"Ray: skipped, {error}")
        return
    found = []
    for workers in (1, 2):
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
        found.append(_a_run())
        ray.shutdown()
    (taken, computed), (shared, _) = found
    print(
        f"Ray: {taken:.3f} s a run, {1000 * (taken - computed):.0f} ms beyond computing (wanted: {1000 * WANTED_S:.0f})"
    )
    print(f"  two workers do {taken / shared:.2f} times what one does (wanted: {WANTED_RATIO})")


def _a_run() -> tuple[float, float]:
    """Return the time of a run and its computing time [s]."""
    _, few, many = map(_seconds, (FEW, FEW, MANY))  # a cluster keeps the processes of the first
    taken, computed = ((after - before) / (MANY - FEW) for before, after in zip(few, many, strict=True))
    return taken, computed


def _seconds(seeds: int) -> tuple[float, float]:
    """Return the time of a study and the computing time of all its runs [s]."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        otafl.run("digits_quickstart", KEYS | {"run.seeds": seeds}, folder, store=False, engine="ray")
        taken = time.perf_counter() - began
        return taken, float(collect([Path(folder)]).with_times()["compute_time"].sum())
