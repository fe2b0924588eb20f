"""Time of a round on the host while a card computes: in place of the program a wait stands, as long as a card's.

The setting is the network study of Elgabli et al. on the processor of this machine. What is left of a round beyond the
wait is what a card would wait for: draws of channels and noise, their layout, and entries into the record.
"""

import time
from collections.abc import Callable
from unittest.mock import patch

import numpy as np

import otafl

# isort: split
from benchmarks.bench_gpu import STUDY
from benchmarks.bench_round import timed
from benchmarks.groups import first_group
from otafl.engine.executors import in_program
from otafl.engine.inputs import Chunk
from otafl.engine.simulate import simulate

CARD_MS = {100: (4.9, 400), 1_000: (35.0, 60)}
"""Time of a round's training on an H200 [ms], and rounds that are timed, by the number of workers."""


def main() -> None:
    """Print the time of a round beside that of the card."""
    for workers, (wait_ms, rounds) in CARD_MS.items():
        keys = {"method": "A-SFADMM", "federation.workers": workers, "run.iterations": rounds, "run.seeds": 1}
        group = first_group(otafl.load("mnist_communication", STUDY | keys | {"run.evaluate_every": rounds}))
        with patch.object(in_program._Stream, "advance", waiting(workers, wait_ms / 1e3)):
            simulate(group)
            round_ms = 1e3 * timed(lambda group=group: simulate(group)) / rounds
        print(f"{workers:>5,} workers: {round_ms:5.1f} ms a round, {round_ms / wait_ms:.2f} x the card's {wait_ms} ms")


def waiting(workers: int, wait_s: float) -> Callable:
    """Return a method that waits for as long as a card computes a chunk, and returns a table of its rows."""

    def advance(stream: object, chunk: Chunk) -> np.ndarray:
        time.sleep(int(chunk.lengths.numpy().sum()) * wait_s)
        return np.ones((*chunk.draws.record.shape, len(in_program.ROW) + workers, 1), np.float32)

    return advance


if __name__ == "__main__":
    main()
