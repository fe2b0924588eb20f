"""T. Li, A. K. Sahu, M. Zaheer, M. Sanjabi, A. Talwalkar, V. Smith, "Federated optimization in heterogeneous networks":
FedProx, which is FedAvg with ρ/2·‖w − θ‖² added to local losses.
"""

from otafl.algorithms.fedavg import FedAvg
from otafl.algorithms.federated import Model, Nothing, Round, Sent


class FedProx(FedAvg):
    """FedProx; with ρ = 0 it is FedAvg."""

    def local_update(self, server: Model, client: Nothing, now: Round) -> Sent:
        """Train from the global model and near it."""
        rho = now.parameters.rho[None, None]
        done = now.problem.solve(server.model, weight=rho, anchor=server.model)
        return Sent(client, (now.weight * (done.theta - server.model),), done)
