"""J. Wang, Q. Liu, H. Liang, G. Joshi, H. V. Poor, "Tackling the objective inconsistency problem in heterogeneous
federated optimization": FedNova, in the form of Wang et al. (FedVRA), equation (22).
"""

from otafl.algorithms.fedavg import FedAvg
from otafl.algorithms.federated import SINGLE, plain
from otafl.algorithms.local_problem import Local, Model, Nothing, Round
from otafl.algorithms.method import method
from otafl.numerics.tensors import Tensor


@method("FedNova")
class FedNova(FedAvg):
    """FedNova: updates are divided by numbers of local steps Q_i and multiplied by the mean of these."""

    limits = (*FedAvg.limits, plain("it divides by the number of plain steps"))
    uplinks = ("digital", "ideal")
    uplink_reason = SINGLE
    by_signs = False
    scalars = 1

    def local_update(self, server: Model, client: Nothing, now: Round) -> Local:
        """Return models w_i trained from the global one θ; upload ω_i(w_i − θ)/Q_i and ω_i Q_i for Q_i local steps.

        Here ω_i are the workers' weights in the objective, and θ is the global model as received.

        Arguments:
            server: the server's state as workers have received it, global model θ. Shape [participants or 1, d, runs],
                for d elements of a model.
            client: unused, as workers keep nothing.
            now: inputs of the round, of which local problems, ``weight`` and numbers of local steps are read.

        Returns:
            A ``Local`` with trained models w_i, [participants, d, runs]; mean losses over the local steps and epochs,
            [participants, runs] each; and two messages, ω_i(w_i − θ)/Q_i, [participants, d, runs], and ω_i Q_i,
            [participants, 1, 1].
        """
        done = now.problem.solve(server.model)
        per_step = now.weight * (done.theta - server.model) / now.steps
        return Local(client, done, (per_step, now.weight * now.steps))

    def global_update(self, server: Model, totals: tuple[Tensor, ...], now: Round) -> Model:
        """Return the server's new state, the model moved by the mean update per step times the mean number of steps.

        Arguments:
            server: the server's state, its global model θ. Shape [1, d, runs], for d elements of a model.
            totals: received sums of weighted updates per step, [1, d, runs], and of weighted numbers of steps,
                [1, 1, runs or 1].
            now: inputs of the round, of which ``server_step`` and the sum of weights are read.

        Returns:
            A ``Model``, the new global one. Shape [1, d, runs].
        """
        per_step, steps = (total / now.total_weight for total in totals)
        return Model(server.model + now.parameters.server_step * steps * per_step)
