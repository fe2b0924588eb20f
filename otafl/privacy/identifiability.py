"""Privacy by definition 1 of Elgabli et al.: what of a worker does not follow from an observer's equations.

One element of a run is followed without noise; the observer knows the algorithm, its parameters and the global model's
trajectory. A model or gradient is determined where its derivative by all unknowns lies in the row space of the
derivatives of what was received, at a point drawn at random. This is exact if gains are known, else it holds nearby.
Two workers stand for any number above one: an observer that knows all others still has to distinguish these two.

More unknowns than equations leave some unknown free, but not each of the models. Counts are for one element of one
worker over K iterations and B coherence blocks, without noise. The server divides by Σ|h|², and so knows the gain of a
worker that is alone, which the paper takes as unknown.
"""

import functools
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

STEP, PRECISION, START = 1e-100, 1e-8, 0.3
"""Length of a complex step; ratio of singular values below which one counts as zero; first global model."""


class Case(NamedTuple):
    """Run as one element of the model sees it, and the knowledge of its observer."""

    speakers: int
    """Number of workers that send on the subcarrier."""
    blocks: tuple[bool, ...]
    """True for each round with which a coherence block begins."""
    gains: Literal["one", "told", "summed", "unknown"] = "summed"
    """Gains by which the method weighs. "one": all one. "told": each known. "summed": their sum. "unknown": none."""
    digital: bool = False
    """True if messages arrive one by one, and not as their sum."""
    dual: bool = True
    """True if contributions have a dual in them, as those of A-FADMM, |h|²θ + μ/ρ."""
    random_start: bool = False
    """True if first duals are random."""
    flips: bool = True
    """True if a new block keeps the model and solves for the dual."""
    solves: bool = True
    """True if local problems are solved exactly, so that the local optimality (29) of Elgabli et al. holds."""
    elsewhere: bool = False
    """True for an eavesdropper with an unknown path from each worker, False for the server."""
    converged: bool = False
    """True if all models equal the global one at the end (theorem 3 of Elgabli et al.)."""


@functools.lru_cache(maxsize=64)
def hidden(case: Case, what: Literal["model", "gradient"] = "model") -> np.ndarray:
    """Return True for each round in which a worker's model (or gradient) does not follow from what is received.

    The observer uses all that it receives in the run. The time grows with the cube of the number of rounds, so results
    are cached; do not write into the array. Source: Elgabli et al., definition 1.
    """
    derivatives = _derivatives(case._replace(speakers=min(case.speakers, 2)))
    of_worker = getattr(derivatives, what)
    _, sizes, rows = np.linalg.svd(derivatives.received, full_matrices=False)
    rows = rows[sizes > PRECISION * sizes[0]]
    return np.linalg.norm(of_worker - of_worker @ rows.T @ rows, axis=1) > PRECISION


class _Run(NamedTuple):
    """First worker's models and gradients, and all received values, or their derivatives. Shape [..., unknowns]."""

    model: np.ndarray
    gradient: np.ndarray
    received: np.ndarray


def _derivatives(case: Case) -> _Run:
    rng, point = np.random.default_rng(0), []

    def drawn() -> np.ndarray:
        point.append(rng.uniform(0.5, 1.5, (case.speakers, 1)))
        return point[-1]

    _play(case, drawn)
    values = np.vstack(point)
    # a complex step has no difference of near numbers, and so is exact up to rounding
    stepped = iter((values + 1j * STEP * np.eye(len(values))).reshape(len(point), case.speakers, -1))
    return _Run(*(np.imag(values) / STEP for values in _play(case, lambda: next(stepped))))


def _play(case: Case, fresh: Callable[[], np.ndarray]) -> _Run:
    """Return a run for unknowns drawn by ``fresh`` [speakers, values]; the penalty ρ is 1."""
    gain = paths = model = slope = np.ones((case.speakers, 1))
    models, slopes, received = [], [], []
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
        slopes.append(slope[0])
    return _Run(*map(np.array, (models, slopes, received + ([*model] if case.converged else []))))


class Count(NamedTuple):
    """Numbers of unknown reals in one element of a worker's trajectory, and of an observer's equations between them."""

    unknowns: int
    equations: int


def count_weighted(
    iterations: int, blocks: int, speakers: int, random_start: bool, told: bool = False, flips: bool = True
) -> Count:
    """Count unknowns and equations of an element under A-FADMM (Elgabli et al., theorem 2).

    Unknown are models and gradients, both kept at a change of channel where it ``flips``, as the dual is solved for;
    gains in each block; the first dual, where it is random; the sum of all others' contributions |h|²θ + μ/ρ; and their
    sum of gains. The server may be ``told`` each gain. Equations are what arrives, the local optimality (29), and the
    sum of gains. Workers that send on the subcarrier are speakers.
    """
    solved, alone = iterations - (blocks - 1 if flips else 0), speakers == 1
    unknowns = 2 * solved + random_start + (0 if alone else iterations)
    gains = 0 if told else blocks
    return Count(unknowns + gains * (1 if alone else 2), iterations + solved + gains)


def count_summed(iterations: int, speakers: int) -> Count:
    """Count unknowns, a worker's messages and the sum of all others', and equations under plain sums."""
    return Count(iterations * (1 if speakers == 1 else 2), iterations)


def count_single(iterations: int, dual: bool = False, random_start: bool = False) -> Count:
    """Count unknowns and equations of digital messages; with duals those of a single worker with a gain of 1."""
    return Count(2 * iterations + random_start, 2 * iterations) if dual else Count(iterations, iterations)
