"""A. Elgabli, J. Park, C. Ben Issaid, M. Bennis, "Harnessing wireless channels for scalable and privacy-preserving
federated learning": A-FADMM and D-FADMM.

The paper's dual λ is complex, but μ = conj(λ)·h is real throughout, and so is all that is computed here. A worker
contributes h·(conj(h)θ + conj(λ)/ρ) = |h|²θ + μ/ρ to the sum at the server.

D-FADMM is the same recursion over an error-free uplink: with unit gains in place of the channel's (plain ADMM,
equations (3) to (5)) or with the channel's own (``consensus = "channel_weighted"``, equations (9) to (11)).
"""

from typing import NamedTuple

import tensorflow as tf

from otafl.algorithms.hyperparameters import Hyperparameters
from otafl.arrays import Tensor
from otafl.problems import linear_regression as local
from otafl.problems.linear_regression import LinearRegression
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
        gain: |h|². Shape [workers, d, runs].
        weight: the consensus weights ρ|h|². Shape [workers, d, runs].
        share: 1/Σ_n |h_n|², what the server knows of the channel. Shape [d, runs].
        penalised: the prepared local problems.
    """

    gain: Tensor
    weight: Tensor
    share: Tensor
    penalised: local.Penalised


def init(problem: LinearRegression, downlink: Downlink) -> State:
    """All models and duals at zero."""
    zeros, model = tf.zeros_like(problem.linear), tf.zeros_like(problem.optimum)
    return State(zeros, zeros, model, zeros if downlink == "analog" else model)


def prepare(problem: LinearRegression, gain: Tensor, parameters: Hyperparameters) -> Block:
    """Factor the local problems for the gains of a coherence block; unit gains make plain ADMM of it."""
    weight = parameters.rho * gain
    return Block(gain, weight, 1 / tf.reduce_sum(gain, axis=0), local.penalise(problem, weight))


def step(
    state: State,
    problem: LinearRegression,
    block: Block,
    link: Link,
    parameters: Hyperparameters,
    changed: bool | Tensor = False,
) -> tuple[State, Upload]:
    """One iteration of Algorithm 1: local update (31), upload and global update (13), dual update (32).

    The dual update μ + ρ|h|²(θ − Θ) is ρ times the worker's contribution less ρ|h|²Θ.
    Where the channel has ``changed``, the local update keeps θ and solves (31) for the dual instead (section II-C).
    With an analog downlink these are (14) and (15), the latter in the form that keeps μ real.
    """
    theta, mu = _local_update(state, problem, block, changed)
    contribution = block.gain * theta + mu * (1 / parameters.rho)
    upload = link.superpose(contribution)
    model = upload.total * block.share
    seen = link.broadcast(model)
    return State(theta, parameters.rho * (contribution - block.gain * seen), model, seen), upload


def _local_update(
    state: State, problem: LinearRegression, block: Block, changed: bool | Tensor
) -> tuple[Tensor, Tensor]:
    def primal() -> tuple[Tensor, Tensor]:
        return local.minimise(problem, block.penalised, block.weight, state.mu, state.seen), state.mu

    def dual_flip() -> tuple[Tensor, Tensor]:
        return state.theta, -local.gradient(problem, state.theta) - block.weight * (state.theta - state.seen)

    return tf.cond(changed, dual_flip, primal) if tf.is_tensor(changed) else dual_flip() if changed else primal()


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
