"""What uploads cost: time slots, channel uses and energy of every iteration and run, all workers together.

Only the uplink is charged; the downlink is a broadcast without competition for the band. Side information (a scaling
factor or a gain per worker, pilots) travels on control channels that are not charged, as in Elgabli et al.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from channels import digital
from channels.grid import Grid
from otafl.engine.group import Group
from otafl.engine.participation import Participants
from otafl.engine.schedule import Segment
from otafl.errors import OtaflError
from otafl.scenario.keys import Settings

MOST_USES = 10**9
"""Uses of one upload at which counting is given up."""


class Gains(Protocol):
    """The channel in one coherence block."""

    def first(self, subcarriers: int) -> np.ndarray:
        """Complex gains of the first S subcarriers. Shape [runs, workers, S]."""
        ...

    def pieces(self) -> Iterator[np.ndarray]:
        """The same subcarriers without end, in pieces. Shape [runs, workers, subcarriers of the piece]."""
        ...


class BlockGains(NamedTuple):
    """The gains of a group's runs and of those workers that upload, in a block."""

    group: Group
    block: int
    seed_index: np.ndarray
    workers: Any = slice(None)

    def first(self, subcarriers: int) -> np.ndarray:
        return self.group.gains(self.block, subcarriers)[self.seed_index][:, self.workers]

    def pieces(self) -> Iterator[np.ndarray]:
        return (piece[self.seed_index][:, self.workers] for piece in self.group.pieces(self.block))


class Cost(NamedTuple):
    """Cost of one upload, per run: slots, channel uses, energy [J] and elements. Shape [runs] each."""

    slots: np.ndarray
    uses: np.ndarray
    energy: np.ndarray
    elements: np.ndarray


class Ledger:
    """Costs of a group's iterations, entered segment by segment.

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

    def enter(self, segment: Segment, who: Participants | None = None) -> None:
        """Add the iterations of one segment, in which the channel and so the cost is constant; all workers upload, or
        those that take part."""
        active = np.flatnonzero(~self.finished)
        row = np.full((len(Cost._fields), len(self.group.columns)), math.nan)
        if active.size:
            workers = np.arange(self.group.workers) if who is None else who.workers
            row[:, active] = self._cost(segment.block, active, workers) if who is None or who.uploads else 0.0
            self.used[active] += segment.length * row[1, active]
        self.rows.extend([row] * segment.length)

    def cumulative(self, analog_energy: np.ndarray) -> np.ndarray:
        """Slots, uses, energy and elements at the end of the first iterations, NaN beyond the limit on channel uses.

        ``analog_energy`` is what analog symbols took [J]. Shapes [iterations, runs] and [iterations, 4, runs].
        """
        table = np.reshape(self.rows[: len(analog_energy)], (-1, len(Cost._fields), len(self.group.columns)))
        table[:, 2] += analog_energy
        table = np.cumsum(table, axis=0)
        return np.where(table[:, 1:2] > self.limit, math.nan, table)

    def _cost(self, block: int, active: np.ndarray, workers: np.ndarray) -> Cost:
        settings, method, num_runs = self.group.settings, self.group.method, len(active)
        vectors, elements = method.vectors, method.vectors * self.group.elements + method.scalars
        uploaded = np.full(num_runs, len(workers) * elements)
        if self.group.uplink == "ideal":
            return Cost(np.zeros(num_runs), np.zeros(num_runs), np.zeros(num_runs), uploaded)
        if self.group.uplink == "analog":
            cost = analog_cost(self.group.grid, self.group.elements, num_runs)
            return cost._replace(slots=vectors * cost.slots, uses=vectors * cost.uses, elements=uploaded)
        gains = BlockGains(self.group, block, self.group.seed_index[active], workers)
        left = self.limit - self.used[active].min()
        return digital_cost(settings, elements, self.snr[active], self.power[active], gains, left, len(workers))


def analog_cost(grid: Grid, elements: int, num_runs: int) -> Cost:
    """An analog upload of d elements by one worker or all of them together: ⌈d/S⌉ slots and d uses.

    Its energy depends on what is sent, and is 0 here.
    """
    uses = np.full(num_runs, elements)
    return Cost(np.full(num_runs, grid.analog_slots(elements)), uses, np.zeros(num_runs), uses)


def digital_cost(
    settings: Settings,
    elements: int,
    snr: np.ndarray,
    power: np.ndarray,
    gains: Gains,
    left: float = math.inf,
    workers: int = 0,
) -> Cost:
    """A digital upload of d elements by every worker, each at power P on its own subcarriers.

    Arguments:
        settings: what the runs share.
        elements: d.
        snr: P/(W·N0) of each run, linear. Shape [runs].
        power: P of each run [W]. Shape [runs].
        gains: the channel of those that upload.
        left: uses beyond which an upload in one slot need not be counted out: it has infinitely many.
        workers: how many upload and share the band; 0: all.

    The upload lasts as long as its slowest worker needs. A worker transmits on all its subcarriers until the end of its
    last slot and then falls silent; a use counts for each subcarrier, or share of one, that transmits in a slot.
    """
    uplink, workers = settings.uplink, workers or settings.federation.workers
    bits = uplink.bits_per_element * elements
    symbols = uplink.subcarrier_spacing_hz * uplink.slot_s

    def bits_per_use(own_gains: np.ndarray) -> np.ndarray:
        return symbols * digital.spectral_efficiency(own_gains, snr[:, None, None], uplink.rate_gain)

    if settings.subcarriers == "one_slot":
        uses, slots = _one_slot_uses(bits, bits_per_use, gains, left), np.ones(len(snr))
    else:
        needed = _slots_needed(bits, bits_per_use, gains, workers, int(settings.subcarriers))
        slots, uses = needed.max(axis=-1), needed.sum(axis=-1) * settings.subcarriers / workers
    return Cost(slots, uses, uses * power * uplink.slot_s, np.full(len(snr), workers * elements))


def _slots_needed(bits: int, bits_per_use: Callable, gains: Gains, workers: int, subcarriers: int) -> np.ndarray:
    """Slots that each worker needs where it owns S/N subcarriers. Shape [runs, workers]."""
    index, share = digital.band_split(workers, subcarriers)
    own = gains.first(subcarriers)[:, np.arange(workers)[:, None], index]
    own_bits = np.where(share > 0, share, 1.0) * bits_per_use(own)
    return digital.upload_slots(bits, np.sum(own_bits, axis=-1, where=share > 0))


def _one_slot_uses(bits: int, bits_per_use: Callable, gains: Gains, left: float) -> np.ndarray:
    """Uses where the band is split equally and just wide enough that the slowest worker ends in one slot. Shape [runs].

    The gains of a worker's k-th subcarrier are those of column k, which is exact for independent fading.
    """
    needed, carried, count = np.array([[math.inf]]), np.array(0.0), 0
    for piece in gains.pieces():
        if count * piece.shape[1] > min(left, MOST_USES):
            break
        efficiency = bits_per_use(piece)
        here = count + digital.subcarriers_for_one_slot(bits - carried, efficiency)
        needed = np.minimum(needed, np.where(carried < bits, here, math.inf))
        carried, count = carried + efficiency.sum(axis=-1), count + piece.shape[2]
        if np.isfinite(needed).all():
            break
    uses = needed.shape[-1] * needed.max(axis=-1)
    if np.isinf(uses).any() and math.isinf(left):
        rule = f"needs more than {MOST_USES:.0e} channel uses for one upload; the SNR is too low for that"
        raise OtaflError("uplink.subcarriers", "one_slot", rule)
    return uses
