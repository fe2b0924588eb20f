"""H. Wang, S. Marella, J. Anderson, "FedADMM: a federated primal-dual algorithm allowing partial participation",
algorithm 2: minimises 1/N·Σf_i(x) + g(x), g through its proximal operator.

Their line 16 prints prox_{g/n}; theorem 1 needs prox_{g/η}, which is what is done here.
"""

from typing import Any, NamedTuple

from otafl.algorithms.federated import FederatedMethod, PrimalDual
from otafl.algorithms.local_problem import Local, Round
from otafl.algorithms.method import method, positive
from otafl.algorithms.proximal import PROXIMAL, REGULARISED
from otafl.numerics.tensors import Tensor, tf


class Server(NamedTuple):
    """State of the server in FedADMM-Wang and FedDR; d is the number of elements of a model.

    Arguments:
        model: the global model x̄. Shape [1, d, runs].
        mean: the mean x̃ of all that workers have uploaded. Shape [1, d, runs].
    """

    model: Tensor
    mean: Tensor


@method("FedADMM-Wang", **REGULARISED)
class FedADMM(FederatedMethod):
    """FedADMM of Wang et al.; its penalty η is ``rho``.

    Symbols: local losses f_i, models x_i and duals z_i, global model x̄, mean of uploads x̃, regulariser g, workers N.
    """

    reads = (*FederatedMethod.reads, "algorithm.rho")
    shapes = ("local.warm_start",)
    limits = (positive("algorithm.rho"),)
    scheduled = ("algorithm.rho",)

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Server, PrimalDual]:
        """Return all models at the initial one and all duals at zero.

        Arguments:
            start: initial model of d elements. Shape [1, d, runs].
            options: unused.
            parameters: unused.

        Returns:
            A ``Server``, model and mean, and a ``PrimalDual``, model and dual, that every worker begins with. Shape [1,
            d, runs] each.
        """
        return Server(start, start), PrimalDual(start, tf.zeros_like(start))

    def local_update(self, server: Server, client: PrimalDual, now: Round) -> Local:
        """Return models trained on f_i(x) + ⟨z_i, x − x̄⟩ + η/2·‖x − x̄‖² and duals z_i + η(x − x̄).

        Symbols: local loss f_i, dual z_i (not divided by η), penalty η (``rho``), and the global model x̄ as received;
        ‖·‖ is the 2-norm. Training starts at x_i, or with ``local.warm_start = "global"`` at x̄. Source: Wang et al.,
        algorithm 2.

        Arguments:
            server: the server's state as workers have received it, of which x̄ is read. Shape [participants or 1, d,
                runs], for d elements of a model.
            client: the participants' models x_i and duals z_i. Shape [participants, d, runs] each.
            now: inputs of the round, of which local problems, ``rho`` and ``warm_start`` are read.

        Returns:
            A ``Local`` with new states (x_i, z_i) and trained models x_i, [participants, d, runs] each; mean losses
            over the local steps and epochs, [participants, runs] each; and one message, the change of x_i + z_i/η since
            the worker's last round, [participants, d, runs].
        """
        eta = now.parameters.rho[None, None]
        done = now.problem.solve(now.start(client.model, server.model), client.dual, eta, server.model)
        away = done.theta - server.model
        after = PrimalDual(done.theta, client.dual + eta * away)
        return Local(after, done, (done.theta - client.model + away,))

    def global_update(self, server: Server, totals: tuple[Tensor, ...], now: Round) -> Server:
        """Return the server's new state: x̃ plus 1/N·Σ of changes, and x̄ = prox_{g/η}(x̃). Shape [1, d, runs] each.

        Here x̃ is the mean of uploads over N workers, x̄ the global model, and prox the proximal operator.

        Arguments:
            server: the server's state, of which the mean x̃ of uploads is read. Shape [1, d, runs], for d elements of a
                model.
            totals: one received sum, that of the participants' changes of x_i + z_i/η, model plus dual over penalty.
                Shape [1, d, runs].
            now: inputs of the round, of which N, the penalty η, and the regulariser g with its weight are read.
        """
        mean = server.mean + totals[0] / now.options.workers
        eta, weight = now.parameters.rho, now.parameters.regulariser_weight
        return Server(PROXIMAL[now.options.regulariser](mean, 1 / eta, weight), mean)
