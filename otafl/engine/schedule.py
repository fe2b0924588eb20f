"""Schedule of a run: coherence blocks, segments, recorded and evaluated iterations."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from otafl.settings.run import Run

LONGEST_SEGMENT = 256


@dataclass(frozen=True)
class Segment:
    """Consecutive iterations within one coherence block (iterations with one channel).

    Arguments:
        block: number of the coherence block, from 0, under which its fading is drawn.
        start: number of the first iteration, from 0.
        length: number of iterations.
        changed: True where the channel differs from that of the iteration before.
    """

    block: int
    start: int
    length: int
    changed: bool


def segments(iterations: int, coherence: float, longest: int = LONGEST_SEGMENT, start: int = 0) -> Iterator[Segment]:
    """Yield the segments of a run in order: at most ``longest`` consecutive iterations with one channel.

    >>> [(part.block, part.length, part.changed) for part in segments(25, coherence=10)]
    [(0, 10, False), (1, 10, True), (2, 5, True)]
    """
    while start < iterations:
        block = 0 if math.isinf(coherence) else int(start // coherence)
        end = min(iterations, (block + 1) * coherence, start + longest)
        yield Segment(block, start, int(end - start), changed=start > 0 and start == block * coherence)
        start = int(end)


def recorded(run: Run) -> np.ndarray:
    """Return the numbers of the iterations in a result, from 1, ascending. Shape [recorded].

    They are all, or the first 100 and then 100 per decade.
    """
    if run.record == "all":
        return np.arange(1, run.iterations + 1)
    points = 10 ** np.arange(2, math.log10(run.iterations), 0.01) if run.iterations > 100 else []
    early = np.arange(1, min(run.iterations, 100) + 1)
    return np.unique([*early, *np.round(points), run.iterations]).astype(int)


def evaluated(run: Run) -> np.ndarray:
    """Return the numbers of the iterations with a reading of the test accuracy, from 1, ascending. Shape [read].

    The last iteration is always one.
    """
    return np.unique([*range(run.evaluate_every, run.iterations + 1, run.evaluate_every), run.iterations])
