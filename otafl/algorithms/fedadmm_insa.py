"""Y. Song, Z. Wang, E. Zuazua, "FedADMM-InSa: an inexact and self-adaptive ADMM for federated learning".

FedADMM is the vanilla one of Zhou and Li (algorithm 1). The workers of FedADMM-In train until a criterion is met
(algorithm 2), and those of FedADMM-InSa also adapt their penalties (algorithm 3).

The server averages over all workers, idle ones with their last upload. It therefore keeps the sum of β_i u_i − λ_i, and
workers upload the change of that; with FedADMM-InSa also the change of β_i. The sum has the β_i with which a worker
trained. In the authors' code it does so only in the round itself; from the next round on an idle worker counts with the
β_i that it has adapted meanwhile. Here it uploads that when it takes part again.
"""

import math
from typing import Any, ClassVar, NamedTuple

from otafl.algorithms.federated import SINGLE, FederatedMethod
from otafl.algorithms.local_problem import Accuracy, Local, Round
from otafl.algorithms.method import method, positive
from otafl.numerics.tensors import Tensor, tf
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
    """State of the server in FedADMM: global model, and sums over workers of models u_i, duals λ_i and penalties β_i.

    Arguments:
        model: the global model z of d elements. Shape [1, d, runs].
        total: Σ(β_i u_i − λ_i) over all workers, by their last uploads. Shape [1, d, runs].
        penalties: Σβ_i over all workers, by their last uploads. Shape [1, 1, runs].
    """

    model: Tensor
    total: Tensor
    penalties: Tensor


class Client(NamedTuple):
    """State of a worker in FedADMM; d is the number of elements of a model.

    Arguments:
        model: the worker's model u_i. Shape [participants, d, runs].
        dual: its dual λ_i. Shape [participants, d, runs].
        penalty: penalty β_i of its next round. Shape [participants, 1, runs].
        sent_penalty: penalty in its last upload. Shape [participants, 1, runs].
    """

    model: Tensor
    dual: Tensor
    penalty: Tensor
    sent_penalty: Tensor


@method("FedADMM", memory_weight=MEMORY_WEIGHT)
class FedADMM(FederatedMethod):
    """Vanilla FedADMM: a fixed number of epochs, and one constant penalty β for all workers (2.8)."""

    reads = (*FederatedMethod.reads, "algorithm.rho")
    limits = (positive("algorithm.rho"),)
    has_penalty = True

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Server, Client]:
        """Return all models at the initial one, duals at zero, and equal penalties.

        Arguments:
            start: initial model of d elements. Shape [1, d, runs].
            options: values that shape the program, of which the number ``workers`` is read.
            parameters: the method's parameters, of which the penalty ``rho`` is read. Shape [runs].

        Returns:
            A ``Server``, model and sum [1, d, runs] and sum of penalties [1, 1, runs]; and a ``Client`` that every
            worker begins with, model and dual [1, d, runs], penalty and sent penalty [1, 1, runs].
        """
        penalty = tf.reshape(parameters.rho, [1, 1, -1])
        server = Server(start, options.workers * penalty * start, options.workers * penalty)
        return server, Client(start, tf.zeros_like(start), penalty, penalty)

    def accuracy(self, server: Server, client: Client, now: Round) -> Accuracy | None:
        """Return the stopping rule of local training; None, as by default: training goes on to its last epoch.

        The rule holds a reference model, [participants or 1, d, runs] for d elements, and the share of the residual
        there to which training goes on, [participants, 1, runs].

        Arguments:
            server: the server's state as workers have received it, with the global model. Shape [participants or 1, d,
                runs].
            client: the participants' states, models and duals, [participants, d, runs], and penalties, [participants,
                1, runs].
            now: inputs of the round, of which the method's parameters and options are read; unused by default.
        """
        return None

    def adapted(self, before: Client, model: Tensor, server: Server, now: Round) -> Tensor:
        """Return the penalty β_i of each worker's next round, by default unchanged. Shape [participants, 1, runs].

        Arguments:
            before: the participants' states before the round: models and duals, [participants, d, runs], for d elements
                of a model, and penalties, [participants, 1, runs].
            model: their new models. Shape [participants, d, runs].
            server: the server's state as workers have received it, with the global model; unused by default. Shape
                [participants or 1, d, runs].
            now: inputs of the round, of which the method's parameters are read; unused by default.
        """
        return before.penalty

    def local_update(self, server: Server, client: Client, now: Round) -> Local:
        """Return models trained on f_i(u) − ⟨λ_i, u − z⟩ + β_i/2·‖u − z‖² from z, and duals λ_i − β_i(u − z).

        Symbols: local loss f_i, model u, dual λ_i (not divided by β_i), penalty β_i, and the global model z as
        received; ‖·‖ is the 2-norm over elements. Source: Song et al., algorithms 1 to 3. If penalties never change,
        the server knows their sum, and no worker sends its own.

        Arguments:
            server: the server's state as workers have received it, of which z is read. Shape [participants or 1, d,
                runs], for d elements of a model.
            client: the participants' states: u_i and λ_i, [participants, d, runs], and penalties,
                [participants, 1, runs].
            now: inputs of the round, of which local problems and the method's parameters and options are read.

        Returns:
            A ``Local`` with new states (u_i, λ_i, β_i of the next and of this round) and trained models u_i,
            [participants, d, runs]; mean losses over the local steps and epochs, [participants, runs] each; and as
            messages the change of β_i u_i − λ_i since the last upload, [participants, d, runs], and with FedADMM-InSa
            that of β_i, [participants, 1, runs].
        """
        beta = client.penalty
        accuracy = self.accuracy(server, client, now)
        done = now.problem.solve(server.model, -client.dual, beta, server.model, accuracy)
        dual = client.dual - beta * (done.theta - server.model)
        before = client.sent_penalty * client.model - client.dual
        messages = (beta * done.theta - dual - before, beta - client.sent_penalty)
        after = Client(done.theta, dual, self.adapted(client, done.theta, server, now), beta)
        return Local(after, done, messages[: self.vectors + self.scalars])

    def global_update(self, server: Server, totals: tuple[Tensor, ...], now: Round) -> Server:
        """Return the server's new state; its model is Σ(β_i u_i − λ_i)/Σβ_i (2.12), mixed with the old one (3.1).

        Symbols: local models u_i of d elements, duals λ_i, penalties β_i.

        Arguments:
            server: the server's state: model z, sum of β_i u_i − λ_i, [1, d, runs] each, and sum of penalties β_i,
                [1, 1, runs].
            totals: received sums of the changes of β_i u_i − λ_i, [1, d, runs], and, where workers send it, of β_i,
                [1, 1, runs].
            now: inputs of the round, of which ``memory_weight``, the share of the new model in the mixture, is read.

        Returns:
            A ``Server`` with new model and sum, [1, d, runs], and new sum of penalties, [1, 1, runs].
        """
        total = server.total + totals[0]
        penalties = server.penalties + (totals[1] if len(totals) > 1 else 0)
        weight = now.parameters.memory_weight
        return Server(weight * total / penalties + (1 - weight) * server.model, total, penalties)

    def penalty(self, server: Server, now: Round) -> Tensor:
        """Return the mean of penalties β_i in the workers' last uploads. Shape [runs].

        Arguments:
            server: the server's state, of which Σβ_i is read. Shape [1, 1, runs].
            now: inputs of the round, of which the number of workers is read.
        """
        return server.penalties[0, 0] / now.options.workers


@method("FedADMM-In", residual_at=RESIDUAL_AT, strong_convexity=STRONG_CONVEXITY)
class FedADMMIn(FedADMM):
    """FedADMM-In: local training ends at the first epoch whose residual meets the criterion (3.7)."""

    reads = tuple(read for read in FedADMM.reads if read != "local.steps")
    unread: ClassVar[dict[str, str]] = FedADMM.unread | {"local.steps": "it looks at its residual after every epoch"}

    def accuracy(self, server: Server, client: Client, now: Round) -> Accuracy:
        """Return the stopping rule (3.7), of the residual at z (remark 3.4) or u_i.

        The residual may fall to the share σ_i = 0.999·√2/(√2 + √(β_i/c)), below the bound (3.8), with penalty β_i and
        strong convexity c.

        Arguments:
            server: the server's state as workers have received it, with the global model z. Shape [participants or 1,
                d, runs], for d elements of a model.
            client: the participants' states, with models u_i, [participants, d, runs], and penalties,
                [participants, 1, runs].
            now: inputs of the round, of which ``strong_convexity`` c, [runs], and ``residual_at``, "global" for z or
                "local" for u_i, are read.

        Returns:
            An ``Accuracy`` with reference model, [participants or 1, d, runs], and share, [participants, 1, runs].
        """
        ratio = tf.sqrt(client.penalty / now.parameters.strong_convexity)
        share = BELOW_BOUND * math.sqrt(2) / (math.sqrt(2) + ratio)
        reference = server.model if now.options.residual_at == "global" else client.model
        return Accuracy(reference, share)


@method("FedADMM-InSa", penalty_ratio=PENALTY_RATIO, penalty_factor=PENALTY_FACTOR)
class FedADMMInSa(FedADMMIn):
    """FedADMM-InSa: the penalty balances the residuals β_i‖u_i' − u_i‖ and ‖u_i' − z‖ (3.15).

    Symbols: penalty β_i, models u_i before and u_i' after the round, global model z; ‖·‖ is the 2-norm over elements.
    """

    uplinks = ("digital", "ideal")
    uplink_reason = SINGLE
    scalars = 1

    def adapted(self, before: Client, model: Tensor, server: Server, now: Round) -> Tensor:
        """Return β_i·τ where ‖u_i' − z‖ is more than μ times β_i‖u_i' − u_i‖, β_i/τ where it is less than a μ-th.

        Shape [participants, 1, runs]. Symbols: penalty β_i, ``penalty_factor`` τ, ``penalty_ratio`` μ, global model z;
        ‖·‖ is the 2-norm over elements.

        Arguments:
            before: the participants' states before the round, of which β_i, [participants, 1, runs], and the model u_i,
                [participants, d, runs], are read.
            model: their new models u_i'. Shape [participants, d, runs], for d elements of a model.
            server: the server's state as workers have received it, with z. Shape [participants or 1, d, runs].
            now: inputs of the round, of which the numbers μ and τ are read.
        """
        primal = before.penalty * tf.norm(model - before.model, axis=1, keepdims=True)
        dual = tf.norm(model - server.model, axis=1, keepdims=True)
        ratio, factor = now.parameters.penalty_ratio, now.parameters.penalty_factor
        smaller = tf.where(ratio * dual < primal, before.penalty / factor, before.penalty)
        return tf.where(ratio * primal < dual, before.penalty * factor, smaller)
