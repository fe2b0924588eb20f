"""D. A. E. Acar, Y. Zhao, R. M. Navarro, M. Mattina, P. N. Whatmough, V. Saligrama, "Federated learning based on
dynamic regularization": FedDyn.
"""

from typing import Any, NamedTuple

from otafl.algorithms.federated import FederatedMethod
from otafl.algorithms.local_problem import Local, Round
from otafl.algorithms.method import method, positive
from otafl.numerics.tensors import Tensor, tf


class Server(NamedTuple):
    """State of the server in FedDyn; d is the number of elements of a model.

    Arguments:
        model: the global model θ. Shape [1, d, runs].
        mean: the mean h of the workers' gradients. Shape [1, d, runs].
    """

    model: Tensor
    mean: Tensor


class Client(NamedTuple):
    """State of a worker in FedDyn; d is the number of elements of a model.

    Arguments:
        gradient: the worker's gradient at its last model. Shape [participants, d, runs].
    """

    gradient: Tensor


@method("FedDyn")
class FedDyn(FederatedMethod):
    """FedDyn: dynamic regularisation of local losses; its α is ``rho``.

    Symbols: local losses f_i, models w_i, gradients g_i at a worker's last model, global model θ, mean gradient h.
    """

    reads = (*FederatedMethod.reads, "algorithm.rho")
    limits = (positive("algorithm.rho"),)
    scheduled = ("algorithm.rho",)

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Server, Client]:
        """Return the initial model, all else at zero.

        Arguments:
            start: initial model of d elements. Shape [1, d, runs].
            options: unused.
            parameters: unused.

        Returns:
            A ``Server``, model and mean gradient, and a ``Client``, its gradient, that every worker begins with. Shape
            [1, d, runs] each.
        """
        return Server(start, tf.zeros_like(start)), Client(tf.zeros_like(start))

    def local_update(self, server: Server, client: Client, now: Round) -> Local:
        """Return models trained on f_i(w) − ⟨g_i, w⟩ + α/2·‖w − θ‖² from θ, then g_i − α(w − θ).

        Symbols: local loss f_i, gradient g_i at the worker's last model, weight α (``rho``), and the global model θ as
        received; ‖·‖ is the 2-norm.

        Arguments:
            server: the server's state as workers have received it, of which θ is read. Shape [participants or 1, d,
                runs], for d elements of a model.
            client: the participants' gradients g_i. Shape [participants, d, runs].
            now: inputs of the round, of which local problems and ``rho`` are read.

        Returns:
            A ``Local`` with new gradients g_i and trained models w, [participants, d, runs] each; mean losses over the
            local steps and epochs, [participants, runs] each; and one message, w − θ, [participants, d, runs].
        """
        alpha = now.parameters.rho[None, None]
        done = now.problem.solve(server.model, -client.gradient, alpha, server.model)
        update = done.theta - server.model
        return Local(Client(client.gradient - alpha * update), done, (update,))

    def global_update(self, server: Server, totals: tuple[Tensor, ...], now: Round) -> Server:
        """Return the server's new state: h − α/N·Σ(w_i − θ), then θ + 1/|S|·Σ(w_i − θ) − h/α. Shape [1, d, runs] each.

        The first is the new mean gradient h, the second the new global model.

        Arguments:
            server: the server's state: global model θ and mean gradient h. Shape [1, d, runs] each, for d elements of a
                model.
            totals: one received sum, that of the participants' updates w_i − θ. Shape [1, d, runs].
            now: inputs of the round: weight α (``rho``), number N of workers, and number |S| of participants.
        """
        alpha = now.parameters.rho[None, None]
        mean = server.mean - alpha * totals[0] / now.options.workers
        return Server(server.model + totals[0] / now.participants - mean / alpha, mean)
