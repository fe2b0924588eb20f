"""Definition 1 of Elgabli et al. by rank: models of a worker that cannot be derived from what an observer receives.

One element of a run is followed without noise; the observer knows the algorithm, its parameters and the global model's
trajectory. A model is determined where its derivative by all unknowns lies in the row space of the derivatives of what
was received, at a point drawn at random: that is linear algebra where gains are known, and uniqueness nearby where not.
Two workers stand for any number above one: who is shown all about the others still has to tell these two apart.
"""

import functools
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

STEP, PRECISION, START = 1e-100, 1e-8, 0.3
"""Length of a complex step, least singular value over the largest, and each element of the first global model."""


class Case(NamedTuple):
    """A run as one element has it, and who observes it.

    Arguments:
        speakers: workers on the subcarrier.
        blocks: whether a coherence block begins, for each round.
        gains: of the method's arithmetic: all one; told to the observer one by one; their sum told; or unknown.
        digital: whether messages arrive one by one, and not as their sum.
        dual: whether contributions have a dual in them: those of A-FADMM, |h|²θ + μ/ρ.
        random_start: whether first duals are random.
        flips: whether the dual is solved for anew in a new block, and the model kept.
        solves: whether local problems are solved, so that (29) holds exactly.
        elsewhere: whether the observer has an unknown path from each worker, and not the server's receiver.
        converged: whether all have come to the global model at the end (theorem 3).
    """

    speakers: int
    blocks: tuple[bool, ...]
    gains: Literal["one", "told", "summed", "unknown"] = "summed"
    digital: bool = False
    dual: bool = True
    random_start: bool = False
    flips: bool = True
    solves: bool = True
    elsewhere: bool = False
    converged: bool = False


@functools.lru_cache(maxsize=64)
def hidden(case: Case) -> np.ndarray:
    """Return which rounds' models are not determined by all that is received in the run. Shape [rounds], bool.

    It takes the cube of the number of rounds, so it is kept for the next seed; do not write into it.
    """
    models, received = _derivatives(case._replace(speakers=min(case.speakers, 2)))
    _, sizes, rows = np.linalg.svd(received, full_matrices=False)
    rows = rows[sizes > PRECISION * sizes[0]]
    return np.linalg.norm(models - models @ rows.T @ rows, axis=1) > PRECISION


def _derivatives(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of models and of what is received, by complex steps. Shapes [rounds or receptions, unknowns]."""
    rng, point = np.random.default_rng(0), []

    def drawn() -> np.ndarray:
        point.append(rng.uniform(0.5, 1.5, (case.speakers, 1)))
        return point[-1]

    _play(case, drawn)
    values = np.vstack(point)
    stepped = iter((values + 1j * STEP * np.eye(len(values))).reshape(len(point), case.speakers, -1))
    models, received = _play(case, lambda: next(stepped))
    return np.imag(models) / STEP, np.imag(received) / STEP


def _play(case: Case, fresh: Callable[[], np.ndarray]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Models of the first worker and all that is received, for unknowns [speakers, values] in the order of their use.

    The penalty ρ is 1, of which duals are multiples.
    """
    models, received, gain, paths, model, slope = [], [], *[np.ones((case.speakers, 1))] * 4
    dual, common = fresh() if case.random_start else np.zeros((case.speakers, 1)), START
    for place, begins in enumerate(case.blocks):
        if begins and case.gains != "one":
            gain = fresh()
            received += {"told": [*gain], "summed": [gain.sum(axis=0)], "unknown": []}[case.gains]
        if begins and case.elsewhere:
            paths = fresh(), fresh()
        if begins and place and case.flips:
            dual = -slope - gain * (model - common)
        else:
            model = fresh()
            slope = -dual - gain * (model - common) if case.solves else fresh()
        sent = gain * model + dual
        common = sent.sum(axis=0) / gain.sum(axis=0)
        received += [common, *([*sent] if case.digital else [])]
        received += [(path * sent).sum(axis=0) for path in (paths if case.elsewhere else [])]
        dual = (sent - gain * common) * case.dual
        models.append(model[0])
    return models, received + ([*model] if case.converged else [])
