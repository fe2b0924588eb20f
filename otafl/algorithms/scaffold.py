"""S. P. Karimireddy, S. Kale, M. Mohri, S. Reddi, S. Stich, A. T. Suresh, "SCAFFOLD: stochastic controlled averaging
for federated learning", with option II for the control variates.
"""

from typing import NamedTuple

from otafl.algorithms.federated import CONTROL, FederatedMethod, plain
from otafl.algorithms.local_problem import Local, Options, Parameters, Round
from otafl.algorithms.method import method
from otafl.numerics.tensors import GlobalModel, Models, Totals, tf


class Server(NamedTuple):
    """State of the server in SCAFFOLD: global model, and mean control variate c."""

    model: GlobalModel
    control: GlobalModel


class Client(NamedTuple):
    """State of a worker in SCAFFOLD: its control variate c_i, an estimate of its mean gradient."""

    control: Models


@method("SCAFFOLD")
class Scaffold(FederatedMethod):
    """SCAFFOLD: local gradients are corrected by c − c_i; workers upload the changes of model and control variate."""

    reads = (*FederatedMethod.reads, "algorithm.server_step")
    limits = (plain(CONTROL),)
    scheduled = ("algorithm.server_step",)
    vectors = 2
    broadcasts = ("model", "control")

    def init(self, start: GlobalModel, options: Options, parameters: Parameters) -> tuple[Server, Client]:
        return Server(start, tf.zeros_like(start)), Client(tf.zeros_like(start))

    def local_update(self, server: Server, client: Client, now: Round) -> Local:
        """Return models trained by w ← w − η(g − c_i + c), and control variates c_i − c + (θ − w)/Qη (option II)."""
        done = now.problem.solve(server.model, dual=server.control - client.control)
        update = done.theta - server.model
        change = -server.control - update / (now.steps * now.parameters.learning_rate)
        return Local(Client(client.control + change), done, (update, change))

    def global_update(self, server: Server, totals: Totals, now: Round) -> Server:
        """Return the model θ + η_g/|S|·Σ(w_i − θ), and the control variate c + 1/N·Σ(c_i' − c_i)."""
        model = server.model + now.parameters.server_step * totals[0] / now.participants
        return Server(model, server.control + totals[1] / now.options.workers)
