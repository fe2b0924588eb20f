"""Work that participants have done in rounds, as programs tell it, and what it differs from what was planned.

Approximations: gradients by which a stopping rule decides, and passes that label samples, are not counted. Workers
whose uploads are lost are not computed, and count with all that was planned.
"""

from typing import NamedTuple

import numpy as np

from otafl.engine.group import Group
from otafl.engine.participation import Participants


class WorkDone(NamedTuple):
    """Work of the participants of rounds. Shape [rounds, runs] each."""

    passes: np.ndarray
    """Times that participants went through the samples of all steps, or of an epoch; a mean by samples' energy."""
    saved_s: np.ndarray
    """Time by which the slowest was done before it was planned to be [s]."""
    saved_on_s: np.ndarray
    """Time by which all were done before they were planned to be, summed over them [s]."""


def work_done(group: Group, who: list[Participants], epochs: np.ndarray) -> WorkDone:
    who = who * (len(epochs) // len(who))
    rounds = [_of_round(group, *of_round) for of_round in zip(who, epochs, strict=True)]
    return WorkDone(*map(np.array, zip(*rounds, strict=True)))


def _of_round(group: Group, who: Participants, epochs: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the ``WorkDone`` of a round. Shape [runs] each."""
    done, computation = _passes(group, who, epochs), group.computation
    planned_s, done_s = computation.planned_s(who.workers, who.epochs), computation.seconds(who.workers, done)
    saved_s, saved_on_s = planned_s.max(axis=-1) - done_s.max(axis=-1), (planned_s - done_s).sum(axis=-1)
    weights = computation.energy_samples(who.workers)
    most = done.max(axis=-1, keepdims=True)  # from which the mean is counted, so that equal passes stay exact
    return most[:, 0] - np.average(most - done, axis=-1, weights=weights), saved_s, saved_on_s


def _passes(group: Group, who: Participants, epochs: np.ndarray) -> np.ndarray:
    """Return how often each participant went through its samples, once for a flip. Shape [runs, participants]."""
    computation = group.computation
    done = np.tile(computation.planned(who.epochs).astype(float), (len(group.columns), 1))
    places = np.flatnonzero(np.isin(who.workers, (who.arrived if group.loses else who).workers))
    workers = who.workers[places]
    if computation.in_epochs:
        done[:, places] = epochs.T
    elif group.form.flips:
        done[:, places] = np.where(epochs.T > 0, 1.0, group.task.counts[workers] / computation.samples(workers))
    return done
