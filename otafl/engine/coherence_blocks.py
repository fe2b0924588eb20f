"""Iterations of a run by coherence blocks, in which the channel is one."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_SEGMENT = 256


@dataclass(frozen=True)
class Segment:
    """Consecutive iterations, from ``start``, within one coherence block (iterations with one channel), from 0.

    The channel has ``changed`` where it differs from that of the iteration before.
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
