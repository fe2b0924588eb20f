"""Tasks: the data of a group of runs, dealt to workers, from which the problems of a program are made."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from otafl.algorithms.local_problem import Problem
from otafl.data.samples import Samples
from otafl.settings.keys import Settings
from otafl.system.memory import Demand

if TYPE_CHECKING:
    from otafl.problems.trained import Own
    from otafl.training.learner import Learner

PROGRAMS = 115 * 2**20
"""Bytes that compiling takes, and the compiled programs."""

MOST_APART = 100
"""Ratio of ranges of columns from which a remark says that they are not scaled."""


class Task:
    """Base of the data of a group's runs, dealt to workers, on the host; it makes tensors of local problems."""

    whole: bool = True
    """True where a round is compiled as one program."""
    dtype: Any
    """NumPy type of the numbers in that program."""
    elements: int
    """Number d of elements of a model."""
    kind: Callable[..., Problem]
    """Function that returns the local problems of a round, from ``learner``, ``shared``, ``own``, the number of the
    round, and the passes of each worker over its samples."""
    remark: str = ""
    """Remark on a surprising choice of keys; empty where there is none."""
    places: int = 0
    """Places for samples of a worker."""
    width: int = 0
    """Numbers in the features of one sample."""
    equations_bytes: int = 0
    """Bytes of the equations of one worker and run in a program."""
    demands: list[Demand]
    """Memory for samples, for the order in which they are read, and for the programs that learn from them."""
    counts: np.ndarray
    """Samples of each worker. Shape [workers]."""
    weights: np.ndarray
    """ω, the workers' weights in the objective, which add up to 1. Shape [workers]."""
    local_epochs: float = np.nan
    """Mean passes of a worker over its samples in a round; NaN where rounds or workers differ."""
    learner: "Learner | None" = None
    """Learner that trains networks; None: workers have exact minimisers."""

    def steps(self, workers: np.ndarray, epochs: np.ndarray) -> np.ndarray:
        """Return numbers of local steps of participants, given by their numbers and epochs. Shape [participants]."""
        return np.zeros(len(workers))

    def shared(self, seed_index: np.ndarray) -> Any:
        """Return data that all workers have in common, for runs given by the indices of their seeds, [runs]."""
        raise NotImplementedError

    def starts(self, seed: int) -> np.ndarray:
        """Return random initial models for every worker, and as many duals. Shape [2, workers, d]."""
        raise NotImplementedError

    def own(self, workers: np.ndarray) -> "Own | None":
        """Return data that belong to some workers, given by their numbers, in tensors; None for exact minimisers."""
        return None


def unscaled(settings: Settings, data: Samples) -> str:
    """Return a remark on features, columns of a table, whose ranges are far apart; empty where training scales them."""
    if settings.problem.standardise or data.features.ndim != 2 or data.features.dtype == np.uint8:
        return ""
    ranges = np.ptp(data.features, axis=0)
    least, most = ranges[ranges > 0].min(initial=np.inf), ranges.max()
    if most < MOST_APART * least:
        return ""
    how = "problem.standardise = true" if settings.classifies else "(x - x.mean()) / x.std() of each such column x"
    said = f"has columns whose ranges are from {least:.3g} to {most:.3g}; {how} brings them to one scale"
    return f"problem.dataset = {settings.problem.dataset!r} {said}"


def data_demand(settings: Settings, samples: int) -> Demand:
    """Return the memory [B] of samples and of the programs that learn from them, and the key that would reduce it."""
    name = settings.problem.dataset
    text = f"problem.dataset = {name!r} takes {{size}} of memory with the programs that learn from it"
    return Demand("problem.dataset", name, samples + PROGRAMS, text)
