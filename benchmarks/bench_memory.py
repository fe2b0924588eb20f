"""Peak memory of several kinds of studies against its estimate, each in a process of its own."""

import json
import subprocess
import sys
import time

import tensorflow as tf

import otafl
from benchmarks.groups import first_group
from benchmarks.peak_memory import own_peak_mebibytes
from otafl.engine import run_size
from otafl.engine.simulate import simulate

MNIST = {"method": "A-SFADMM", "run.seeds": 1, "run.iterations": 2}
STUDIES = {
    "A-SFADMM, 10,000 workers": ("mnist_communication", MNIST | {"federation.workers": 10_000}),
    "A-SFADMM, 100 workers": ("mnist_communication", MNIST),
    "A-FADMM, 55 runs": ("linreg_energy", {"method": "A-FADMM"}),
    "FedADMM-Gong, 250 of 1,000 workers": (
        "gong_table3_iid_small",
        {"method": "FedADMM-Gong", "federation.workers": 1000},
    ),
}
WANTED = 0.25
"""Largest relative deviation of the memory from its estimate."""
WANTED_GIB = 20


def measured(name: str) -> dict[str, float]:
    """Return memory over that of TensorFlow's import [MiB], its estimate [MiB] and the time [s] of a study."""
    command = [sys.executable, "-m", "benchmarks.bench_memory", name]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return json.loads(lines[-1])


def measure(name: str) -> dict[str, float]:
    """Print memory, estimate and time of a study in this process."""
    tf.constant(0.0)
    imported, started = own_peak_mebibytes(), time.perf_counter()
    runs = first_group(otafl.load(*STUDIES[name]))
    estimate = run_size.estimate(runs) / 2**20
    simulate(runs)
    peak, seconds = own_peak_mebibytes(), time.perf_counter() - started
    return {"imported": imported, "peak": peak, "taken": peak - imported, "estimate": estimate, "seconds": seconds}


def main() -> None:
    """Print memory, estimate and time of all studies."""
    print(f"memory estimated beforehand and taken, in GiB (wanted: within {WANTED:.0%}, peaks below {WANTED_GIB})")
    for name in STUDIES:
        found = measured(name)
        gib = {key: value / 1024 for key, value in found.items()}
        print(
            f"  {name:<36} {gib['estimate']:6.2f} and {gib['taken']:6.2f}   ratio {gib['estimate'] / gib['taken']:4.2f}"
            f"   peak {gib['peak']:6.2f}, of which imports {gib['imported']:4.2f}   {found['seconds']:5.0f} s"
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(sys.argv[1])))
    else:
        main()
