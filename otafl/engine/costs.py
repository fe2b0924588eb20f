"""Ledger of a group: time slots, channel uses and energy of every iteration and run, all workers together.

Only the uplink is charged; the downlink is a broadcast without competition for the band, and takes time where
``uplink.charge_downlink`` is on. Where channels are estimated (``channel.pilots``), pilots are charged at a worker's
first upload in a coherence block, or in every upload where gains change within it. Other side information (a scaling
factor or a gain of each worker, what pilots gave) is charged where ``uplink.charge_side_information`` is on, and is
free otherwise.
"""

import itertools
import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from otafl.channels.gain import power_gain
from otafl.engine import duration
from otafl.engine.channel_process import BlockGains
from otafl.engine.coherence_blocks import TOLERANCE, Clock
from otafl.engine.group import Group
from otafl.engine.participation import Participants
from otafl.settings.keys import Settings
from otafl.uplinks import physical_layer
from otafl.uplinks.digital import Report, unrounded_bits
from otafl.uplinks.downlink import broadcast_energy, broadcast_slots
from otafl.uplinks.uplink import Cost, Senders, free

COSTS = dict(zip(Cost._fields, ("time_slots", "channel_uses", "energy", "uplink_elements"), strict=True))
"""Result variables that costs add up to, by field of a cost."""
SLOTS, USES = Cost._fields.index("slots"), Cost._fields.index("uses")


def further(settings: Settings) -> tuple[str, ...]:
    """Return result variables that some runs alone have: time [s] that does not follow from slots, and late workers."""
    has = {"time": not duration.follows(settings), "late_workers": settings.federation.deadline_s is not None}
    return tuple(name for name, there in has.items() if there)


class Extra(NamedTuple):
    """Entries of the ledger for the whole energy: what workers radiate in pilots and reports, and the server in
    broadcasts and in telling estimates [J].

    Samples are those of all steps of workers, or of one epoch where they train in epochs. Each is counted by (f_n/f)²,
    the worker's clock over the highest one, as its energy is. Workers are on, ``on_s`` summed over them [s], while they
    compute and upload; it is 0 without a circuit power. Shape [iterations, runs] each.
    """

    pilots: np.ndarray
    feedback: np.ndarray
    downlink: np.ndarray
    samples: np.ndarray
    on_s: np.ndarray


class Ledger:
    """Ledger of a group: it charges iterations with slots, channel uses and energy, and knows which runs have ended.

    A run ends before the iteration that would exceed ``run.max_channel_uses``; costs from there on are NaN.

    Attributes: ``used``, the channel uses so far, [runs]; ``sounded``, the number of the coherence block of each
    worker's last pilots, -1 for none, [workers]; ``clock``, that of a run whose channel changes in time; and
    ``air``, the channels of the upload that is charged next.
    """

    def __init__(self, group: Group) -> None:
        self.group = group
        self.used = np.zeros(len(group.columns))
        self.sounded = np.full(group.workers, -1)
        self.air = group.air
        self.snr = np.array([physical_layer.snr(column.settings) for column in group.columns])
        self.power = np.array([physical_layer.power_w(column.settings) for column in group.columns])
        self.noise = np.array([column.settings.uplink.noise_psd_w_per_hz for column in group.columns])
        self.budgets = [column.settings.uplink.power_budget for column in group.columns]
        self.clock = Clock(group.settings) if group.settings.channel.coherence_s else None

    @property
    def entered(self) -> tuple[str, ...]:
        """Names of an iteration's costs: those of a ``Cost``, of ``Extra`` for the whole energy, and further ones."""
        settings = self.group.settings
        return (*Cost._fields, *(Extra._fields if settings.energy.whole else ()), *further(settings))

    @property
    def finished(self) -> np.ndarray:
        return self.group.finished(self.used)

    def fastest(self, block: int, workers: np.ndarray, count: int) -> np.ndarray:
        """Return the indices of the workers with the highest rates in the first run, ascending. Shape [count]."""
        if count == len(workers):
            return np.arange(count)
        band = BlockGains(self.air, block, self.group.seed_index[:1], workers)
        (rates,) = self.group.uplink.rates(Senders(len(workers), band, self.snr[:1], self.power[:1]))
        return np.sort(np.argsort(-rates, kind="stable")[:count])

    def in_time(self, block: int, who: Participants) -> Participants:
        """Return the participants of a round who meet its deadline, with the number of those left out as late."""
        deadline_s, kept, first = self.group.settings.federation.deadline_s, who, np.arange(1)
        while deadline_s is not None and len(kept.workers) > 1:
            (ends,) = self._own_s(first, kept, self._senders(block, first, kept.workers))
            latest = int(np.argmax(ends))
            if ends[latest] <= deadline_s * (1 + TOLERANCE):
                break
            kept = kept.at(np.delete(np.arange(len(ends)), latest))
        return kept._replace(late=len(who.workers) - len(kept.workers))

    def _own_s(self, active: np.ndarray, who: Participants, senders: Senders) -> np.ndarray:
        """Return how long each participant computes, if none ends early, and uploads [s]. Shape [active, workers]."""
        computed = self.group.computation.planned_s(who.workers, who.epochs)[active]
        if not who.uploads:
            return computed
        return computed + self.group.uplink.own_slots(senders) * senders.sent * self.group.settings.uplink.slot_s

    def upload_block(self, who: Participants) -> int:
        """Set the clock to the local training of participants; return the block in which their upload starts."""
        assert self.clock
        self.clock.compute_s = float(self.group.computation.planned_s(who.workers, who.epochs)[0].max())
        return self.clock.upload_block

    def strongest(self, block: int) -> np.ndarray:
        """Return the workers with the highest power gains of the first seed, ascending, as many as are drawn."""
        uplink = self.group.uplink
        band = uplink.most_subcarriers if uplink.splits else uplink.in_use
        (gains,) = power_gain(self.air.alone(block, band, slice(1)))
        return np.sort(np.argsort(-gains.mean(axis=-1), kind="stable")[: self.group.settings.drawn])

    def enter(self, block: int, who: Participants, times: int = 1) -> np.ndarray:
        """Charge iterations alike in one coherence block; return their costs as ``entered``. [times, entered, runs]"""
        active = np.flatnonzero(~self.finished)
        rows = np.full((times, len(self.entered), len(self.group.columns)), math.nan)
        if active.size:
            broadcast = self._broadcast(block, active, who)
            every, first = self._spent(block, active, who, *broadcast)
            rows[:, :, active] = every
            rows[0][:, active] += first
            if self.clock:
                self.clock.spend(float(every[SLOTS, 0] + first[SLOTS, 0] + broadcast[0][0]))
        uses = np.cumsum([self.used, *rows[:, USES]], axis=0)[1:]
        self.used = uses[-1]
        return np.where((uses > self.group.most_uses)[:, None], math.nan, rows)

    def _spent(
        self, block: int, active: np.ndarray, who: Participants, broadcast: np.ndarray, downlink: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the costs of each iteration, and what the first one costs more. Shape [entered, active] each."""
        settings, uplink, none = self.group.settings, self.group.uplink, free(active.size)
        upload, report, csi_report, told, pilots, tracking = (none,) * 6
        senders, zero = self._senders(block, active, who.workers), none.energy
        computation = self.group.computation
        if who.uploads:
            upload, report = uplink.cost(senders), uplink.scaling_report_cost(senders)
            csi_report, told, pilots = self._first(block, active, who.workers, upload)
            if physical_layer.changing(settings):
                rounds = np.maximum(uplink.pilot_rounds(upload), 1 + self._more_blocks(upload))
                tracking = uplink.sounding(rounds, upload, self.noise[active])
            senders = senders if who.sent is None else senders._replace(sent=who.sent)
            upload = upload if who.sent is None else uplink.cost(senders)
        of_workers = told._replace(energy=zero)  # as the server radiates
        every, first = [*np.add(np.add(upload, report), tracking)], [*np.add(np.add(csi_report, of_workers), pilots)]
        slots, first_slots = every[SLOTS] + broadcast, first[SLOTS]
        if settings.energy.whole:
            samples = computation.energy_samples(who.workers).sum(axis=-1)[active]
            on_s = self._own_s(active, who, senders).sum(axis=-1) if settings.energy.circuit_power_w else zero
            every += Extra(tracking.energy, report.energy, downlink, samples, on_s)
            first += Extra(pilots.energy, csi_report.energy, told.energy, zero, zero)
        names, slot_s = further(settings), settings.uplink.slot_s
        if "time" in names:
            every.append(computation.planned_s(who.workers, who.epochs)[active].max(axis=-1) + slots * slot_s)
            first.append(first_slots * slot_s)
        if "late_workers" in names:
            every.append(np.full(active.size, float(who.late)))
            first.append(zero)
        return np.stack(every), np.stack(first)

    def _broadcast(self, block: int, active: np.ndarray, who: Participants) -> tuple[np.ndarray, np.ndarray]:
        """Return the slots of a charged broadcast, and the energy of any, where there is an upload. [active]"""
        group, slots, energy = self.group, np.zeros(active.size), np.zeros(active.size)
        charged, whole = group.settings.uplink.charge_downlink, group.settings.energy.whole
        if not (who.uploads and (charged or whole)):
            return slots, energy
        listening = np.union1d(np.flatnonzero(~group.air.beyond), who.workers) if charged else who.workers
        receivers = self._senders(block, active, listening, upload=False)
        sent = group.settings, group.method, group.elements, receivers
        slots = broadcast_slots(*sent) if charged else slots
        energy = broadcast_energy(*sent, [self.budgets[run] for run in active]) if whole else energy
        return slots, energy

    def _first(self, block: int, active: np.ndarray, workers: np.ndarray, upload: Cost) -> tuple[Cost, Cost, Cost]:
        """Return the costs of reports, telling and pilots of workers new in a block, or on another part of the band.

        Participants are told what their pilots gave.
        """
        uplink, settings = self.group.uplink, self.group.settings
        everyone = settings.by_channel
        moved = uplink.splits and settings.partial and not everyone
        asked = np.arange(self.group.workers) if everyone else workers
        anew = settings.channel.pilots and physical_layer.changing(settings)  # estimates, for each upload
        before = self.sounded[asked]
        new, unknown = asked if moved or anew else asked[before != block], asked[before < 0]
        self.sounded[asked] = block
        sounded, more = new, self._more_blocks(upload)
        if physical_layer.changing(settings):  # pilots of participants are in their uploads
            sounded, more = np.setdiff1d(new, workers), 0
        share = (len(sounded) + more * len(workers)) / len(workers)
        csi_report, told = free(active.size), free(active.size)
        if settings.channel.pilots:
            new = np.intersect1d(new, workers)
            if len(new):
                told = uplink.telling_cost(self._senders(block, active, new, upload=False))
        elif len(new):
            senders = self._senders(block, active, new)
            csi_report = uplink.csi_report_cost(senders)
            if everyone:  # by mean gains, which no pilots give
                report = Report(settings, uplink.method, uplink.elements, unrounded_bits(uplink.method))
                csi_report = np.add(csi_report, report.cost(senders))
        if len(unknown):
            csi_report = np.add(csi_report, uplink.mean_report_cost(self._senders(block, active, unknown)))
        return Cost(*csi_report), told, uplink.sounding(share, upload, self.noise[active])

    def _more_blocks(self, upload: Cost) -> int:
        """Return the number of blocks after its first that a digital upload extends over."""
        if not (self.clock and self.group.uplink.splits):
            return 0
        later = itertools.islice(self.clock.blocks(), 1, None)
        return sum(1 for _ in itertools.takewhile(lambda begun: begun[1] < upload.slots[0], later))

    def _senders(self, block: int, active: np.ndarray, workers: np.ndarray, *, upload: bool = True) -> Senders:
        gains = BlockGains(self.air, block, self.group.seed_index[active], workers, upload)
        left = self.group.most_uses - self.used[active].min()
        clock = self.clock if self.group.uplink.splits else None
        bands = (lambda: ((replace(gains, block=at), slots) for at, slots in clock.blocks())) if clock else None
        snr, power = self.snr[active], self.power[active]
        return Senders(len(workers), band=gains, snr=snr, power=power, left=left, bands=bands)
