"""The time that iterations take, where the channel changes in seconds and not with iterations.

An iteration is local training, ``local.compute_s``, and then an upload for as many slots as it takes, pilots and side
information included; the broadcast takes no time. The channel of an iteration is that at the start of its upload:
of analog uploads to their end, of digital ones slot by slot, each slot having the channel at its start.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from otafl.engine.schedule import Segment
from otafl.settings.keys import Settings

TOLERANCE = 1e-9
"""Share of a block or a slot by which a sum of durations may miss a boundary."""


class Clock:
    """Where a run stands in time.

    Arguments:
        settings: of the run, whose ``channel.coherence_s`` is given.
    """

    def __init__(self, settings: Settings) -> None:
        self.coherence_s = settings.channel.coherence_s or math.inf
        self.compute_s, self.slot_s = settings.local.compute_s, settings.uplink.slot_s
        self.now_s, self.block = 0.0, 0

    @property
    def position(self) -> np.ndarray:
        """What it takes to go on: the time, and the block of the iteration before."""
        return np.array([self.now_s, self.block])

    def go_to(self, position: np.ndarray) -> None:
        """Go on from there."""
        self.now_s, self.block = float(position[0]), int(position[1])

    @property
    def upload_s(self) -> float:
        """When the next upload starts."""
        return self.now_s + self.compute_s

    def placed(self, part: Segment) -> Segment:
        """An iteration in the block in which its upload starts."""
        before, self.block = self.block, self._block(0)
        return replace(part, block=self.block, changed=part.start > 0 and self.block != before)

    def blocks(self) -> Iterator[tuple[int, int]]:
        """The blocks in which slots of the next upload start, without end: their numbers, and the slots until each."""
        slots = 0
        while True:
            block = self._block(slots)
            yield block, slots
            left_s = (block + 1) * self.coherence_s - self.upload_s
            slots = max(slots + 1, math.ceil(left_s / self.slot_s - TOLERANCE))

    def spend(self, slots: float) -> None:
        """An iteration has ended, with an upload of so many slots."""
        self.now_s += self.compute_s + slots * self.slot_s

    def _block(self, slots: int) -> int:
        return math.floor((self.upload_s + slots * self.slot_s) / self.coherence_s + TOLERANCE)
