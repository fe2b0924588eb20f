"""Ledger of a group: time slots, channel uses and energy of every iteration and run, all workers together.

Only the uplink is charged; the downlink is a broadcast without competition for the band. Where channels are estimated
(``channel.pilots``), pilots are charged at a worker's first upload in a coherence block. Other side information (a
scaling factor or a gain of each worker) travels on control channels. These are charged where
``uplink.charge_side_information`` is on, and are free otherwise, as in Elgabli et al.
"""

import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from channels.gain import power_gain
from otafl.engine.channel_clock import Clock
from otafl.engine.energy import Extra, Parts, parts, samples
from otafl.engine.group import Group
from otafl.engine.participation import Participants
from otafl.uplinks import physical_layer
from otafl.uplinks.downlink import broadcast_energy
from otafl.uplinks.side_information import Report
from otafl.uplinks.uplink import Cost, Senders, free


class BlockGains(NamedTuple):
    """Estimated gains of uploading workers in a coherence block (iterations with one channel), for some runs.

    With one antenna gains are complex, ĥ; with several, the root of the sum of |ĥ|² over antennas. They have no unit.

    Arguments:
        group: all runs that are computed side by side.
        block: number of the coherence block, from 0.
        seed_index: index of the seed of each run concerned. Shape [runs].
        workers: numbers of the workers, or a slice; all by default.
    """

    group: Group
    block: int
    seed_index: np.ndarray
    workers: Any = slice(None)

    @property
    def correlated(self) -> bool:
        """True where gains on neighbouring subcarriers are alike, so that it matters which subcarriers a worker has."""
        return self.group.air.correlated

    @property
    def errors(self) -> np.ndarray:
        """Variance of the channel around its estimate, mean |h − ĥ|², linear. Shape [runs, workers, 1]."""
        return self.group.air.errors[self.seed_index][:, self.workers]

    def first(self, subcarriers: int) -> np.ndarray:
        """Return the estimated gains on the first S subcarriers. Shape [runs, workers, S], no unit.

        With one antenna they are complex, ĥ; with several, the root of the sum of |ĥ|² over antennas.

        Arguments:
            subcarriers: number S of subcarriers.
        """
        seeds, place = np.unique(self.seed_index, return_inverse=True)
        return self.group.air.alone(self.block, subcarriers, seeds)[place][:, self.workers]

    def split(self, run: int, each: int) -> np.ndarray:
        """Return the estimated gains of every worker on its own part of the band, side by side. Shape [workers, each].

        With one antenna they are complex, ĥ; with several, the root of the sum of |ĥ|² over antennas. They have no
        unit.

        Arguments:
            run: index of the run in ``seed_index``.
            each: number of subcarriers of a worker.
        """
        workers = np.arange(self.group.workers)[self.workers]
        return self.group.air.split(self.block, workers, each, self.seed_index[run])

    def pieces(self) -> Iterator[np.ndarray]:
        """Yield the estimated gains on a band without end, in pieces. Shape [runs, workers, subcarriers of the piece].

        With one antenna they are complex, ĥ; with several, the root of the sum of |ĥ|² over antennas. They have no
        unit.
        """
        return (piece[self.seed_index][:, self.workers] for piece in self.group.air.pieces(self.block))


COSTS = dict(zip(Cost._fields, ("time_slots", "channel_uses", "energy", "uplink_elements"), strict=True))
"""Result variables that costs add up to, by field of a cost."""
SLOTS, USES = Cost._fields.index("slots"), Cost._fields.index("uses")


class Ledger:
    """Ledger of a group: it charges iterations with slots, channel uses and energy, and knows which runs have ended.

    A run ends before the iteration that would exceed ``run.max_channel_uses``; costs from there on are NaN.

    Attributes: ``used``, the channel uses so far, [runs]; ``sounded``, the number of the coherence block (iterations
    with one channel) of each worker's last pilots, -1 for none, [workers]; and ``clock``, the time of a run whose
    channel changes in time, else None.

    Arguments:
        group: runs that are computed side by side.
    """

    def __init__(self, group: Group) -> None:
        self.group = group
        self.used = np.zeros(len(group.columns))
        self.sounded = np.full(group.workers, -1)
        self.snr = np.array([physical_layer.snr(column.settings) for column in group.columns])
        self.power = np.array([physical_layer.power_w(column.settings) for column in group.columns])
        self.noise = np.array([column.settings.uplink.noise_psd_w_per_hz for column in group.columns])
        self.clock = Clock(group.settings) if group.settings.channel.coherence_s else None

    @property
    def entered(self) -> tuple[str, ...]:
        """Names of an iteration's costs: "slots", "uses", "energy", "elements", and for the whole energy others."""
        return (*Cost._fields, *(Extra._fields if self.group.settings.energy.whole else ()))

    @property
    def finished(self) -> np.ndarray:
        """True for each run that has used up its channel uses. Shape [runs], boolean."""
        return self.group.finished(self.used)

    def fastest(self, block: int, workers: np.ndarray, count: int) -> np.ndarray:
        """Return the indices of the workers with the highest rates in the first run, ascending. Shape [count].

        Arguments:
            block: number of the coherence block (iterations with one channel), from 0.
            workers: numbers of the workers, to which the indices point. Shape [workers].
            count: number of workers to keep.
        """
        if count == len(workers):
            return np.arange(count)
        band = BlockGains(self.group, block, self.group.seed_index[:1], workers)
        (rates,) = self.group.uplink.rates(Senders(len(workers), band, self.snr[:1], self.power[:1]))
        return np.sort(np.argsort(-rates, kind="stable")[:count])

    def strongest(self, block: int) -> np.ndarray:
        """Return the numbers of the workers with the highest power gains, ascending. Shape [drawn].

        Gains are the estimated |ĥ|² of the first seed, with the mean over the subcarriers in use. As many workers are
        returned as the settings draw for a round.

        Arguments:
            block: number of the coherence block (iterations with one channel), from 0.
        """
        (gains,) = power_gain(self.group.air.alone(block, self.group.uplink.in_use, slice(1)))
        order = np.argsort(-gains.mean(axis=-1), kind="stable")
        return np.sort(order[: self.group.settings.drawn])

    def enter(self, block: int, who: Participants, times: int = 1) -> np.ndarray:
        """Charge iterations with the same participants in one coherence block (iterations with one channel).

        Arguments:
            block: number of the coherence block, from 0.
            who: participants of each iteration, and if they upload.
            times: number of iterations.

        Returns:
            Costs of each iteration in the order of ``entered``: slots, channel uses, energy of digital symbols [J],
            uploaded elements, and for all energy those of its other uses. NaN after a run's end. Shape [times, entered,
            runs].
        """
        active = np.flatnonzero(~self.finished)
        rows = np.full((times, len(self.entered), len(self.group.columns)), math.nan)
        if active.size:
            every, first = self._spent(block, active, who)
            rows[:, :, active] = every
            rows[0][:, active] += first
            if self.clock:
                self.clock.spend(float(every[SLOTS, 0] + first[SLOTS, 0]))
        uses = np.cumsum([self.used, *rows[:, USES]], axis=0)[1:]
        self.used = uses[-1]
        return np.where((uses > self.group.most_uses)[:, None], math.nan, rows)

    def _spent(self, block: int, active: np.ndarray, who: Participants) -> tuple[np.ndarray, np.ndarray]:
        """Return the costs of each iteration, and additional costs of the first one. Shape [entered, active] each."""
        uplink, none = self.group.uplink, free(active.size)
        upload, report, csi_report, pilots, downlink = none, none, none, none, none.energy
        senders = self._senders(block, active, who.workers)
        if who.uploads:
            upload, report = uplink.cost(senders), uplink.scaling_report_cost(senders)
            csi_report, pilots = self._first(block, active, who.workers, upload)
        every, first = np.add(upload, report), np.add(csi_report, pilots)
        if not self.group.settings.energy.whole:
            return every, first
        if who.uploads:
            downlink = broadcast_energy(self.group.settings, self.group.method, self.group.elements, senders)
        extra = Extra(none.energy, report.energy, downlink, none.energy + samples(self.group, who.workers))
        once = Extra(pilots.energy, csi_report.energy, none.energy, none.energy)
        return np.concatenate([every, extra]), np.concatenate([first, once])

    def _first(self, block: int, active: np.ndarray, workers: np.ndarray, upload: Cost) -> tuple[Cost, Cost]:
        """Return the costs of reports and of pilots for workers that upload for the first time in a block, or on
        another part of the band."""
        uplink = self.group.uplink
        everyone = self.group.settings.by_channel
        moved = uplink.splits and self.group.partial and not everyone
        asked = np.arange(self.group.workers) if everyone else workers
        new, unknown = asked if moved else asked[self.sounded[asked] != block], asked[self.sounded[asked] < 0]
        self.sounded[asked] = block
        share = (len(new) + self._more_blocks(upload) * len(workers)) / len(workers)
        senders = self._senders(block, active, new)
        csi_report = np.add(uplink.csi_report_cost(senders), self._standing(senders)) if len(new) else free(active.size)
        if len(unknown):
            csi_report = np.add(csi_report, uplink.mean_report_cost(self._senders(block, active, unknown)))
        return Cost(*csi_report), uplink.sounding(share, upload, self.noise[active])

    def _standing(self, senders: Senders) -> Cost:
        """Return the cost of reports of mean gains, where these select participants and no pilots give them."""
        settings, uplink = self.group.settings, self.group.uplink
        if not settings.by_channel or settings.channel.pilots:
            return free(len(senders.snr))
        return Report(settings, uplink.method, uplink.elements, settings.uplink.bits_per_element).cost(senders)

    def _more_blocks(self, upload: Cost) -> int:
        """Return the number of blocks after its first that a digital upload extends over."""
        if not (self.clock and self.group.uplink.splits):
            return 0
        later = itertools.islice(self.clock.blocks(), 1, None)
        return sum(1 for _ in itertools.takewhile(lambda one: one[1] < upload.slots[0], later))

    def _senders(self, block: int, active: np.ndarray, workers: np.ndarray) -> Senders:
        gains = BlockGains(self.group, block, self.group.seed_index[active], workers)
        left = self.group.most_uses - self.used[active].min()
        clock = self.clock if self.group.uplink.splits else None
        bands = (lambda: ((gains._replace(block=at), slots) for at, slots in clock.blocks())) if clock else None
        snr, power = self.snr[active], self.power[active]
        return Senders(len(workers), band=gains, snr=snr, power=power, left=left, bands=bands)


class Account:
    """Sums of costs of a group's runs, iteration by iteration.

    Attributes: ``totals``, the sums so far, [names, runs], and ``names``, their result variables, such as "time_slots".

    Arguments:
        group: runs that are computed side by side.
    """

    def __init__(self, group: Group) -> None:
        self.group, self.whole = group, group.settings.energy.whole
        self.names = (*COSTS.values(), *(Parts._fields if self.whole else ()))
        self.totals = np.zeros((len(self.names), len(group.columns)))

    def add(
        self, costs: np.ndarray, analog_energy: np.ndarray, passes: np.ndarray | float = 1.0
    ) -> dict[str, np.ndarray]:
        """Add the costs of the next iterations.

        Arguments:
            costs: costs from the ledger, such as slots, uses and energy [J]. Shape [iterations, costs, runs].
            analog_energy: energy of analog symbols of all workers [J]. Shape [iterations, runs].
            passes: mean number of epochs of a worker in a round. Scalar or shape [iterations, runs].

        Returns:
            Totals at the end of each iteration, by result variable such as "time_slots"; NaN after a run's end. Shape
            [iterations, runs] each.
        """
        entered = np.moveaxis(costs, 1, 0)
        one, extra = Cost(*entered[: len(COSTS)]), entered[len(COSTS) :]
        one = one._replace(energy=one.energy + analog_energy)
        more = parts(self.group, one.energy, Extra(*extra), passes) if self.whole else ()
        rows = np.stack([*one, *more], axis=1)
        sums = np.cumsum(np.concatenate([self.totals[None], rows]), axis=0)[1:]
        self.totals = sums[-1]
        return dict(zip(self.names, np.moveaxis(sums, 1, 0), strict=True))

    @property
    def slots(self) -> np.ndarray:
        """Time slots of each run so far. Shape [runs]."""
        return self.totals[SLOTS]

    @property
    def finished(self) -> np.ndarray:
        """Marks of runs that have used up their channel uses. Shape [runs]."""
        return self.group.finished(self.totals[USES])
