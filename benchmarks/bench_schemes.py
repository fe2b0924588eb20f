"""Time of a FedAvg round under each scheme of its uplink over one without: 100 workers, MNIST, 20 local steps.

Each round has a new coherence block. Rounds are done in turn, in one process, with their draws and costs.
"""

import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import otafl
from benchmarks.groups import first_group
from otafl.engine.executors import Resident

REPEATS, WANTED = 5, 1.3
COMMON = {"local.steps": 20, "channel.coherence_iterations": 1.0, "run.seeds": 1, "run.iterations": REPEATS + 2}
ANALOG: dict[str, dict[str, Any]] = {
    "truncation": {},
    **{name: {"uplink.scheme": name} for name in ("BAA", "full_power", "MMSE", "OBDA", "CA-DSGD")},
    "COTAF": {"uplink.scheme": "COTAF", "uplink.inversion_threshold": 0.1},
}
DIGITAL: dict[str, dict[str, Any]] = {
    "equal": {},
    "QSGD": {"uplink.scheme": "QSGD", "uplink.bits_per_element": 4},
    "D-DSGD": {"uplink.scheme": "D-DSGD"},
    "normal": {"uplink.code": "normal"},
    "min_makespan": {"uplink.allocation": "min_makespan"},
    "proportional_fair": {"uplink.allocation": "proportional_fair"},
}


def main() -> None:
    """Print the ratios."""
    print(f"a round of FedAvg under a scheme over that of the first (wanted: at most {WANTED})")
    for kind, schemes in (("analog", ANALOG), ("digital", DIGITAL)):
        rounds = [_rounds({"method": f"FedAvg@{kind}"} | keys) for keys in schemes.values()]
        taken = [[one() for one in rounds] for _ in range(REPEATS + 1)][1:]
        for name, times in zip(schemes, zip(*taken, strict=True), strict=True):
            ratio = statistics.median(own / plain for own, (plain, *_) in zip(times, taken, strict=True))
            print(f"  {kind:<8} {name:<20} {ratio:4.2f}   {statistics.median(times):.2f} s")


def _rounds(keys: dict[str, Any]) -> Callable[[], float]:
    """Return a function that does the next round and returns its time [s]."""
    executor = Resident(first_group(otafl.load("mnist_communication", COMMON | keys)))
    inputs, pool = executor.inputs(), ThreadPoolExecutor(1)

    def next_round() -> float:
        began = time.perf_counter()
        executor.advance(next(inputs).inputs, pool)
        return time.perf_counter() - began

    return next_round


if __name__ == "__main__":
    main()
