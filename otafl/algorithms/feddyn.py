"""D. A. E. Acar, Y. Zhao, R. M. Navarro, M. Mattina, P. N. Whatmough, V. Saligrama, "Federated learning based on
dynamic regularization": FedDyn.
"""

from typing import Any, NamedTuple

from otafl.algorithms.federated import FederatedMethod
from otafl.algorithms.method import method, positive
from otafl.algorithms.protocol import Local, Round
from otafl.arrays import Tensor, tf


class Server(NamedTuple):
    """State of the server.

    Arguments:
        model: the global model θ. Shape [1, d, runs].
        mean: the mean h of the workers' gradients. Shape [1, d, runs].
    """

    model: Tensor
    mean: Tensor


class Client(NamedTuple):
    """State of a worker.

    Arguments:
        gradient: the worker's gradient at its last model. Shape [participants, d, runs].
    """

    gradient: Tensor


@method("FedDyn")
class FedDyn(FederatedMethod):
    """FedDyn: dynamic regularisation of local losses; its α is ``rho``."""

    reads = (*FederatedMethod.reads, "algorithm.rho")
    limits = (positive("algorithm.rho"),)
    scheduled = ("algorithm.rho",)

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Server, Client]:
        """Return the initial model, all else at zero."""
        return Server(start, tf.zeros_like(start)), Client(tf.zeros_like(start))

    def local_update(self, server: Server, client: Client, now: Round) -> Local:
        """Return models trained on f_i(w) − ⟨g_i, w⟩ + α/2·‖w − θ‖² from θ, then g_i − α(w − θ)."""
        alpha = now.parameters.rho[None, None]
        done = now.problem.solve(server.model, -client.gradient, alpha, server.model)
        update = done.theta - server.model
        return Local(Client(client.gradient - alpha * update), done, (update,))

    def global_update(self, server: Server, totals: tuple[Tensor, ...], now: Round) -> Server:
        """Return h − α/N·Σ(w_i − θ), then θ + 1/|S|·Σ(w_i − θ) − h/α."""
        alpha = now.parameters.rho[None, None]
        mean = server.mean - alpha * totals[0] / now.options.workers
        return Server(server.model + totals[0] / now.participants - mean / alpha, mean)
