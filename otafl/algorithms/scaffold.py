"""S. P. Karimireddy, S. Kale, M. Mohri, S. Reddi, S. Stich, A. T. Suresh, "SCAFFOLD: stochastic controlled averaging
for federated learning", with option II for the control variates.
"""

from typing import Any, NamedTuple

from otafl.algorithms.federated import CONTROL, FederatedMethod, plain
from otafl.algorithms.method import method
from otafl.algorithms.protocol import Local, Round
from otafl.arrays import Tensor, tf


class Server(NamedTuple):
    """The global model and the mean control variate c. Shapes [1, d, runs]."""

    model: Tensor
    control: Tensor


class Client(NamedTuple):
    """A worker's control variate c_i. Shape [participants, d, runs]."""

    control: Tensor


@method("SCAFFOLD")
class Scaffold(FederatedMethod):
    """SCAFFOLD: local gradients are corrected by c − c_i; both the model's and the variate's change are uploaded."""

    reads = (*FederatedMethod.reads, "algorithm.server_step")
    limits = (plain(CONTROL),)
    scheduled = ("algorithm.server_step",)
    vectors = 2
    broadcasts = ("model", "control")

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Server, Client]:
        """The initial model, control variates at zero."""
        return Server(start, tf.zeros_like(start)), Client(tf.zeros_like(start))

    def local_update(self, server: Server, client: Client, now: Round) -> Local:
        """w ← w − η(g − c_i + c), then c_i ← c_i − c + (θ − w)/Qη: the mean of local gradients."""
        correction = server.control - client.control
        done = now.problem.solve(server.model, dual=correction)
        update = done.theta - server.model
        change = -server.control - update / (now.steps * now.parameters.learning_rate)
        return Local(Client(client.control + change), done, (update, change))

    def global_update(self, server: Server, totals: tuple[Tensor, ...], now: Round) -> Server:
        """θ ← θ + η_g/|S|·Σ(w_i − θ) and c ← c + 1/N·Σ(c_i' − c_i)."""
        model = server.model + now.parameters.server_step * totals[0] / now.participants
        return Server(model, server.control + totals[1] / now.options.workers)
