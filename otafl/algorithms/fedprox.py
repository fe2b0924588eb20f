"""T. Li, A. K. Sahu, M. Zaheer, M. Sanjabi, A. Talwalkar, V. Smith, "Federated optimization in heterogeneous networks":
FedProx, which is FedAvg with ρ/2·‖w − θ‖² added to local losses.
"""

from otafl.algorithms.fedavg import FedAvg
from otafl.algorithms.method import method
from otafl.algorithms.protocol import Local, Model, Nothing, Round


@method("FedProx")
class FedProx(FedAvg):
    """FedProx: FedAvg with a proximal term; with ρ = 0 it is FedAvg."""

    reads = (*FedAvg.reads, "algorithm.rho")
    scheduled = ("algorithm.rho", "algorithm.server_step")

    def local_update(self, server: Model, client: Nothing, now: Round) -> Local:
        """Return models trained from the global one with the penalty ρ/2·‖w − θ‖².

        Symbols: models w, global model θ, penalty weight ρ (``rho``); ‖·‖ is the 2-norm over elements. Workers upload
        w − θ times their weights.

        Arguments:
            server: the server's state, its global model θ. Shape [1, d, runs], for d elements of a model.
            client: unused, as workers keep nothing.
            now: inputs of the round: local problems, numbers, weights and the received global model.

        Returns:
            Trained models, [participants, d, runs], with losses and epochs, and one message of the same shape.
        """
        rho = now.parameters.rho[None, None]
        done = now.problem.solve(server.model, weight=rho, anchor=server.model)
        return Local(client, done, (now.weight * (done.theta - server.model),))
