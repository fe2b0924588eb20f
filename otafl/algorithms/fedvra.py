"""S. Wang, Y. Xu, Z. Wang, T.-H. Chang, T. Q. S. Quek, D. Sun, "Beyond ADMM: a unified client-variance-reduced adaptive
federated learning framework", algorithm 1: FedVRA.

All workers have one penalty γ, so that β = 1/γ. With Δ_i = x_i − x_0, steps 19 and 20 are λ ← λ − γΣω_i a_i Δ_i and x_0
← x_0 + Σω_i d_i Δ_i − λ/γ. In this form λ/γ is carried, and γ = 0 makes sense.
"""

from typing import Literal, NamedTuple

import numpy as np

from otafl.algorithms.federated import COUNTED_ONCE, FederatedMethod, equal_probabilities
from otafl.algorithms.local_problem import Local, Options, Parameters, Round
from otafl.algorithms.method import Limit, method
from otafl.numerics.tensors import GlobalModel, Models, Totals, tf
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
    """State of the server in FedVRA: global model x_0, and mean dual over its penalty, λ/γ."""

    model: GlobalModel
    dual: GlobalModel


class Client(NamedTuple):
    """State of a worker in FedVRA: its dual over its penalty, λ_i/γ."""

    dual: Models


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
    """FedVRA: client-variance-reduced adaptive method; a is ``dual_step``, d ``aggregation_step``, γ ``rho``."""

    reads = (*FederatedMethod.reads, "federation.weights", "algorithm.rho")
    limits = (PENALISED, STEP_GIVEN, COUNTED_ONCE)
    further_sums = 1
    weighted = True

    def remark(self, settings: Settings, steps: np.ndarray) -> str:
        """Return a remark on steps beyond (a + d)·ηγQ̃ ≤ 1 of remark 1, with Q̃ = Σ_t (1 − ηγ)^t over local steps t."""
        values = self.parameters(settings, 1)
        shrinks = 1 - values["learning_rate"] * values["rho"]
        value = (values["dual_step"] + values["aggregation_step"]) * (1 - shrinks ** steps.max())
        if abs(shrinks) <= 1 and value <= 1:
            return ""
        return f"algorithm.aggregation_step: (a + d)·ηγQ̃ = {value:.3g} with {settings.method}, whose paper advises 1"

    def init(self, start: GlobalModel, options: Options, parameters: Parameters) -> tuple[Server, Client]:
        return Server(start, tf.zeros_like(start)), Client(tf.zeros_like(start))

    def local_update(self, server: Server, client: Client, now: Round) -> Local:
        """Return models trained on f_i(x) − ⟨λ_i, x⟩ + γ/2·‖x − x_0‖² from x_0 (8), and duals λ_i + aγ(x_0 − x_i) (9).

        States hold λ_i/γ. The messages are multiples of one vector, so that a worker uploads one.
        """
        gamma = now.parameters.rho[None, None]
        done = now.problem.solve(server.model, -gamma * client.dual, gamma, server.model)
        update = done.theta - server.model
        step = now.parameters.dual_step * update
        sums = (now.weight * now.parameters.aggregation_step * update, now.weight * step)
        return Local(Client(client.dual - step), done, sums)

    def global_update(self, server: Server, totals: Totals, now: Round) -> Server:
        """Return the dual λ/γ − Σω_i a_i Δ_i, and with it the model x_0 + Σω_i d_i Δ_i − λ/γ (10)."""
        dual = server.dual - totals[1]
        return Server(server.model + totals[0] - dual, dual)
