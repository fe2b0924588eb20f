"""J. Wang, Q. Liu, H. Liang, G. Joshi, H. V. Poor, "Tackling the objective inconsistency problem in heterogeneous
federated optimization": FedNova, in the form of Wang et al. (FedVRA), equation (22).
"""

from otafl.algorithms.fedavg import FedAvg
from otafl.algorithms.federated import SINGLE, plain
from otafl.algorithms.local_problem import Local, Model, Nothing, Round
from otafl.algorithms.method import method
from otafl.numerics.tensors import Totals


@method("FedNova")
class FedNova(FedAvg):
    """FedNova: updates are divided by numbers of local steps Q_i and multiplied by the mean of these."""

    limits = (*FedAvg.limits, plain("it divides by the number of plain steps"))
    uplinks = ("digital", "ideal")
    uplink_reason = SINGLE
    by_signs = False
    scalars = 1

    def local_update(self, server: Model, client: Nothing, now: Round) -> Local:
        """Return models w_i trained from the global one θ; upload ω_i(w_i − θ)/Q_i and ω_i Q_i for Q_i local steps."""
        done = now.problem.solve(server.model)
        per_step = now.weight * (done.theta - server.model) / now.steps
        return Local(client, done, (per_step, now.weight * now.steps))

    def global_update(self, server: Model, totals: Totals, now: Round) -> Model:
        per_step, steps = (total / now.total_weight for total in totals)
        return Model(server.model + now.parameters.server_step * steps * per_step)
