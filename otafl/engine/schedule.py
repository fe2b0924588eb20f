"""How a run's iterations fall into coherence blocks, chunks of work and recorded points."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from otafl.settings.keys import Run

LONGEST_SEGMENT = 256


@dataclass(frozen=True)
class Segment:
    """Consecutive iterations within one coherence block.

    Arguments:
        block: number of the coherence block, which its fading is drawn from.
        start: the first iteration, from 0.
        length: how many.
        changed: whether the channel differs from the iteration before.
    """

    block: int
    start: int
    length: int
    changed: bool


def segments(iterations: int, coherence: float, longest: int = LONGEST_SEGMENT, start: int = 0) -> Iterator[Segment]:
    """Coherence blocks in order from an iteration on, long ones in pieces of at most so many iterations."""
    while start < iterations:
        block = 0 if math.isinf(coherence) else int(start // coherence)
        end = min(iterations, (block + 1) * coherence, start + longest)
        yield Segment(block, start, int(end - start), changed=start > 0 and start == block * coherence)
        start = int(end)


def recorded(run: Run) -> np.ndarray:
    """The iterations that a result keeps, counted from 1: all, or the first 100 and then 100 per decade."""
    if run.record == "all":
        return np.arange(1, run.iterations + 1)
    points = 10 ** np.arange(2, math.log10(run.iterations), 0.01) if run.iterations > 100 else []
    early = np.arange(1, min(run.iterations, 100) + 1)
    return np.unique([*early, *np.round(points), run.iterations]).astype(int)


def evaluated(run: Run) -> np.ndarray:
    """The iterations with a reading of the test accuracy, counted from 1; the last is always one."""
    return np.unique([*range(run.evaluate_every, run.iterations + 1, run.evaluate_every), run.iterations])
