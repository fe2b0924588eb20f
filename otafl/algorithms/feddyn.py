"""D. A. E. Acar, Y. Zhao, R. M. Navarro, M. Mattina, P. N. Whatmough, V. Saligrama, "Federated learning based on
dynamic regularization": FedDyn.
"""

from typing import NamedTuple

import tensorflow as tf

from otafl.algorithms.federated import Options, Round, Sent
from otafl.arrays import Tensor


class Server(NamedTuple):
    """The global model and the mean h of what workers keep. Shapes [1, d, runs]."""

    model: Tensor
    mean: Tensor


class Client(NamedTuple):
    """A worker's gradient at its last model. Shape [participants, d, runs]."""

    gradient: Tensor


class FedDyn:
    """FedDyn; its α is ``rho``."""

    def init(self, start: Tensor, options: Options, rho: Tensor) -> tuple[Server, Client]:
        """The initial model, the rest at zero."""
        return Server(start, tf.zeros_like(start)), Client(tf.zeros_like(start))

    def local_update(self, server: Server, client: Client, now: Round) -> Sent:
        """Train on f_i(w) − ⟨g_i, w⟩ + α/2·‖w − θ‖² from θ, then g_i ← g_i − α(w − θ)."""
        alpha = now.parameters.rho[None, None]
        done = now.problem.solve(server.model, -client.gradient, alpha, server.model)
        update = done.theta - server.model
        return Sent(Client(client.gradient - alpha * update), (update,), done)

    def global_update(self, server: Server, totals: tuple[Tensor, ...], now: Round) -> Server:
        """h ← h − α/N·Σ(w_i − θ), then θ ← θ + 1/|S|·Σ(w_i − θ) − h/α."""
        alpha = now.parameters.rho[None, None]
        mean = server.mean - alpha * totals[0] / now.options.workers
        return Server(server.model + totals[0] / now.participants - mean / alpha, mean)
