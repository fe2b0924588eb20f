"""X. Zhang, M. Hong, S. Dhople, W. Yin, Y. Liu, "FedPD: a federated learning framework with adaptivity to non-IID
data": all workers train in every round, and with some probability all of them upload at its end.
"""

from typing import Any, NamedTuple

from otafl.algorithms.federated import FederatedMethod
from otafl.algorithms.local_problem import Local, Round
from otafl.algorithms.method import EVERYBODY, method, positive
from otafl.numerics.tensors import Tensor, tf
from otafl.settings.part_keys import key
from otafl.settings.types import Share

PROBABILITY = key(1.0, "FedPD: probability that a round ends with an upload", takes=Share)


class Server(NamedTuple):
    """State of the server in FedPD; d is the number of elements of a model.

    Arguments:
        model: the global model. Shape [1, d, runs].
        fresh: 1 where the last round ended with an upload, else 0. Shape [1, 1, 1].
    """

    model: Tensor
    fresh: Tensor


class Client(NamedTuple):
    """State of a worker i in FedPD; N is the number of workers, d that of elements of a model.

    Arguments:
        model: the worker's model x_i. Shape [N, d, runs].
        dual: its dual λ_i. Shape [N, d, runs].
        common: its estimate x_0i of the global model, which it keeps where a round ends without upload. Shape
            [N, d, runs].
    """

    model: Tensor
    dual: Tensor
    common: Tensor


@method("FedPD", communication_probability=PROBABILITY)
class FedPD(FederatedMethod):
    """FedPD: federated primal-dual method with random uploads; its 1/η is ``rho``.

    Symbols: local losses f_i, models x_i, duals λ_i, and each worker's estimate x_0i of the global model.
    """

    reads = (*FederatedMethod.reads, "algorithm.rho")
    shapes = ("local.warm_start",)
    limits = (EVERYBODY, positive("algorithm.rho"))
    scheduled = ("algorithm.rho",)

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Server, Client]:
        """Return all models at the initial one and all duals at zero.

        Arguments:
            start: initial model of d elements. Shape [1, d, runs].
            options: unused.
            parameters: unused.

        Returns:
            A ``Server``, model [1, d, runs] and 1, [1, 1, 1]; and a ``Client``, model, dual and estimate, that every
            worker begins with, [1, d, runs] each.
        """
        return Server(start, tf.ones([1, 1, 1], start.dtype)), Client(start, tf.zeros_like(start), start)

    def local_update(self, server: Server, client: Client, now: Round) -> Local:
        """Return models trained on f_i(x) + ⟨λ_i, x − x_0i⟩ + ρ/2·‖x − x_0i‖², new duals λ_i, and new estimates x_0i.

        The last are λ_i + ρ(x − x_0i), then x_0i = x + λ_i/ρ. Symbols: local loss f_i, dual λ_i (not divided by ρ),
        estimate x_0i of the global model, penalty ρ (``rho``); ‖·‖ is the 2-norm. After an upload x_0i is the global
        model as received. Training starts at x_i, or with ``local.warm_start = "global"`` at x_0i.

        Arguments:
            server: the server's state as workers have received it: global model of d elements, [N or 1, d, runs], and 1
                where it is new, else 0, [1, 1, 1].
            client: the workers' models, duals and estimates. Shape [N, d, runs] each, for N workers.
            now: inputs of the round, of which local problems, ``rho`` and ``warm_start`` are read.

        Returns:
            A ``Local`` with new states (x_i, λ_i, x_0i) and trained models x_i, [N, d, runs] each; mean losses over the
            local steps and epochs, [N, runs] each; and one message, new x_0i less the global model, [N, d, runs].
        """
        rho = now.parameters.rho[None, None]
        common = tf.where(server.fresh > 0, server.model, client.common)
        done = now.problem.solve(now.start(client.model, common), client.dual, rho, common)
        dual = client.dual + rho * (done.theta - common)
        after = done.theta + dual / rho
        return Local(Client(done.theta, dual, after), done, (after - server.model,))

    def global_update(self, server: Server, totals: tuple[Tensor, ...], now: Round) -> Server:
        """Return the server's new state: the mean of x_0i where the round ends with an upload, else the old model.

        Arguments:
            server: the server's state, of which the global model is read. Shape [1, d, runs], for d elements of a
                model.
            totals: one received sum, that of the workers' estimates x_0i less the global model. Shape [1, d, runs].
            now: inputs of the round, of which ``uploads``, 1 or 0, and the number of participants are read.

        Returns:
            A ``Server`` with the new global model, [1, d, runs], and ``uploads``, [1, 1, 1].
        """
        return Server(server.model + now.uploads * totals[0] / now.participants, now.uploads)
