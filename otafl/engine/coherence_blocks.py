"""Coherence blocks of a run, in which the channel is one: some iterations, or by a clock some seconds.

By the clock, an iteration is the local training of its slowest participant, and then an upload of some slots, pilots
and side information included. The broadcast takes no time unless ``uplink.charge_downlink`` is on. An analog upload has
the channel of its start until its end. A digital upload has in every slot the channel of the slot's start.

Approximation: where training may end early, an upload has the channel of the time at which it was planned to start,
with all epochs. The next iteration begins when the upload has really ended.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from otafl.engine import duration
from otafl.scenario.radio_rules import require_countable
from otafl.settings.keys import Settings

LONGEST_SEGMENT = 256


@dataclass(frozen=True)
class Segment:
    """Consecutive iterations in one coherence block, which has ``changed`` if the one before has another channel.

    The upload of the first of them is number ``upload`` of the block, from 0, or has another number that is its own.
    """

    block: int
    start: int
    length: int
    changed: bool
    upload: int = 0


def segments(iterations: int, coherence: float, longest: int = LONGEST_SEGMENT, start: int = 0) -> Iterator[Segment]:
    """Yield the segments of a run in order: at most ``longest`` consecutive iterations with one channel.

    >>> [(part.block, part.length, part.changed) for part in segments(25, coherence=10)]
    [(0, 10, False), (1, 10, True), (2, 5, True)]
    """
    while start < iterations:
        block = 0 if math.isinf(coherence) else int(start // coherence)
        end = min(iterations, (block + 1) * coherence, start + longest)
        upload = start - int(block * coherence) if block else start
        yield Segment(block, start, int(end - start), start > 0 and start == block * coherence, upload)
        start = int(end)


TOLERANCE = 1e-9
"""Share of a block or a slot by which a sum of durations may miss a boundary."""


class Clock:
    """Clock of a run whose channel changes in time, which stays the same in a coherence block of some seconds.

    Attributes: ``now_s``, the end of the latest iteration [s]; ``block``, the number of its block, from 0; and
    ``compute_s``, the duration of local training in the next one [s].
    """

    def __init__(self, settings: Settings) -> None:
        self.settings, self.coherence_s = settings, settings.channel.coherence_s or math.inf
        self.compute_s, self.slot_s = duration.fixed_s(settings), settings.uplink.slot_s
        self.now_s, self.block = 0.0, 0

    @property
    def position(self) -> np.ndarray:
        """Time at the end of the latest iteration [s], and number of its coherence block. Shape [2]."""
        return np.array([self.now_s, self.block])

    @property
    def upload_s(self) -> float:
        """Start of the next upload [s], after local training."""
        return self.now_s + self.compute_s

    def placed(self, part: Segment) -> Segment:
        """Return an iteration with the number of the block of its upload's start, which becomes the latest one."""
        before, self.block = self.block, self.upload_block
        return replace(part, block=self.block, changed=part.start > 0 and self.block != before, upload=part.start)

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Yield the coherence blocks during the next upload, each with the slot at which it begins, without end."""
        slots = 0
        while True:
            block = self._block(slots)
            yield block, slots
            left_s = (block + 1) * self.coherence_s - self.upload_s
            slots = max(slots + 1, math.ceil(left_s / self.slot_s - TOLERANCE))

    def spend(self, slots: float) -> None:
        """Move the clock on by an iteration: its local training, and its slots."""
        self.now_s += self.compute_s + slots * self.slot_s

    @property
    def upload_block(self) -> int:
        return self._block(0)

    def _block(self, slots: int) -> int:
        """Return the number of the block in which a slot of the next upload starts."""
        passed = (self.upload_s + slots * self.slot_s) / self.coherence_s + TOLERANCE
        require_countable(self.settings, passed)
        return math.floor(passed)
