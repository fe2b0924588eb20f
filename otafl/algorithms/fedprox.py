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
        """Return models trained on f_i(w) + ρ/2·‖w − θ‖² from the global one θ, and ω_i(w − θ) to upload.

        Symbols: local loss f_i, model w, penalty weight ρ (``rho``), weights ω_i in the objective, and the global model
        θ as received; ‖·‖ is the 2-norm over elements.

        Arguments:
            server: the server's state as workers have received it, global model θ. Shape [participants or 1, d, runs],
                for d elements of a model.
            client: unused, as workers keep nothing.
            now: inputs of the round, of which local problems, ``rho`` and ``weight`` are read.

        Returns:
            A ``Local`` with trained models w, [participants, d, runs]; mean losses over the local steps and epochs,
            [participants, runs] each; and one message, ω_i(w − θ), [participants, d, runs].
        """
        rho = now.parameters.rho[None, None]
        done = now.problem.solve(server.model, weight=rho, anchor=server.model)
        return Local(client, done, (now.weight * (done.theta - server.model),))
