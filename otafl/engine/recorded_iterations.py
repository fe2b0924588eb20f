"""Iterations of a run that its result records, and those at which it reads the test accuracy."""

import math

import numpy as np

from otafl.settings.run import Run


def recorded(run: Run) -> np.ndarray:
    """Return the numbers of the iterations in a result, from 1, ascending. Shape [recorded].

    They are all, or the first 100 and then 100 per decade.
    """
    if run.record == "all":
        return np.arange(1, run.iterations + 1)
    points = 10 ** np.arange(2, math.log10(run.iterations), 0.01) if run.iterations > 100 else []
    early = np.arange(1, min(run.iterations, 100) + 1)
    return np.unique([*early, *np.round(points), run.iterations]).astype(int)


def evaluated(run: Run) -> np.ndarray:
    """Return the numbers of the iterations with a reading of the test accuracy, from 1, ascending. Shape [read].

    The last iteration is always one.
    """
    return np.unique([*range(run.evaluate_every, run.iterations + 1, run.evaluate_every), run.iterations])
