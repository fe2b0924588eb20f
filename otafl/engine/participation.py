"""Participants of rounds and their amounts of local work, drawn from streams of their own."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from otafl.engine.group import Group
from otafl.numerics import seeds
from otafl.settings.keys import Settings


class Participants(NamedTuple):
    """Participants of a round, with their amounts of local work.

    Arguments:
        workers: indices of the workers that take part, from 0, ascending. Shape [active].
        epochs: number of epochs of each; 0 where local steps are counted. Shape [active].
        uploads: True where they upload at the end of the round.
        late: number of workers that are left out of the round, as they would miss its deadline.
        sent: share of its upload that each sends before it is cut; None: all are whole. Shape [active].
        arrives: False where all uploads are cut and lost, so that the round changes nothing.
    """

    workers: np.ndarray
    epochs: np.ndarray
    uploads: bool
    late: int = 0
    sent: np.ndarray | None = None
    arrives: bool = True

    def at(self, places: np.ndarray) -> "Participants":
        sent = None if self.sent is None else self.sent[places]
        return self._replace(workers=self.workers[places], epochs=self.epochs[places], sent=sent)

    @property
    def arrived(self) -> "Participants":
        """Participants whose uploads are whole; where there is none, all of them, with ``arrives`` False."""
        if self.sent is None:
            return self
        whole = np.flatnonzero(self.sent == 1)
        return (self.at(whole) if len(whole) else self._replace(arrives=False))._replace(sent=None)


def alike(settings: Settings) -> bool:
    """Return True where all rounds of a run have the same participants with the same work."""
    return (
        not settings.partial
        and settings.local.work == "fixed"
        and not settings.federation.cut_chance
        and settings.value("algorithm.communication_probability") == 1
    )


def everybody(settings: Settings) -> Participants:
    """Return all workers as ``Participants``, with all local work and an upload."""
    workers = settings.federation.workers
    return Participants(np.arange(workers), np.full(workers, settings.local.epochs or 0, np.int32), True)


def of_round(group: Group, who: Participants) -> dict[str, np.ndarray]:
    """Return the fields of a ``RoundDraw`` that describe the participants, by name."""
    task, everyone = group.task, group.resident and group.partial
    fields = {"uploads": np.full((1, 1, 1), who.uploads and who.arrives, task.dtype)} | _of_cuts(group, who, everyone)
    if everyone:
        active = np.isin(np.arange(group.workers), who.workers) & who.arrives
        return fields | {"active": along(active, task.dtype)}
    epochs = {"epochs": who.epochs} if group.computation.in_epochs else {}
    return fields | {"steps": along(task.steps(who.workers, who.epochs), task.dtype)} | epochs


def _of_cuts(group: Group, who: Participants, everyone: bool) -> dict[str, np.ndarray]:
    """Return the fields of cut uploads, those of participants or of everyone; empty where none can be cut."""
    dtype = group.task.dtype
    if group.loses:
        active = along(np.full(len(who.workers), who.arrives), dtype)
        return {"arrives": np.asarray(who.arrives, dtype), "active": active}
    if who.sent is None:
        return {}
    sent = np.ones(group.workers)
    sent[who.workers] = who.sent
    return {"sent": along(sent if everyone else who.sent, dtype)}


def along(values: np.ndarray, dtype: DTypeLike) -> np.ndarray:
    """Return a number of each worker as an array that multiplies vectors. Shape [workers, 1, 1]."""
    return values.astype(dtype)[:, None, None]


class Participation(Iterator[Participants]):
    """Iterator over the participants of a run, round after round, drawn from the generators ``streams``, if any."""

    def __init__(self, settings: Settings, counts: np.ndarray, seed: int) -> None:
        self.settings, self.counts = settings, counts
        purposes = () if alike(settings) else ("participation", "work", "communication")
        purposes += ("cuts",) if settings.federation.cut_chance else ()
        self.streams = [seeds.generator(seed, purpose) for purpose in purposes]

    def __next__(self) -> Participants:
        """Draw the participants of the next round, their epochs, if they upload, and how much they send."""
        if not self.streams:
            return everybody(self.settings)
        federation, local = self.settings.federation, self.settings.local
        who, work, talk, *cuts = self.streams
        workers = self._workers(who)
        most = local.epochs or 0
        # Draws are for all workers, whoever takes part, unless these are too many.
        count, taken = (len(workers), slice(None)) if self.settings.few_at_a_time else (federation.workers, workers)
        epochs = work.integers(1, max(1, most) + 1, count)[taken]
        epochs = epochs if local.work == "uniform" else np.full(len(workers), most)
        uploads = talk.random() < self.settings.value("algorithm.communication_probability")
        chance = federation.cut_chance
        sent = np.minimum(cuts[0].random(count)[taken], chance) / chance if cuts else None
        return Participants(workers, epochs.astype(np.int32), bool(uploads), sent=sent)

    def _workers(self, rng: np.random.Generator) -> np.ndarray:
        federation = self.settings.federation
        if federation.probabilities:
            return systematic(np.array(federation.probabilities), rng)
        odds = self.counts / self.counts.sum() if federation.sampling == "weighted" else None
        return np.sort(rng.choice(federation.workers, self.settings.drawn, replace=False, p=odds))


def systematic(probabilities: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw workers by Madow's systematic sampling: each with its probability, and always the same number.

    The workers stand in random order as intervals of the length of their probability. A point u + k, u uniform on
    [0, 1), k a whole number, draws the worker in whose interval it falls. With probabilities above 0 this is a proper
    scheme in the sense of Wang et al. (definition 4). Shape [round(Σp)], ascending.
    """
    order = rng.permutation(len(probabilities))
    ends = np.cumsum(probabilities[order])
    ends *= round(ends[-1]) / ends[-1]
    points = rng.random() + np.arange(round(ends[-1]))
    return np.sort(order[np.minimum(np.searchsorted(ends, points, side="right"), len(order) - 1)])
