"""S. Wang, Y. Xu, Z. Wang, T.-H. Chang, T. Q. S. Quek, D. Sun, "Beyond ADMM: a unified client-variance-reduced adaptive
federated learning framework", algorithm 1: FedVRA.

All workers have one penalty γ, so that β = 1/γ. With Δ_i = x_i − x_0, steps 19 and 20 are λ ← λ − γΣω_i a_i Δ_i and x_0
← x_0 + Σω_i d_i Δ_i − λ/γ. In this form λ/γ is carried, and γ = 0 makes sense.
"""

from typing import Any, Literal, NamedTuple

from otafl.algorithms.federated import COUNTED_ONCE, FederatedMethod, equal_probabilities
from otafl.algorithms.local_problem import Local, Round
from otafl.algorithms.method import Limit, method
from otafl.numerics.tensors import Tensor, tf
from otafl.settings.keys import Settings
from otafl.settings.part_keys import key
from otafl.settings.types import NotNegative, Positive

DUAL_STEP = key(1.0, "FedVRA, FedVRA-U: step a of the dual", symbol="$a$", label="dual step", takes=NotNegative)
AGGREGATION_STEP = key(
    "inverse_probability",
    "FedVRA, FedVRA-U: step d of the aggregation; by default 1 over the probability with which a worker takes part",
    symbol="$d$",
    label="aggregation step",
    takes=Positive | Literal["inverse_probability"],
)


class Server(NamedTuple):
    """State of the server in FedVRA; d is the number of elements of a model.

    Arguments:
        model: the global model x_0. Shape [1, d, runs].
        dual: the mean dual over its penalty, λ/γ. Shape [1, d, runs].
    """

    model: Tensor
    dual: Tensor


class Client(NamedTuple):
    """State of a worker i in FedVRA; d is the number of elements of a model.

    Arguments:
        dual: the worker's dual over its penalty, λ_i/γ. Shape [participants, d, runs].
    """

    dual: Tensor


PENALISED = Limit(
    "algorithm.rho",
    lambda settings: settings.algorithm.rho > 0 or settings.value("algorithm.dual_step") == 0,
    "must be greater than 0 with {method}",
)
STEP = "algorithm.aggregation_step"
STEP_GIVEN = Limit(
    STEP,
    lambda settings: settings.value(STEP) != "inverse_probability" or equal_probabilities(settings),
    "must be a number where workers take part with unequal probabilities",
)


@method("FedVRA", dual_step=DUAL_STEP, aggregation_step=AGGREGATION_STEP)
class FedVRA(FederatedMethod):
    """FedVRA: client-variance-reduced adaptive method; a is ``dual_step``, d ``aggregation_step``, γ ``rho``.

    Symbols: local losses f_i, models x_i and duals λ_i, global model x_0, mean dual λ, and workers' weights ω_i in the
    objective.
    """

    reads = (*FederatedMethod.reads, "federation.weights", "algorithm.rho")
    limits = (PENALISED, STEP_GIVEN, COUNTED_ONCE)
    further_sums = 1
    weighted = True

    def remark(self, settings: Settings, steps: Tensor) -> str:
        """Return a remark on steps beyond those of the paper's remark 1, (a + d)·ηγQ̃ ≤ 1; empty where they keep to it.

        Symbols: dual step a, aggregation step d, learning rate η, penalty γ, and Q̃ = Σ_t (1 − ηγ)^t over Q local steps
        t.

        Arguments:
            settings: the run's ``Settings``.
            steps: most local steps of each worker in a round. Shape [workers].
        """
        values = self.parameters(settings, 1)
        shrinks = 1 - values["learning_rate"] * values["rho"]
        value = (values["dual_step"] + values["aggregation_step"]) * (1 - shrinks ** steps.max())
        if abs(shrinks) <= 1 and value <= 1:
            return ""
        return f"algorithm.aggregation_step: (a + d)·ηγQ̃ = {value:.3g} with {settings.method}, whose paper advises 1"

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Server, Client]:
        """Return the initial model, and duals at zero.

        Arguments:
            start: initial model of d elements. Shape [1, d, runs].
            options: unused.
            parameters: unused.

        Returns:
            A ``Server``, model x_0 and mean dual λ/γ, and a ``Client``, its dual λ_i/γ, that every worker begins with.
            Shape [1, d, runs] each.
        """
        return Server(start, tf.zeros_like(start)), Client(tf.zeros_like(start))

    def local_update(self, server: Server, client: Client, now: Round) -> Local:
        """Return models trained on f_i(x) − ⟨λ_i, x⟩ + γ/2·‖x − x_0‖² from x_0 (8), and duals λ_i + aγ(x_0 − x_i) (9).

        Symbols: local loss f_i, dual λ_i, penalty γ (``rho``), dual step a, and the global model x_0 as received; ‖·‖
        is the 2-norm. States hold λ_i/γ. The messages are multiples of one vector, so that a worker uploads one.

        Arguments:
            server: the server's state as workers have received it, of which x_0 is read. Shape [participants or 1, d,
                runs], for d elements of a model.
            client: the participants' duals over penalty, λ_i/γ. Shape [participants, d, runs].
            now: inputs of the round, of which local problems, ``weight`` ω_i, ``rho``, ``dual_step`` and
                ``aggregation_step`` are read.

        Returns:
            A ``Local`` with new duals λ_i/γ and trained models x_i, [participants, d, runs] each; mean losses over the
            local steps and epochs, [participants, runs] each; and two messages, ω_i d(x_i − x_0) and ω_i a(x_i − x_0),
            [participants, d, runs] each, with the aggregation step d.
        """
        gamma = now.parameters.rho[None, None]
        done = now.problem.solve(server.model, -gamma * client.dual, gamma, server.model)
        update = done.theta - server.model
        step = now.parameters.dual_step * update
        sums = (now.weight * now.parameters.aggregation_step * update, now.weight * step)
        return Local(Client(client.dual - step), done, sums)

    def global_update(self, server: Server, totals: tuple[Tensor, ...], now: Round) -> Server:
        """Return the server's new state: dual λ/γ − Σω_i a_i Δ_i, and then model x_0 + Σω_i d_i Δ_i − λ/γ (10).

        Both have shape [1, d, runs]. Symbols: mean dual λ, penalty γ, weights ω_i in the objective, dual steps a_i,
        aggregation steps d_i, and Δ_i = x_i − x_0.

        Arguments:
            server: the server's state: global model x_0 and λ/γ. Shape [1, d, runs] each, for d elements of a model.
            totals: received sums Σω_i d_i Δ_i and Σω_i a_i Δ_i over participants. Shape [1, d, runs] each.
            now: unused.
        """
        dual = server.dual - totals[1]
        return Server(server.model + totals[0] - dual, dual)
