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

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from otafl.algorithms.local_problem import Local, Minimiser, Model, Options, Parameters, Problem, Round
from otafl.algorithms.method import CLASSIFICATION, PARTICIPATION, REGRESSION, TRAINING, Method, method, positive
from otafl.channels.array_types import MeanGains, PowerGains
from otafl.numerics.tensors import GlobalModel, Messages, Models, ModelsOrOne, PerRun, Tensor, Totals, by_worker, tf
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
    "A-SFADMM, weighted D-SFADMM: workers' part after a change of channel. dual_flip keeps models and solves for duals "
    "(algorithm 1), which is stable in long runs at low SNR; train continues to train, and is ahead in the first "
    "rounds. A-FADMM always flips",
    choices=("dual_flip", "train"),
)


EXPONENT, COMPENSATION = "algorithm.weight_exponent", "algorithm.path_loss_compensation"
CHANGE = "algorithm.on_channel_change"


def compensated(mean: np.ndarray | float, compensation: float) -> np.ndarray:
    """Return the factors β^(-κ) of consensus weights for mean gains β, 0 where β is 0. Shape of mean."""
    mean = np.asarray(mean, float)
    return np.divide(1.0, mean**compensation, out=np.zeros_like(mean), where=mean > 0)


class Client(NamedTuple):
    """State of a worker in federated ADMM: model θ_n, and real dual μ_n = conj(λ_n)·h_n of the complex dual λ_n."""

    theta: Models
    mu: Models


class Prepared(NamedTuple):
    """Consensus weights times the penalty, ρw, of one coherence block, and ``Problem.penalise`` of these."""

    weight: Models
    penalised: Any


class FADMM(Method):
    """Base of A-FADMM and D-FADMM, federated ADMM of Elgabli et al., algorithm 1, for unit gains or the channel's."""

    reads = ("algorithm.rho", "algorithm.start", *PARTICIPATION)
    limits = (positive("algorithm.rho"),)
    solves_exactly = True
    truncates = False
    has_residuals = True
    noise_precision = "float64"

    def is_weighted(self, settings: Settings) -> bool:
        """Return True where workers have consensus weights, as in (9) to (11); otherwise all weights are 1."""
        return True

    def weighs_by_gain(self, settings: Settings) -> bool:
        return self.is_weighted(settings) and settings.value(EXPONENT) > 0

    def consensus_weight(self, settings: Settings, gain: PowerGains, mean: MeanGains | float) -> PowerGains:
        """Return the consensus weights w = |ĥ|^p·β^(-κ), |ĥ|² by default; 0 where the mean gain is 0."""
        exponent, compensation = settings.value(EXPONENT), settings.value(COMPENSATION)
        weight = gain if exponent == 2 else gain ** (exponent / 2)
        return weight if not compensation else (weight * compensated(mean, compensation)).astype(gain.dtype)

    def uses_mean_gain(self, settings: Settings) -> bool:
        return self.is_weighted(settings) and settings.value(COMPENSATION) > 0

    def flips(self, settings: Settings) -> bool:
        """Return True where weights fade: after a change of channel a worker then solves for its dual (II-C)."""
        return self.weighs_by_gain(settings)

    def init(self, start: GlobalModel, options: Options, parameters: Parameters) -> tuple[Model, Client]:
        return Model(start), Client(start, tf.zeros_like(start))

    def prepare(self, problem: Problem, gain: Models, parameters: Parameters) -> Prepared:
        weight = parameters.rho * gain
        return Prepared(weight, problem.penalise(weight))

    def local_update(self, server: Model, client: Client, now: Round) -> Local:
        """Return the local models θ after a local update, or after a change of channel new duals μ for the old models.

        The update minimises f_n(θ) + ⟨μ_n, θ⟩ + ρ/2 Σ_i |h_{n,i}|²(θ_i − Θ_i)², from the worker's last model on.
        Source: equation (31) and section II-C.
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

    def upload(self, local: Local, now: Round) -> Messages:
        """Return wθ + μ/ρ."""
        return (now.gain * local.client.theta + local.client.mu * (1 / now.parameters.rho),)

    def global_update(self, server: Model, totals: Totals, now: Round) -> Model:
        """Return the global model Θ = Σ(wθ + μ/ρ)/Σw (13); the server knows Σ_n w_n from pilots."""
        return Model(totals[0] / tf.reduce_sum(now.gain, axis=0))

    def receive(self, local: Local, messages: Messages, heard: ModelsOrOne, now: Round) -> Client:
        """Return the workers' states after the dual update μ + ρw(θ − Θ), (32), or (14) and (15) in a real form."""
        return Client(local.client.theta, now.parameters.rho * (messages[0] - now.gain * heard))

    def local_models(self, server: Model, client: Client) -> Models:
        return client.theta

    def residuals(self, before: Model, after: Model, client: Client, now: Round) -> tuple[PerRun, PerRun]:
        """Return the 2-norms of θ_n − Θ' and of ρw_n(Θ' − Θ) over all workers and elements, (18) and (19)."""
        primal = client.theta - after.model
        dual = now.prepared.weight * (after.model - before.model)
        return tf.norm(primal, axis=[0, 1]), tf.norm(dual, axis=[0, 1])


def _either(changed: Tensor, new: Callable[[], Local], old: Callable[[], Local]) -> Local:
    """Return one of two local updates, by a choice known beforehand, by a scalar tensor, or by worker."""
    if not tf.is_tensor(changed):
        return new() if changed else old()
    if not changed.shape.rank:
        return tf.cond(changed, new, old)
    return tf.cond(tf.reduce_any(changed), lambda: by_worker(changed, new(), old()), old)


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
        return settings.value("algorithm.consensus") == "channel_weighted"

    def idle(self, settings: Settings) -> dict[str, str]:
        reason = 'plain consensus has no weights; algorithm.consensus = "channel_weighted" has'
        return {} if self.is_weighted(settings) else dict.fromkeys((EXPONENT, COMPENSATION), reason)


class Stochastic(FADMM):
    """Base of A-SFADMM and D-SFADMM: FADMM with trained local problems, by default 20 steps of Adam at rate 0.01."""

    problems = (CLASSIFICATION,)
    solves_exactly = False
    reads = (*FADMM.reads, *TRAINING, "local.steps", "local.minibatch")
    defaults: ClassVar[dict[str, float | int | str]] = {"learning_rate": 1e-2, "optimizer": "adam", "steps": 20}

    def idle(self, settings: Settings) -> dict[str, str]:
        idle = super().idle(settings)
        if not self.weighs_by_gain(settings):
            idle = {CHANGE: "its weights do not follow the channel"} | idle
        return idle

    def flips(self, settings: Settings) -> bool:
        return super().flips(settings) and settings.value(CHANGE) == "dual_flip"


@method("A-SFADMM", **WEIGHTS, on_channel_change=ON_CHANNEL_CHANGE)
class AnalogSFADMM(Stochastic, AnalogFADMM):
    """A-SFADMM: A-FADMM whose local problems are trained on mini-batches."""


@method("D-SFADMM", **WEIGHTS, on_channel_change=ON_CHANNEL_CHANGE)
class DigitalSFADMM(Stochastic, DigitalFADMM):
    """D-SFADMM: A-SFADMM over error-free orthogonal uploads, plain, or weighed by the channel."""
