"""Whether one worker's model follows from all that was received: unknowns and equations, as in theorems 2 and 3.

Definition 1 of Elgabli et al.: a mechanism preserves privacy if its input cannot be uniquely derived from its output.
It holds here where there are more unknowns than equations. That is not differential privacy: it says nothing of how
well the input can be estimated (``estimate``), and noise does not enter (``accountant``).

Counted is one element of one worker over a run of K iterations and B coherence blocks, without noise, for a server
that knows the global model's trajectory, the algorithm and its parameters. The paper counts one iteration, in which it
takes the gain for unknown even where a worker is alone; but the server divides by Σ|h|², and so knows it.
"""

from typing import NamedTuple


class Count(NamedTuple):
    """Unknown real numbers, and equations between them."""

    unknowns: int
    equations: int

    @property
    def private(self) -> bool:
        """Whether definition 1 holds."""
        return self.unknowns > self.equations


def weighted(
    iterations: int,
    blocks: int,
    speakers: int,
    random_start: bool,
    server: bool = True,
    told: bool = False,
    flips: bool = True,
    converged: bool = False,
) -> Count:
    """Of A-FADMM, whose contributions are |h|²θ + μ/ρ. Unknown are models and gradients, both kept at a change of
    channel, when the dual is solved for anew; gains in each block; the first dual, where it is random; the sum of all
    others' contributions; and their sum of gains.

    Equations are what arrives, the local optimality (29), and the sum of gains, which the server knows and an
    eavesdropper elsewhere does not; that one has a gain of its own in each block that it does not know either.

    Arguments:
        speakers: workers on the subcarrier.
        random_start: whether first models and duals are random.
        server: or an eavesdropper.
        flips: whether the dual is solved for anew where the channel changes, the model kept.
        told: whether the server knows all gains one by one, from pilots or side information.
        converged: whether all have come to the global model at the end (theorem 3).
    """
    solved, alone = iterations - (blocks - 1 if flips else 0), speakers == 1
    unknowns = 2 * solved + blocks + random_start + (0 if alone else iterations)
    equations = iterations + solved
    if server and told:
        unknowns -= blocks
    elif server:
        unknowns, equations = unknowns + (0 if alone else blocks), equations + blocks
    else:
        unknowns += blocks
    return Count(unknowns, equations + (0 if not converged else 1 if alone else 2))


def summed(iterations: int, blocks: int, speakers: int, server: bool = True) -> Count:
    """Of contributions that arrive as their plain sum: those of the worker, and the sum of all others'; an eavesdropper
    does not know the gain with which the worker's arrive in each block."""
    return Count(iterations * (1 if speakers == 1 else 2) + (0 if server else blocks), iterations)


def single(iterations: int, dual: bool = False, random_start: bool = False) -> Count:
    """Of messages that arrive one by one, as digital ones do; of methods with a dual in them, θ + μ/ρ, as if a worker
    were alone with a gain of 1: the gradient too is unknown, and (29) known."""
    return Count(2 * iterations + random_start, 2 * iterations) if dual else Count(iterations, iterations)
