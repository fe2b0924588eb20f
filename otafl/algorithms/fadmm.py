"""A. Elgabli, J. Park, C. Ben Issaid, M. Bennis, "Harnessing wireless channels for scalable and privacy-preserving
federated learning": A-FADMM and D-FADMM, and A-SFADMM and D-SFADMM where local problems are trained on mini-batches.

The paper's dual λ is complex, but μ = conj(λ)·h is real throughout, and so is all that is computed here. A worker
contributes h·(conj(h)θ + conj(λ)/ρ) = |h|²θ + μ/ρ to the sum at the server.

D-FADMM is the same recursion over an error-free uplink: with unit gains in place of the channel's (plain ADMM,
equations (3) to (5)) or with the channel's own (``consensus = "channel_weighted"``, equations (9) to (11)).

In the paper all workers take part. Where only some do, the others keep θ_n and μ_n, and the server divides by Σ|h_n|²
over the participants. A worker starts from the global model of the round in which it takes part again.
"""

from typing import Any, ClassVar, NamedTuple

from otafl.algorithms.method import CLASSIFICATION, PARTICIPATION, REGRESSION, TRAINING, Method, method, positive
from otafl.algorithms.protocol import Local, Minimiser, Model, Problem, Round
from otafl.arrays import Tensor, by_worker, tf
from otafl.settings.keys import Settings
from otafl.settings.part_keys import key

CONSENSUS = key(
    "plain", "D-(S)FADMM: plain ADMM (3)-(5), or weighted by |h|² as in (9)-(11)", choices=("plain", "channel_weighted")
)
ON_CHANNEL_CHANGE = key(
    "dual_flip",
    "A-SFADMM, D-SFADMM: workers' part after a change of channel. dual_flip keeps models and solves for duals "
    "(algorithm 1), which is stable in long runs at low SNR; train continues to train, and is ahead in the first "
    "rounds. A-FADMM always flips",
    choices=("dual_flip", "train"),
)


class Client(NamedTuple):
    """State of a worker.

    Arguments:
        theta: local model θ_n. Shape [workers, d, runs].
        mu: dual μ_n = conj(λ_n)·h_n. Shape [workers, d, runs].
    """

    theta: Tensor
    mu: Tensor


class Prepared(NamedTuple):
    """Consensus weights and prepared local problems of one coherence block.

    Arguments:
        weight: the consensus weights ρ|h|². Shape [workers, d, runs].
        penalised: result of ``Problem.penalise`` for these weights.
    """

    weight: Tensor
    penalised: Any


class FADMM(Method):
    """Algorithm 1 of the paper, for unit gains or the channel's."""

    reads = ("algorithm.rho", "algorithm.start", *PARTICIPATION)
    limits = (positive("algorithm.rho"),)
    solves_exactly = True
    truncates = False
    has_residuals = True
    noise_precision = "float64"

    def flips(self, settings: Settings) -> bool:
        """Return True where gains enter the arithmetic: after a change a worker then solves for its dual (II-C)."""
        return self.weighs_by_gain(settings)

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Model, Client]:
        """Return all models at the initial one and all duals at zero."""
        return Model(start), Client(start, tf.zeros_like(start))

    def prepare(self, problem: Problem, gain: Tensor, parameters: Any) -> Prepared:
        """Return the weights ρ|h|² and factors of a coherence block; unit gains make it plain ADMM."""
        weight = parameters.rho * gain
        return Prepared(weight, problem.penalise(weight))

    def local_update(self, server: Model, client: Client, now: Round) -> Local:
        """Return θ from the local update (31), or after a change of channel keep θ and solve (31) for μ (II-C)."""
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
        """Return |h|²θ + μ/ρ."""
        return (now.gain * local.client.theta + local.client.mu * (1 / now.parameters.rho),)

    def global_update(self, server: Model, totals: tuple[Tensor, ...], now: Round) -> Model:
        """Return Θ = Σ(|h|²θ + μ/ρ)/Σ|h|² (13); the server knows Σ_n|h_n|² from pilots."""
        return Model(totals[0] / tf.reduce_sum(now.gain, axis=0))

    def receive(self, local: Local, messages: tuple[Tensor, ...], heard: Tensor, now: Round) -> Client:
        """Return the dual update μ + ρ|h|²(θ − Θ) (32), which is ρ times the worker's contribution less ρ|h|²Θ.

        With an analog downlink this is (14) and (15), the latter in the form that keeps μ real.
        """
        return Client(local.client.theta, now.parameters.rho * (messages[0] - now.gain * heard))

    def local_models(self, server: Model, client: Client) -> Tensor:
        """Return the workers' own models θ_n."""
        return client.theta

    def residuals(self, before: Model, after: Model, client: Client, now: Round) -> tuple[Tensor, Tensor]:
        """Return norms over workers and elements of θ_n − Θ and w_n(Θ' − Θ), w being ρ|h|², or ρ for plain ADMM.

        Shape [runs] each. Source: Elgabli et al., equations (18) and (19).
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


@method("A-FADMM")
class AnalogFADMM(FADMM):
    """A-FADMM: the channel's gains weigh the consensus, so that nothing needs to be inverted."""

    problems = (REGRESSION,)
    uplinks = ("analog",)

    def weighs_by_gain(self, settings: Settings) -> bool:
        """Return True."""
        return True


@method("D-FADMM", consensus=CONSENSUS)
class DigitalFADMM(FADMM):
    """D-FADMM: FADMM over error-free orthogonal uploads, plain (3) to (5), or weighed by the channel (9) to (11)."""

    problems = (REGRESSION,)
    uplinks = ("digital",)

    def weighs_by_gain(self, settings: Settings) -> bool:
        """Return True where ``algorithm.consensus`` weighs by the channel."""
        return settings.value("algorithm.consensus") == "channel_weighted"


class Stochastic(FADMM):
    """FADMM whose local problems are trained for some steps, by default 20 of Adam at rate 0.01."""

    problems = (CLASSIFICATION,)
    solves_exactly = False
    reads = (*FADMM.reads, *TRAINING, "local.steps", "local.minibatch")
    defaults: ClassVar[dict[str, Any]] = {"learning_rate": 1e-2, "optimizer": "adam", "steps": 20}

    def flips(self, settings: Settings) -> bool:
        """Return True where gains enter the arithmetic and ``algorithm.on_channel_change`` asks for the dual flip."""
        return self.weighs_by_gain(settings) and settings.value("algorithm.on_channel_change") == "dual_flip"


@method("A-SFADMM", on_channel_change=ON_CHANNEL_CHANGE)
class AnalogSFADMM(Stochastic, AnalogFADMM):
    """A-SFADMM: A-FADMM whose local problems are trained on mini-batches."""


@method("D-SFADMM", on_channel_change=ON_CHANNEL_CHANGE)
class DigitalSFADMM(Stochastic, DigitalFADMM):
    """D-SFADMM: A-SFADMM over error-free orthogonal uploads, plain, or weighed by the channel."""
