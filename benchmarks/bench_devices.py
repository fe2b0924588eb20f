"""Rounds of 100 participants among 10³ to 10⁶ devices of natural sizes: time of a round, and memory."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import otafl
from benchmarks.bench_participation import Clock
from benchmarks.groups import first_group
from benchmarks.peak_memory import own_peak_mebibytes
from otafl.engine.simulate import simulate

COUNTS = (1_000, 10_000, 100_000, 1_000_000)
ACTIVE, ROUNDS, SHAPE = 100, 60, (8, 8, 1)
WANTED_RATIO, WANTED_GIB = 1.3, 1.0


def data(devices: int, path: Path) -> None:
    """Write images of 8 x 8 pixels in two classes; a device has 1 to 20 of them, by a geometric distribution."""
    rng = np.random.default_rng(0)
    sizes = np.minimum(rng.geometric(0.5, devices), 20)
    labels = rng.integers(0, 2, sizes.sum() + 100, dtype=np.int32)
    bright = (64 * labels).astype(np.uint8).reshape(-1, 1, 1, 1)
    images = bright + rng.integers(0, 128, (len(labels), *SHAPE), dtype=np.uint8)
    owner = np.repeat(np.arange(devices), sizes)
    train, test = slice(len(owner)), slice(len(owner), None)
    arrays = {"x_train": images[train], "y_train": labels[train], "x_test": images[test], "y_test": labels[test]}
    np.savez(path, **arrays, worker=owner)


def simulated(path: Path, devices: int) -> list[float]:
    """Run rounds of FedAvg on the devices of a file; return the times at which they ended [s]."""
    clock = Clock()
    keys = {
        "method": "FedAvg",
        "problem.dataset": str(path),
        "problem.model": "mlp_small",
        "federation.workers": devices,
        "federation.partition": "natural",
        "federation.participation": ACTIVE / devices,
        "local.steps": 5,
        "local.batch_size": 10,
        "run.seeds": 1,
        "run.iterations": ROUNDS,
        "run.evaluate_every": ROUNDS,
    }
    simulate(first_group(otafl.load("digits_quickstart", keys)), clock)
    return clock.ends


def main() -> None:
    """Print the time of a round and the peak memory for each number of devices."""
    print(f"FedAvg with {ACTIVE} participants a round, each of 1 to 20 images, MLP with 17,024 weights, 5 steps")
    with tempfile.TemporaryDirectory() as folder:
        found = [apart(devices, Path(folder) / f"{devices}.npz") for devices in COUNTS]
    for devices, (milliseconds, mebibytes) in zip(COUNTS, found, strict=True):
        print(f"  {devices:>9,} devices: {milliseconds:5.1f} ms a round, {mebibytes:,.0f} MiB")
    (few_ms, few_mebibytes), (many_ms, many_mebibytes) = found[0], found[-1]
    print(f"  ratio {many_ms / few_ms:.2f} (wanted: at most {WANTED_RATIO})", end="")
    print(f", {(many_mebibytes - few_mebibytes) / 1024:.2f} GiB more, data included (wanted: at most {WANTED_GIB})")


def apart(devices: int, path: Path) -> tuple[float, float]:
    """Return the median time of a round [ms] and the peak memory [MiB] of a process with some devices."""
    data(devices, path)
    command = [sys.executable, "-m", "benchmarks.bench_devices", str(path), str(devices)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    milliseconds, mebibytes = map(float, printed.split())
    return milliseconds, mebibytes


if __name__ == "__main__":
    if len(sys.argv) > 1:
        ends = simulated(Path(sys.argv[1]), int(sys.argv[2]))
        print(float(np.median(np.diff(ends)[:-1])) * 1e3, own_peak_mebibytes())
    else:
        main()
