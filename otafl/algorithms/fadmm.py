"""A. Elgabli, J. Park, C. Ben Issaid, M. Bennis, "Harnessing wireless channels for scalable and privacy-preserving
federated learning": A-FADMM and D-FADMM, and A-SFADMM and D-SFADMM where local problems are trained on mini-batches.

The paper's dual λ is complex, but μ = conj(λ)·h is real throughout, and so is all that is computed here. A worker
contributes h·(conj(h)θ + conj(λ)/ρ) = |h|²θ + μ/ρ to the sum at the server.

Constraint (7) scaled by a known number for each worker and subcarrier puts a weight w_n > 0 wherever the paper has
|h_n|², and leaves the fixed points and theorem 1 as they are. Here w_n = |h_n|^p·β_n^(-κ), of the mean gain β_n over
fading: p = 2 and κ = 0 is the paper, and p = 1 sends models at constant power with their phases compensated.

D-FADMM is the same recursion over an error-free uplink: with unit gains in place of the channel's (plain ADMM,
equations (3) to (5)) or with the channel's own (``consensus = "channel_weighted"``, equations (9) to (11)).

In the paper all workers take part. Where only some do, the others keep θ_n and μ_n, and the server divides by Σ|h_n|²
over the participants. A worker starts from the global model of the round in which it takes part again.
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np

from otafl.algorithms.local_problem import Local, Minimiser, Model, Problem, Round
from otafl.algorithms.method import CLASSIFICATION, PARTICIPATION, REGRESSION, TRAINING, Method, method, positive
from otafl.numerics.tensors import Tensor, by_worker, tf
from otafl.settings.keys import Settings
from otafl.settings.part_keys import key

CONSENSUS = key(
    "plain",
    "D-(S)FADMM: plain ADMM (3)-(5), or weighted by the channel as in (9)-(11)",
    choices=("plain", "channel_weighted"),
)
WEIGHT_EXPONENT = key(
    2.0,
    "A-(S)FADMM, weighted D-(S)FADMM: exponent p of a worker's consensus weight |h|^p. 2: as in the paper; 1: models "
    "are sent at constant power; 0: channels are inverted",
    symbol="p",
    label="Weight exponent",
    ge=0.0,
    le=4.0,
)
PATH_LOSS_COMPENSATION = key(
    0.0,
    "A-(S)FADMM, weighted D-(S)FADMM: exponent κ of a worker's mean gain β over fading, by which its consensus weight "
    "is divided. 0: as in the paper; p/2: workers weigh equally in the mean",
    symbol="κ",
    label="Path loss compensation",
    ge=0.0,
    le=2.0,
)
WEIGHTS = {"weight_exponent": WEIGHT_EXPONENT, "path_loss_compensation": PATH_LOSS_COMPENSATION}
"""Keys of a worker's consensus weight."""
ON_CHANNEL_CHANGE = key(
    "dual_flip",
    "A-SFADMM, D-SFADMM: workers' part after a change of channel. dual_flip keeps models and solves for duals "
    "(algorithm 1), which is stable in long runs at low SNR; train continues to train, and is ahead in the first "
    "rounds. A-FADMM always flips",
    choices=("dual_flip", "train"),
)


EXPONENT, COMPENSATION = "algorithm.weight_exponent", "algorithm.path_loss_compensation"


def compensated(mean: np.ndarray | float, compensation: float) -> np.ndarray:
    """Return the factors β^(-κ) of consensus weights, 0 at a mean gain of 0. Shape of mean.

    Arguments:
        mean: mean power gain β of each worker over fading, linear. Any shape.
        compensation: exponent κ.
    """
    mean = np.asarray(mean, float)
    return np.divide(1.0, mean**compensation, out=np.zeros_like(mean), where=mean > 0)


class Client(NamedTuple):
    """State of a worker n in federated ADMM; d is the number of elements of a model.

    Arguments:
        theta: local model θ_n. Shape [workers, d, runs].
        mu: dual μ_n = conj(λ_n)·h_n, real, of the complex dual λ_n and channel h_n. Shape [workers, d, runs].
    """

    theta: Tensor
    mu: Tensor


class Prepared(NamedTuple):
    """Consensus weights and prepared local problems of one coherence block, over which the channel stays the same.

    Arguments:
        weight: consensus weights ρw, of penalty ρ and weight w (the estimated |h|² by default, 1 for plain ADMM). Shape
            [workers, d, runs], for d elements of a model.
        penalised: result of ``Problem.penalise`` for these weights: Cholesky factors of a linear regression's normal
            equations; None in training.
    """

    weight: Tensor
    penalised: Any


class FADMM(Method):
    """Base of A-FADMM and D-FADMM, federated ADMM of Elgabli et al., algorithm 1, for unit gains or the channel's.

    Symbols: local models θ_n, duals μ_n (real), global model Θ, penalty ρ, consensus weights w_n (estimated |h_n|² by
    default).
    """

    reads = ("algorithm.rho", "algorithm.start", *PARTICIPATION)
    limits = (positive("algorithm.rho"),)
    solves_exactly = True
    truncates = False
    has_residuals = True
    noise_precision = "float64"

    def is_weighted(self, settings: Settings) -> bool:
        """Return True where workers have consensus weights, as in (9) to (11); otherwise all weights are 1.

        Arguments:
            settings: unused.
        """
        return True

    def weighs_by_gain(self, settings: Settings) -> bool:
        """Return True where consensus weights fade with the channel, p > 0.

        Arguments:
            settings: of the run.
        """
        return self.is_weighted(settings) and settings.value(EXPONENT) > 0

    def consensus_weight(self, settings: Settings, gain: np.ndarray, mean: np.ndarray | float) -> np.ndarray:
        """Return the consensus weights w = |ĥ|^p·β^(-κ), |ĥ|² by default; 0 where the mean gain is 0.

        Arguments:
            settings: of the run, with p and κ.
            gain: estimated power gain |ĥ|², linear. Shape [..., workers, subcarriers].
            mean: mean β of |ĥ|² over fading, linear. Shape [..., workers, 1], or one number.

        Returns:
            Weights w. Shape of gain.
        """
        exponent, compensation = settings.value(EXPONENT), settings.value(COMPENSATION)
        weight = gain if exponent == 2 else gain ** (exponent / 2)
        return weight if not compensation else (weight * compensated(mean, compensation)).astype(gain.dtype)

    def uses_mean_gain(self, settings: Settings) -> bool:
        """Return True where consensus weights depend on the workers' mean gains, κ > 0.

        Arguments:
            settings: of the run.
        """
        return self.is_weighted(settings) and settings.value(COMPENSATION) > 0

    def flips(self, settings: Settings) -> bool:
        """Return True where weights fade, p > 0: after a change of channel a worker then solves for its dual.

        Source: Elgabli et al., section II-C.

        Arguments:
            settings: the run's ``Settings``.
        """
        return self.weighs_by_gain(settings)

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Model, Client]:
        """Return all models at the initial one and all duals at zero.

        Arguments:
            start: initial model of d elements. Shape [1, d, runs].
            options: unused.
            parameters: unused.

        Returns:
            A ``Model`` for the server, and a ``Client``, model and dual, that every worker begins with. Shape [1, d,
            runs] each.
        """
        return Model(start), Client(start, tf.zeros_like(start))

    def prepare(self, problem: Problem, gain: Tensor, parameters: Any) -> Prepared:
        """Return the weights ρw and factors of a coherence block; unit weights w make it plain ADMM.

        Arguments:
            problem: local problems of all workers that are computed.
            gain: consensus weight w, linear, 1 for plain ADMM. Shape [workers, d, runs], for d elements of a
                model.
            parameters: the method's parameters, of which the penalty ρ is read as ``rho``. Shape [runs].

        Returns:
            A ``Prepared``, weights [workers, d, runs] and what ``Problem.penalise`` returns for them.
        """
        weight = parameters.rho * gain
        return Prepared(weight, problem.penalise(weight))

    def local_update(self, server: Model, client: Client, now: Round) -> Local:
        """Return the local models θ after a local update, or after a change of channel new duals μ for the old models.

        The update minimises f_n(θ) + ⟨μ_n, θ⟩ + ρ/2 Σ_i |h_{n,i}|²(θ_i − Θ_i)², with local loss f_n, dual μ_n, and
        global model Θ as received (``now.heard``). Training starts at θ_n. Source: Elgabli et al., equation (31) and
        section II-C.

        Arguments:
            server: unused; the global model is read as it was received.
            client: the participants' models θ_n and duals μ_n. Shape [participants, d, runs] each, for d elements of a
                model.
            now: inputs of the round, of which local problems, ``prepared`` (weights ρw), ``heard`` and ``changed``
                are read.

        Returns:
            A ``Local`` with states (θ_n, μ_n) and models θ_n, [participants, d, runs] each, losses f_n and epochs,
            [participants, runs] each, and no messages, which ``upload`` forms. For old models epochs are 0, and losses
            those at θ_n.
        """
        weight, penalised = now.prepared

        def primal() -> Local:
            done = now.problem.solve(client.theta, client.mu, weight, now.heard, penalised=penalised)
            return Local(Client(done.theta, client.mu), done)

        def dual_flip() -> Local:
            slope, losses = now.problem.gradient(client.theta)
            mu = -slope - weight * (client.theta - now.heard)
            return Local(Client(client.theta, mu), Minimiser(client.theta, losses, tf.zeros_like(losses)))

        return _either(now.changed, dual_flip, primal)

    def upload(self, local: Local, now: Round) -> tuple[Tensor, ...]:
        """Return a tuple of one message, wθ + μ/ρ for each participant. Shape [participants, d, runs].

        Arguments:
            local: result of ``local_update``, with models θ and duals μ of d elements.
            now: inputs of the round, of which the consensus weight w and the penalty ρ are read.
        """
        return (now.gain * local.client.theta + local.client.mu * (1 / now.parameters.rho),)

    def global_update(self, server: Model, totals: tuple[Tensor, ...], now: Round) -> Model:
        """Return the global model Θ = Σ(wθ + μ/ρ)/Σw; the server knows Σ_n w_n from pilots.

        Source: Elgabli et al., equation (13).

        Arguments:
            server: unused.
            totals: one received sum, that of the contributions wθ + μ/ρ of models θ and duals μ, with penalty ρ.
                Shape [1, d, runs], for d elements of a model.
            now: inputs of the round, of which the consensus weights w are read. Shape
                [participants or 1, d, runs].

        Returns:
            The server's new state, Θ. Shape [1, d, runs].
        """
        return Model(totals[0] / tf.reduce_sum(now.gain, axis=0))

    def receive(self, local: Local, messages: tuple[Tensor, ...], heard: Tensor, now: Round) -> Client:
        """Return the workers' states after the dual update μ + ρw(θ − Θ) of Elgabli et al., equation (32).

        It is ρ times the worker's contribution less ρwΘ. With an analog downlink it is (14) and (15), the latter in
        the form that keeps μ real.

        Arguments:
            local: result of ``local_update``, with models θ. Shape [participants, d, runs], for d elements of a model.
            messages: one message, the contributions wθ + μ/ρ. Shape [participants, d, runs].
            heard: the new global model Θ as received. Shape [participants or 1, d, runs].
            now: inputs of the round, of which the consensus weight w and the penalty ρ are read.

        Returns:
            A ``Client`` with models θ and duals μ. Shape [participants, d, runs] each.
        """
        return Client(local.client.theta, now.parameters.rho * (messages[0] - now.gain * heard))

    def local_models(self, server: Model, client: Client) -> Tensor:
        """Return the workers' own models θ_n. Shape [workers, d, runs].

        Arguments:
            server: unused.
            client: the workers' states, models and duals. Shape [workers, d, runs] each, for d elements of a model.
        """
        return client.theta

    def residuals(self, before: Model, after: Model, client: Client, now: Round) -> tuple[Tensor, Tensor]:
        """Return 2-norms of θ_n − Θ' and of w_n(Θ' − Θ) over all workers n and all elements. Shape [runs] each.

        Here w_n is ρ times the consensus weight, ρ for plain ADMM; Θ and Θ' are the global models before and after the
        round, θ_n local ones. Source: Elgabli et al., equations (18) and (19).

        Arguments:
            before: the server's state before the round, its model Θ. Shape [1, d, runs].
            after: the server's state after it, its model Θ'. Shape [1, d, runs].
            client: the workers' states after it, of which θ_n is read. Shape [workers, d, runs].
            now: inputs of the round, of which the weights w are read. Shape [workers, d, runs].
        """
        primal = client.theta - after.model
        dual = now.prepared.weight * (after.model - before.model)
        return tf.norm(primal, axis=[0, 1]), tf.norm(dual, axis=[0, 1])


def _either(chosen: Any, one: Any, other: Any) -> Local:
    """Return one of two local updates, by a choice known beforehand, by a scalar tensor, or by worker."""
    if not tf.is_tensor(chosen):
        return one() if chosen else other()
    if not chosen.shape.rank:
        return tf.cond(chosen, one, other)

    def mixed() -> Local:
        return by_worker(chosen, one(), other())

    return tf.cond(tf.reduce_any(chosen), mixed, other)


@method("A-FADMM", **WEIGHTS)
class AnalogFADMM(FADMM):
    """A-FADMM: the channel's gains weigh the consensus, so that nothing needs to be inverted."""

    problems = (REGRESSION,)
    uplinks = ("analog",)


@method("D-FADMM", consensus=CONSENSUS, **WEIGHTS)
class DigitalFADMM(FADMM):
    """D-FADMM: FADMM over error-free orthogonal uploads, plain (3) to (5), or weighed by the channel (9) to (11)."""

    problems = (REGRESSION,)
    uplinks = ("digital",)

    def is_weighted(self, settings: Settings) -> bool:
        """Return True where ``algorithm.consensus`` weighs by the channel.

        Arguments:
            settings: the run's ``Settings``.
        """
        return settings.value("algorithm.consensus") == "channel_weighted"

    def idle(self, settings: Settings) -> dict[str, str]:
        """Return the reason for which the keys of consensus weights have no effect where there are none.

        Arguments:
            settings: of the run.
        """
        reason = 'plain consensus has no weights; algorithm.consensus = "channel_weighted" has'
        return {} if self.is_weighted(settings) else dict.fromkeys((EXPONENT, COMPENSATION), reason)


class Stochastic(FADMM):
    """Base of A-SFADMM and D-SFADMM: FADMM with trained local problems, by default 20 steps of Adam at rate 0.01."""

    problems = (CLASSIFICATION,)
    solves_exactly = False
    reads = (*FADMM.reads, *TRAINING, "local.steps", "local.minibatch")
    defaults: ClassVar[dict[str, Any]] = {"learning_rate": 1e-2, "optimizer": "adam", "steps": 20}

    def flips(self, settings: Settings) -> bool:
        """Return True if gains weigh the consensus and ``algorithm.on_channel_change`` is "dual_flip".

        After a change of channel a worker then keeps its model and solves for its dual.

        Arguments:
            settings: the run's ``Settings``.
        """
        return super().flips(settings) and settings.value("algorithm.on_channel_change") == "dual_flip"


@method("A-SFADMM", **WEIGHTS, on_channel_change=ON_CHANNEL_CHANGE)
class AnalogSFADMM(Stochastic, AnalogFADMM):
    """A-SFADMM: A-FADMM whose local problems are trained on mini-batches."""


@method("D-SFADMM", **WEIGHTS, on_channel_change=ON_CHANNEL_CHANGE)
class DigitalSFADMM(Stochastic, DigitalFADMM):
    """D-SFADMM: A-SFADMM over error-free orthogonal uploads, plain, or weighed by the channel."""
