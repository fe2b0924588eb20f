"""Time in a run whose channel changes in seconds, not with iterations.

An iteration is local training, ``local.compute_s``, and then an upload of some slots, pilots and side information
included. The broadcast takes no time. An analog upload has the channel of its start until its end. A digital upload has
in every slot the channel of the slot's start.
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
    """Clock of a run: the time [s], and the coherence block (time with one channel) of the latest iteration.

    Arguments:
        settings: of the run; ``channel.coherence_s`` is given.
    """

    def __init__(self, settings: Settings) -> None:
        self.coherence_s = settings.channel.coherence_s or math.inf
        self.compute_s, self.slot_s = settings.local.compute_s, settings.uplink.slot_s
        self.now_s, self.block = 0.0, 0

    @property
    def position(self) -> np.ndarray:
        """Time [s] and block of the iteration before, from which the clock can go on. Shape [2]."""
        return np.array([self.now_s, self.block])

    def go_to(self, position: np.ndarray) -> None:
        """Go on from a position.

        Arguments:
            position: time [s] and block of the iteration before. Shape [2].
        """
        self.now_s, self.block = float(position[0]), int(position[1])

    @property
    def upload_s(self) -> float:
        """Start of the next upload [s]."""
        return self.now_s + self.compute_s

    def placed(self, part: Segment) -> Segment:
        """Return an iteration in the coherence block in which its upload starts.

        Arguments:
            part: the iteration, a segment of length 1.

        Returns:
            The segment, with the number of that block, and whether the channel has changed.
        """
        before, self.block = self.block, self._block(0)
        return replace(part, block=self.block, changed=part.start > 0 and self.block != before)

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Yield, without end, the coherence blocks in which slots of the next upload start: number, and slots until
        then."""
        slots = 0
        while True:
            block = self._block(slots)
            yield block, slots
            left_s = (block + 1) * self.coherence_s - self.upload_s
            slots = max(slots + 1, math.ceil(left_s / self.slot_s - TOLERANCE))

    def spend(self, slots: float) -> None:
        """Add an iteration: its local training, and an upload of some slots.

        Arguments:
            slots: time slots of the upload, pilots and side information included.
        """
        self.now_s += self.compute_s + slots * self.slot_s

    def _block(self, slots: int) -> int:
        return math.floor((self.upload_s + slots * self.slot_s) / self.coherence_s + TOLERANCE)
