"""A. Elgabli, J. Park, C. Ben Issaid, M. Bennis, "Harnessing wireless channels for scalable and privacy-preserving
federated learning": A-FADMM and D-FADMM, and A-SFADMM and D-SFADMM where local problems are trained on mini-batches.

The paper's dual λ is complex, but μ = conj(λ)·h is real throughout, and so is all that is computed here. A worker
contributes h·(conj(h)θ + conj(λ)/ρ) = |h|²θ + μ/ρ to the sum at the server.

D-FADMM is the same recursion over an error-free uplink: with unit gains in place of the channel's (plain ADMM,
equations (3) to (5)) or with the channel's own (``consensus = "channel_weighted"``, equations (9) to (11)).
"""

from typing import Any, NamedTuple

import tensorflow as tf

from otafl.algorithms.hyperparameters import Hyperparameters
from otafl.arrays import Tensor
from otafl.problems.problem import Problem
from otafl.uplinks.link import Downlink, Link, Upload


class State(NamedTuple):
    """What the recursion carries.

    Arguments:
        theta: local models θ_n. Shape [workers, d, runs].
        mu: duals μ_n = conj(λ_n)·h_n. Shape [workers, d, runs].
        model: global model Θ. Shape [1, d, runs].
        seen: Θ as each worker received it; ``model`` itself on an error-free downlink. Shape [workers or 1, d, runs].
    """

    theta: Tensor
    mu: Tensor
    model: Tensor
    seen: Tensor


class Block(NamedTuple):
    """What holds for one coherence block.

    Arguments:
        weight: the consensus weights ρ|h|². Shape [workers, d, runs].
        penalised: the prepared local problems.
    """

    weight: Tensor
    penalised: Any


class Local(NamedTuple):
    """What the workers have done in an iteration.

    Arguments:
        theta: local models θ_n. Shape [workers, d, runs].
        mu: duals μ_n that the models go with. Shape [workers, d, runs].
        losses: local losses seen on the way. Shape [workers, runs].
    """

    theta: Tensor
    mu: Tensor
    losses: Tensor


def init(start: Tensor, workers: int, downlink: Downlink) -> State:
    """All models at the one that training starts from, [1, d, runs], all duals at zero."""
    theta = tf.repeat(start, workers, axis=0)
    return State(theta, tf.zeros_like(theta), start, theta if downlink == "analog" else start)


def prepare(problem: Problem, gain: Tensor, parameters: Hyperparameters) -> Block:
    """Prepare the local problems for the gains of a coherence block; unit gains make plain ADMM of it."""
    weight = parameters.rho * gain
    return Block(weight, problem.penalise(weight))


def local_update(state: State, problem: Problem, block: Block, changed: bool | Tensor = False) -> Local:
    """The workers' part of an iteration of Algorithm 1, before the upload: the local update (31).

    Where the channel has ``changed``, it keeps θ and solves (31) for the dual instead (section II-C).
    """

    def primal() -> Local:
        done = problem.minimise(block.penalised, block.weight, state.mu, state.seen, state.theta)
        return Local(done.theta, state.mu, done.losses)

    def dual_flip() -> Local:
        slope, losses = problem.gradient(state.theta)
        return Local(state.theta, -slope - block.weight * (state.theta - state.seen), losses)

    return tf.cond(changed, dual_flip, primal) if tf.is_tensor(changed) else dual_flip() if changed else primal()


def global_update(
    state: State, local: Local, gain: Tensor, link: Link, parameters: Hyperparameters
) -> tuple[State, Upload]:
    """The rest of an iteration of Algorithm 1: upload and global update (13), dual update (32).

    The server knows Σ_n|h_n|² from pilots. The dual update μ + ρ|h|²(θ − Θ) is ρ times the worker's contribution less
    ρ|h|²Θ. With an analog downlink these are (14) and (15), the latter in the form that keeps μ real.
    """
    contribution = gain * local.theta + local.mu * (1 / parameters.rho)
    upload = link.superpose(contribution)
    model = upload.total / tf.reduce_sum(gain, axis=0)
    seen = link.broadcast(model)
    return State(local.theta, parameters.rho * (contribution - gain * seen), model, seen), upload


def local_models(state: State) -> Tensor:
    """The models at which the local losses are taken, θ_n."""
    return state.theta


def residuals(before: State, after: State, block: Block) -> tuple[Tensor, Tensor]:
    """Norms over workers and elements of the primal residual θ_n − Θ and the dual one w_n(Θ' − Θ). Shape [runs].

    Source: Elgabli et al., equations (18) and (19); w is ρ|h|², or ρ for plain ADMM.
    """
    primal = after.theta - after.model
    dual = block.weight * (after.model - before.model)
    return tf.norm(primal, axis=[0, 1]), tf.norm(dual, axis=[0, 1])
