"""A study of a thousand short runs: its time beside that of the runs alone, and the share of the store."""

import os
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import otafl
from otafl.store.store import Store

FEW, MANY = 100, 1_000
KEYS = {"method": "FedAvg", "channel.snr_db": 40, "run.iterations": 10}
"""Settings of a run of some 50 ms on two cores."""
WANTED, WANTED_SHARE = 1.1, 0.02


class Times(NamedTuple):
    """Times of a study of equal runs [s]: of its processes together, of their computing, and of the store's work."""

    whole: float
    computing: float
    store: float


def main() -> None:
    """Print the time of a run more in a study beside its computing alone, and the store's share."""
    few, many = (times(runs) for runs in (FEW, MANY))
    more = Times(*(b - a for a, b in zip(few, many, strict=True)))
    each = more.computing / (MANY - FEW) * 1e3
    print(f"a study of {MANY:,} runs of {each:.0f} ms: {many.whole / len(os.sched_getaffinity(0)):.1f} s")
    print(f"  without its start {more.whole / more.computing:.2f} x the runs' computing (wanted: at most {WANTED})")
    print(f"  the store {more.store / more.computing:.1%} of it (wanted: at most {WANTED_SHARE:.0%})")


def times(runs: int) -> Times:
    """Time a study of a number of runs by one process a core, then once more its work on the store."""
    keys = KEYS | {"run.seeds": runs}
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        otafl.run("digits_quickstart", keys, Path(folder) / "out", store=Path(folder) / "one", engine="local")
        whole = (time.perf_counter() - began) * len(os.sched_getaffinity(0))
        known = Store(Path(folder) / "one")
        names = [path.stem for path in known.folder.glob("*/*.run")]
        computing = sum(found.info["compute_time"] for name in names if (found := known.result(name)))
        return Times(whole, computing, _kept_again(known, names, keys, Path(folder)))


def _kept_again(known: Store, names: list[str], keys: dict, folder: Path) -> float:
    """Return the time to look for all runs in a store, lock them, save results and checkpoints, and link them [s]."""
    store, own = Store(folder / "two"), Store(folder / "three")
    settings = otafl.load("digits_quickstart", keys).settings.run
    found = [(name, known.result(name), known.checkpoint(name)) for name in names]
    began = time.perf_counter()
    for name in 2 * names:
        store.result_of(name, settings)
    for name, result, checkpoint in found:
        with store.held([name]):
            assert result
            store.save(name, result)
            if checkpoint:
                store.save_checkpoint(name, checkpoint)
    for name in names:
        own.take(name, store)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
