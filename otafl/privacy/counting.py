"""Numbers of unknowns of one worker's trajectory and of equations, as in theorem 2 of Elgabli et al.

More unknowns than equations leave some unknown free, but not each of the models (``identifiability``). Counts are for
one element of one worker over K iterations and B coherence blocks, without noise. The server divides by Σ|h|², and so
knows the gain of a worker that is alone, which the paper takes as unknown.
"""

from typing import NamedTuple


class Count(NamedTuple):
    """Numbers of unknown reals in one element of a worker's trajectory, and of an observer's equations between them."""

    unknowns: int
    equations: int


def weighted(
    iterations: int, blocks: int, speakers: int, random_start: bool, told: bool = False, flips: bool = True
) -> Count:
    """Count unknowns and equations of an element under A-FADMM, whose contributions are |h|²θ + μ/ρ.

    A contribution is made of gain h, model θ, dual μ and penalty ρ. Unknown are models and gradients, both kept at a
    change of channel, when the dual is solved for; gains in each block; the first dual, where it is random; the sum of
    all others' contributions; and their sum of gains. Equations are what arrives, the local optimality (29), and the
    sum of gains.

    Workers that send on the subcarrier are speakers; ``told``: the server knows each worker's gain; ``flips``: a change
    of channel keeps the model and solves for the dual. Source: Elgabli et al., theorem 2.
    """
    solved, alone = iterations - (blocks - 1 if flips else 0), speakers == 1
    unknowns = 2 * solved + random_start + (0 if alone else iterations)
    gains = 0 if told else blocks
    return Count(unknowns + gains * (1 if alone else 2), iterations + solved + gains)


def summed(iterations: int, speakers: int) -> Count:
    """Count unknowns, a worker's messages and the sum of all others', and equations under plain sums."""
    return Count(iterations * (1 if speakers == 1 else 2), iterations)


def single(iterations: int, dual: bool = False, random_start: bool = False) -> Count:
    """Count unknowns and equations of digital messages; with duals those of a single worker with a gain of 1."""
    return Count(2 * iterations + random_start, 2 * iterations) if dual else Count(iterations, iterations)
