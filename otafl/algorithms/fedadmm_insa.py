"""Y. Song, Z. Wang, E. Zuazua, "FedADMM-InSa: an inexact and self-adaptive ADMM for federated learning".

FedADMM is the vanilla one of Zhou and Li (algorithm 1). The workers of FedADMM-In train until a criterion is met
(algorithm 2), and those of FedADMM-InSa also adapt their penalties (algorithm 3).

The server averages over all workers, idle ones with their last upload. It therefore keeps the sum of β_i u_i − λ_i, and
workers upload the change of that; with FedADMM-InSa also the change of β_i. The sum has the β_i with which a worker
trained. In the authors' code it does so only in the round itself; from the next round on an idle worker counts with the
β_i that it has adapted meanwhile. Here it uploads that when it takes part again.
"""

import math
from typing import ClassVar, NamedTuple

from otafl.algorithms.federated import SINGLE, FederatedMethod
from otafl.algorithms.local_problem import Accuracy, Local, Options, Parameters, Round
from otafl.algorithms.method import method, positive
from otafl.numerics.tensors import GlobalModel, Models, PerRun, Totals, WorkerNumbers, tf
from otafl.settings.part_keys import key
from otafl.settings.types import AtLeastOne, Positive, Share

BELOW_BOUND = 0.999
"""σ_i as a share of the bound in (3.8)."""
MEMORY_WEIGHT = key(1.0, "FedADMM, -In, -InSa: weight of the new average against the old global model", takes=Share)
RESIDUAL_AT = key(
    "global",
    "FedADMM-In, -InSa: model of the reference residual, to a share of which local training brings the residual: the "
    "global model (remark 3.4), or the worker's last one",
    choices=("global", "local"),
)
STRONG_CONVEXITY = key(
    0.01, "FedADMM-In, -InSa: strong convexity c of local losses, which sets the share of the residual", takes=Positive
)
PENALTY_RATIO = key(5.0, "FedADMM-InSa: ratio μ of residuals beyond which a penalty is adapted", takes=AtLeastOne)
PENALTY_FACTOR = key(2.0, "FedADMM-InSa: factor τ by which a penalty is adapted", takes=AtLeastOne)


class Server(NamedTuple):
    """State of the server in FedADMM: global model z, and by the last uploads Σ(β_i u_i − λ_i) and Σβ_i."""

    model: GlobalModel
    total: GlobalModel
    penalties: WorkerNumbers


class Client(NamedTuple):
    """State of a worker in FedADMM: model u_i, dual λ_i, penalty β_i of its next round, and that in its last upload."""

    model: Models
    dual: Models
    penalty: WorkerNumbers
    sent_penalty: WorkerNumbers


@method("FedADMM", memory_weight=MEMORY_WEIGHT)
class FedADMM(FederatedMethod):
    """Vanilla FedADMM: a fixed number of epochs, and one constant penalty β for all workers (2.8).

    Symbols: local losses f_i, models u_i, duals λ_i (not divided by β_i), penalties β_i, global model z.
    """

    reads = (*FederatedMethod.reads, "algorithm.rho")
    limits = (positive("algorithm.rho"),)
    has_penalty = True

    def init(self, start: GlobalModel, options: Options, parameters: Parameters) -> tuple[Server, Client]:
        penalty = tf.reshape(parameters.rho, [1, 1, -1])
        server = Server(start, options.workers * penalty * start, options.workers * penalty)
        return server, Client(start, tf.zeros_like(start), penalty, penalty)

    def accuracy(self, server: Server, client: Client, now: Round) -> Accuracy | None:
        """Return the stopping rule of local training, by default none."""
        return None

    def adapted(self, before: Client, model: Models, server: Server, now: Round) -> WorkerNumbers:
        """Return the penalty β_i of each worker's next round, by default unchanged, after it has arrived at a model."""
        return before.penalty

    def local_update(self, server: Server, client: Client, now: Round) -> Local:
        """Return models trained on f_i(u) − ⟨λ_i, u − z⟩ + β_i/2·‖u − z‖² from z, and duals λ_i − β_i(u − z).

        If penalties never change, the server knows their sum, and no worker sends its own.
        """
        beta = client.penalty
        accuracy = self.accuracy(server, client, now)
        done = now.problem.solve(server.model, -client.dual, beta, server.model, accuracy)
        dual = client.dual - beta * (done.theta - server.model)
        before = client.sent_penalty * client.model - client.dual
        messages = (beta * done.theta - dual - before, beta - client.sent_penalty)
        after = Client(done.theta, dual, self.adapted(client, done.theta, server, now), beta)
        return Local(after, done, messages[: self.vectors + self.scalars])

    def global_update(self, server: Server, totals: Totals, now: Round) -> Server:
        """Return the server's new state; its model is Σ(β_i u_i − λ_i)/Σβ_i (2.12), mixed with the old one (3.1)."""
        total = server.total + totals[0]
        penalties = server.penalties + (totals[1] if len(totals) > 1 else 0)
        weight = now.parameters.memory_weight
        return Server(weight * total / penalties + (1 - weight) * server.model, total, penalties)

    def penalty(self, server: Server, now: Round) -> PerRun:
        return server.penalties[0, 0] / now.options.workers


@method("FedADMM-In", residual_at=RESIDUAL_AT, strong_convexity=STRONG_CONVEXITY)
class FedADMMIn(FedADMM):
    """FedADMM-In: local training ends at the first epoch whose residual meets the criterion (3.7)."""

    reads = tuple(read for read in FedADMM.reads if read != "local.steps")
    unread: ClassVar[dict[str, str]] = FedADMM.unread | {"local.steps": "it looks at its residual after every epoch"}

    def accuracy(self, server: Server, client: Client, now: Round) -> Accuracy:
        """Return the rule (3.7): the residual falls to the share σ_i = 0.999·√2/(√2 + √(β_i/c)), below (3.8)."""
        ratio = tf.sqrt(client.penalty / now.parameters.strong_convexity)
        share = BELOW_BOUND * math.sqrt(2) / (math.sqrt(2) + ratio)
        reference = server.model if now.options.residual_at == "global" else client.model
        return Accuracy(reference, share)


@method("FedADMM-InSa", penalty_ratio=PENALTY_RATIO, penalty_factor=PENALTY_FACTOR)
class FedADMMInSa(FedADMMIn):
    """FedADMM-InSa: the penalty balances the residuals β_i‖u_i' − u_i‖ and ‖u_i' − z‖ (3.15)."""

    uplinks = ("digital", "ideal")
    uplink_reason = SINGLE
    scalars = 1

    def adapted(self, before: Client, model: Models, server: Server, now: Round) -> WorkerNumbers:
        """Return β_i·τ where ‖u_i' − z‖ is more than μ times β_i‖u_i' − u_i‖, β_i/τ where it is less than a μ-th."""
        primal = before.penalty * tf.norm(model - before.model, axis=1, keepdims=True)
        dual = tf.norm(model - server.model, axis=1, keepdims=True)
        ratio, factor = now.parameters.penalty_ratio, now.parameters.penalty_factor
        smaller = tf.where(ratio * dual < primal, before.penalty / factor, before.penalty)
        return tf.where(ratio * primal < dual, before.penalty * factor, smaller)
