"""Share of the store in the time of a study of a thousand runs."""

import tempfile
import time
from pathlib import Path

import otafl
from otafl.store.store import Store

RUNS = 1_000
KEYS = {"method": "A-FADMM", "run.seeds": RUNS, "run.iterations": 2_000}
WANTED = 0.02


def main() -> None:
    """Time the study, then once more its work on the store; print the share."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        otafl.run("quickstart", KEYS, Path(folder) / "out", store=Path(folder) / "one", engine="local")
        whole = time.perf_counter() - began
        seconds = _kept_again(Store(Path(folder) / "one"), Store(Path(folder) / "two"), Store(Path(folder) / "three"))
    print(f"the store of a study of {RUNS:,} runs: {seconds / whole:.1%} of {whole:.1f} s (wanted: {WANTED:.0%})")


def _kept_again(known: Store, store: Store, own: Store) -> float:
    """Return the time to look for all runs in a store, lock them, save results and checkpoints, and link them [s]."""
    names = [path.stem for path in known.folder.glob("*/*.run")]
    settings = otafl.load("quickstart", KEYS).settings.run
    found = [(name, known.result(name), known.checkpoint(name)) for name in names]
    began = time.perf_counter()
    for name in 2 * names:
        store.result_of(name, settings)
    with store.held(names):
        for name, result, checkpoint in found:
            assert result
            assert checkpoint
            store.save(name, result)
            store.save_checkpoint(name, checkpoint)
    for name in names:
        own.take(name, store)
    return time.perf_counter() - began
