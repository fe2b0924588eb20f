"""What uploads cost: time slots, channel uses and energy of every iteration and run, all workers together.

Only the uplink is charged; the downlink is a broadcast without competition for the band. Side information (a scaling
factor or a gain per worker, pilots) travels on control channels that are not charged, as in Elgabli et al.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from otafl.engine.group import Group
from otafl.engine.participation import Participants
from otafl.uplinks.uplink import Cost, Senders


class BlockGains(NamedTuple):
    """The gains of a group's runs and of those workers that upload, in a block."""

    group: Group
    block: int
    seed_index: np.ndarray
    workers: Any = slice(None)

    def first(self, subcarriers: int) -> np.ndarray:
        """Complex gains of the first S subcarriers. Shape [runs, workers, S]."""
        return self.group.gains(self.block, subcarriers)[self.seed_index][:, self.workers]

    def pieces(self) -> Iterator[np.ndarray]:
        """The same subcarriers without end, in pieces. Shape [runs, workers, subcarriers of the piece]."""
        return (piece[self.seed_index][:, self.workers] for piece in self.group.pieces(self.block))


COSTS = dict(zip(Cost._fields, ("time_slots", "channel_uses", "energy", "uplink_elements"), strict=True))
"""The variables of results that costs add up to."""


class Ledger:
    """Costs of a group's iterations, entered as they come.

    A run that has used up ``run.max_channel_uses`` is finished: nothing is entered for it any more (NaN).
    """

    def __init__(self, group: Group) -> None:
        self.group = group
        self.rows: list[np.ndarray] = []
        self.used = np.zeros(len(group.columns))
        self.snr = np.array([column.snr for column in group.columns])
        self.power = np.array([column.power_w for column in group.columns])
        self.limit = group.settings.run.max_channel_uses or math.inf

    @property
    def finished(self) -> np.ndarray:
        """Which runs have used up their channel uses. Shape [runs]."""
        return self.used >= self.limit

    def enter(self, block: int, who: Participants, times: int = 1) -> None:
        """Add iterations in one coherence block in which the same workers upload, so that all cost the same."""
        active = np.flatnonzero(~self.finished)
        row = np.full((len(COSTS), len(self.group.columns)), math.nan)
        if active.size:
            row[:, active] = self._cost(block, active, who.workers) if who.uploads else 0.0
            self.used[active] += times * row[Cost._fields.index("uses"), active]
        self.rows.extend([row] * times)

    def cumulative(self, analog_energy: np.ndarray) -> dict[str, np.ndarray]:
        """Costs at the end of the first iterations by the name of their variable, NaN beyond the limit on channel uses.

        ``analog_energy`` is what analog symbols took [J]. Shapes [iterations, runs].
        """
        table = np.reshape(self.rows[: len(analog_energy)], (-1, len(COSTS), len(self.group.columns)))
        costs = Cost(*np.moveaxis(table, 1, 0))
        costs = Cost(*(np.cumsum(one, axis=0) for one in costs._replace(energy=costs.energy + analog_energy)))
        ended = costs.uses > self.limit
        return {COSTS[name]: np.where(ended, math.nan, one) for name, one in costs._asdict().items()}

    def _cost(self, block: int, active: np.ndarray, workers: np.ndarray) -> Cost:
        gains = BlockGains(self.group, block, self.group.seed_index[active], workers)
        left = self.limit - self.used[active].min()
        return self.group.uplink.cost(Senders(len(workers), gains, self.snr[active], self.power[active], left))
