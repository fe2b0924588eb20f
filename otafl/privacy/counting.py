"""Unknowns of one worker's trajectory and equations between them, counted as in theorem 2 of Elgabli et al.

More unknowns than equations leave something free, but not each of the models: which of them follow, and so where
definition 1 holds, is a matter of rank (``identifiability``).

Counted is one element of one worker over a run of K iterations and B coherence blocks, without noise, for a server
that knows the global model's trajectory, the algorithm and its parameters. The paper counts one iteration, in which it
takes the gain for unknown even where a worker is alone; but the server divides by Σ|h|², and so knows it.
"""

from typing import NamedTuple


class Count(NamedTuple):
    """Unknown real numbers, and equations between them."""

    unknowns: int
    equations: int


def weighted(
    iterations: int, blocks: int, speakers: int, random_start: bool, told: bool = False, flips: bool = True
) -> Count:
    """Count unknowns and equations of A-FADMM, whose contributions are |h|²θ + μ/ρ.

    Unknown are models and gradients, both kept at a change of channel, when the dual is solved for anew; gains in each
    block; the first dual, where it is random; the sum of all others' contributions; and their sum of gains. Equations
    are what arrives, the local optimality (29), and the sum of gains.

    Arguments:
        speakers: workers on the subcarrier.
        random_start: whether first models and duals are random.
        told: whether the server knows all gains one by one, from pilots or side information.
        flips: whether the dual is solved for anew where the channel changes, the model kept.
    """
    solved, alone = iterations - (blocks - 1 if flips else 0), speakers == 1
    unknowns = 2 * solved + random_start + (0 if alone else iterations)
    gains = 0 if told else blocks
    return Count(unknowns + gains * (1 if alone else 2), iterations + solved + gains)


def summed(iterations: int, speakers: int) -> Count:
    """Count unknowns and equations of contributions that arrive as a plain sum: a worker's, and the others' sum."""
    return Count(iterations * (1 if speakers == 1 else 2), iterations)


def single(iterations: int, dual: bool = False, random_start: bool = False) -> Count:
    """Count unknowns and equations of messages that arrive one by one, as digital ones do.

    With a dual in them, θ + μ/ρ, a worker is alone with a gain of 1: the gradient too is unknown, and (29) known.
    """
    return Count(2 * iterations + random_start, 2 * iterations) if dual else Count(iterations, iterations)
