"""D. A. E. Acar, Y. Zhao, R. M. Navarro, M. Mattina, P. N. Whatmough, V. Saligrama, "Federated learning based on
dynamic regularization": FedDyn.
"""

from typing import NamedTuple

from otafl.algorithms.federated import FederatedMethod, ModelAndMean
from otafl.algorithms.local_problem import Local, Options, Parameters, Round
from otafl.algorithms.method import method, positive
from otafl.numerics.tensors import GlobalModel, Models, Totals, tf


class Client(NamedTuple):
    """State of a worker in FedDyn: its gradient at its last model."""

    gradient: Models


@method("FedDyn")
class FedDyn(FederatedMethod):
    """FedDyn: dynamic regularisation of local losses; its α is ``rho``.

    Symbols: local losses f_i, models w_i, gradients g_i at a worker's last model, global model θ, mean gradient h.
    """

    reads = (*FederatedMethod.reads, "algorithm.rho")
    limits = (positive("algorithm.rho"),)
    scheduled = ("algorithm.rho",)

    def init(self, start: GlobalModel, options: Options, parameters: Parameters) -> tuple[ModelAndMean, Client]:
        return ModelAndMean(start, tf.zeros_like(start)), Client(tf.zeros_like(start))

    def local_update(self, server: ModelAndMean, client: Client, now: Round) -> Local:
        """Return models trained on f_i(w) − ⟨g_i, w⟩ + α/2·‖w − θ‖² from θ, then g_i − α(w − θ)."""
        alpha = now.parameters.rho[None, None]
        done = now.problem.solve(server.model, -client.gradient, alpha, server.model)
        update = done.theta - server.model
        return Local(Client(client.gradient - alpha * update), done, (update,))

    def global_update(self, server: ModelAndMean, totals: Totals, now: Round) -> ModelAndMean:
        """Return the mean gradient h − α/N·Σ(w_i − θ), and with it the model θ + 1/|S|·Σ(w_i − θ) − h/α."""
        alpha = now.parameters.rho[None, None]
        mean = server.mean - alpha * totals[0] / now.options.workers
        return ModelAndMean(server.model + totals[0] / now.participants - mean / alpha, mean)
