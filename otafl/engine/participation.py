"""Participants of rounds and their amounts of local work, drawn from streams of their own."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from otafl import seeds
from otafl.engine.group import Group
from otafl.settings.keys import Settings


class Participants(NamedTuple):
    """Participants of a round, with their amounts of local work.

    Arguments:
        workers: indices of the workers that take part, from 0, ascending. Shape [active].
        epochs: number of epochs of each; 0 where local steps are counted. Shape [active].
        uploads: True where they upload at the end of the round.
        late: number of workers that are left out of the round, as they would miss its deadline.
    """

    workers: np.ndarray
    epochs: np.ndarray
    uploads: bool
    late: int = 0

    def at(self, places: np.ndarray) -> "Participants":
        """Return some of the participants.

        Arguments:
            places: their indices in ``workers``. Shape [active].
        """
        return self._replace(workers=self.workers[places], epochs=self.epochs[places])


def alike(settings: Settings) -> bool:
    """Return True where all rounds of a run have the same participants with the same work.

    Arguments:
        settings: the run's ``Settings``.
    """
    return (
        not settings.partial
        and settings.local.work == "fixed"
        and settings.value("algorithm.communication_probability") == 1
    )


def everybody(settings: Settings) -> Participants:
    """Return all workers as ``Participants``, with all local work and an upload.

    Arguments:
        settings: the run's ``Settings``.
    """
    workers = settings.federation.workers
    return Participants(np.arange(workers), np.full(workers, settings.local.epochs or 0, np.int32), True)


def of_round(group: Group, who: Participants) -> dict[str, Any]:
    """Return the fields of a ``RoundDraw`` (record of a round) that describe the participants.

    Arguments:
        group: runs that are computed side by side.
        who: ``Participants``; where idle workers are computed beside them, a field marks the participants.

    Returns:
        Fields by name, "uploads", 1 or 0, [1, 1, 1], and either "active", 1 or 0, [workers, 1, 1], or the local
        "steps", [active, 1, 1], with "epochs", [active], where work is counted in them.
    """
    task, uploads = group.task, np.full((1, 1, 1), who.uploads, group.task.dtype)
    if group.resident and group.partial:
        return {"uploads": uploads, "active": along(np.isin(np.arange(group.workers), who.workers), task.dtype)}
    epochs = {"epochs": who.epochs} if group.in_epochs else {}
    return {"uploads": uploads, "steps": along(task.steps(who.workers, who.epochs), task.dtype)} | epochs


def along(values: np.ndarray, dtype: Any) -> np.ndarray:
    """Return a number of each worker as an array that multiplies vectors. Shape [workers, 1, 1].

    Arguments:
        values: a number for each worker. Shape [workers].
        dtype: NumPy type of the result.
    """
    return values.astype(dtype)[:, None, None]


class Participation(Iterator[Participants]):
    """Iterator over the participants of a run, round after round, drawn from random streams of its seed.

    Attribute ``streams``: the generators; none where all rounds are alike.

    Arguments:
        settings: the run's ``Settings``.
        counts: number of samples of each worker. Shape [workers].
        seed: seed of the run.
    """

    def __init__(self, settings: Settings, counts: np.ndarray, seed: int) -> None:
        self.settings, self.counts = settings, counts
        purposes = () if alike(settings) else ("participation", "work", "communication")
        self.streams = [seeds.generator(seed, purpose) for purpose in purposes]

    def __next__(self) -> Participants:
        """Draw the participants of the next round, their epochs, and if they upload."""
        if not self.streams:
            return everybody(self.settings)
        federation, local = self.settings.federation, self.settings.local
        who, work, talk = self.streams
        workers = self._workers(who)
        most = local.epochs or 0
        if self.settings.few_at_a_time:
            epochs = work.integers(1, max(1, most) + 1, len(workers))
        else:
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
    """Draw workers by Madow's systematic sampling: each with its probability, and always the same number.

    The workers stand in random order as intervals of the length of their probability. A point u + k, u uniform on
    [0, 1), k a whole number, draws the worker in whose interval it falls. With probabilities above 0 this is a proper
    scheme in the sense of Wang et al. (definition 4).

    Arguments:
        probabilities: probability p of each worker to be drawn, with a whole sum but for rounding. Shape [workers].
        rng: random generator.

    Returns:
        Indices of the drawn workers, from 0, ascending. Shape [round(Σp)].
    """
    order = rng.permutation(len(probabilities))
    ends = np.cumsum(probabilities[order])
    ends *= round(ends[-1]) / ends[-1]
    points = rng.random() + np.arange(round(ends[-1]))
    return np.sort(order[np.minimum(np.searchsorted(ends, points, side="right"), len(order) - 1)])
