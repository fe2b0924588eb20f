"""Who takes part in a round, and how much local work each does: draws from streams of their own."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from otafl import seeds
from otafl.engine.group import Group
from otafl.settings.keys import Settings


class Participants(NamedTuple):
    """The workers of a round.

    Arguments:
        workers: their numbers, ascending. Shape [active].
        epochs: passes that each makes over its samples; 0 where steps are counted. Shape [active].
        uploads: whether they upload at the end of the round.
    """

    workers: np.ndarray
    epochs: np.ndarray
    uploads: bool


def alike(settings: Settings) -> bool:
    """Whether all rounds have the same participants, who do the same."""
    everybody = settings.participants == settings.federation.workers
    return everybody and settings.local.work == "fixed" and settings.value("algorithm.communication_probability") == 1


def everybody(settings: Settings) -> Participants:
    """All workers, who do all local work and upload."""
    workers = settings.federation.workers
    return Participants(np.arange(workers), np.full(workers, settings.local.epochs or 0, np.int32), True)


def of_round(group: Group, who: Participants) -> dict[str, Any]:
    """Return participants' fields of a draw, or tell them from the others that are computed beside them."""
    task, uploads = group.task, np.full((1, 1, 1), who.uploads, group.task.dtype)
    if group.resident and group.partial:
        return {"uploads": uploads, "active": along(np.isin(np.arange(group.workers), who.workers), task.dtype)}
    epochs = {"epochs": who.epochs} if group.in_epochs else {}
    return {"uploads": uploads, "steps": along(task.steps(who.workers, who.epochs), task.dtype)} | epochs


def along(values: np.ndarray, dtype: Any) -> np.ndarray:
    """Return numbers of workers as an array [workers, 1, 1]."""
    return values.astype(dtype)[:, None, None]


class Participation(Iterator[Participants]):
    """The participants of round after round of a run, for workers with so many samples."""

    def __init__(self, settings: Settings, counts: np.ndarray, seed: int) -> None:
        self.settings, self.counts = settings, counts
        purposes = () if alike(settings) else ("participation", "work", "communication")
        self.streams = [seeds.generator(seed, purpose) for purpose in purposes]

    def __next__(self) -> Participants:
        if not self.streams:
            return everybody(self.settings)
        federation, local = self.settings.federation, self.settings.local
        who, work, talk = self.streams
        workers = self._workers(who)
        most = local.epochs or 0
        epochs = work.integers(1, max(1, most) + 1, federation.workers)[workers]
        epochs = epochs if local.work == "uniform" else np.full(len(workers), most)
        uploads = talk.random() < self.settings.value("algorithm.communication_probability")
        return Participants(workers, epochs.astype(np.int32), bool(uploads))

    def _workers(self, rng: np.random.Generator) -> np.ndarray:
        federation = self.settings.federation
        if federation.probabilities:
            return systematic(np.array(federation.probabilities), rng)
        odds = self.counts / self.counts.sum() if federation.sampling == "weighted" else None
        return np.sort(rng.choice(federation.workers, self.settings.drawn, replace=False, p=odds))


def systematic(probabilities: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw workers so that each takes part with its probability, and always as many as these add up to.

    Madow's systematic sampling: the workers in random order as intervals of the length of their probability, one after
    the other, and those are drawn in whose interval a point u + k falls, u uniform on [0, 1). Any probabilities above 0
    make it a proper scheme in the sense of Wang et al. (definition 4).

    Returns:
        Numbers of workers, ascending. Shape [round(Σp)].
    """
    order = rng.permutation(len(probabilities))
    ends = np.cumsum(probabilities[order])
    ends *= round(ends[-1]) / ends[-1]
    points = rng.random() + np.arange(round(ends[-1]))
    return np.sort(order[np.minimum(np.searchsorted(ends, points, side="right"), len(order) - 1)])
