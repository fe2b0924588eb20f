"""T. Li, A. K. Sahu, M. Zaheer, M. Sanjabi, A. Talwalkar, V. Smith, "Federated optimization in heterogeneous networks":
FedProx, which is FedAvg with ρ/2·‖w − θ‖² added to local losses.
"""

from otafl.algorithms.fedavg import FedAvg
from otafl.algorithms.local_problem import Local, Model, Nothing, Round
from otafl.algorithms.method import method


@method("FedProx")
class FedProx(FedAvg):
    """FedProx: FedAvg with a proximal term; with ρ = 0 it is FedAvg."""

    reads = (*FedAvg.reads, "algorithm.rho")
    scheduled = ("algorithm.rho", "algorithm.server_step")

    def local_update(self, server: Model, client: Nothing, now: Round) -> Local:
        """Return models trained on f_i(w) + ρ/2·‖w − θ‖² from the global one θ, and ω_i(w − θ) to upload."""
        done = now.problem.solve(server.model, weight=now.parameters.rho[None, None], anchor=server.model)
        return Local(client, done, (now.weight * (done.theta - server.model),))
