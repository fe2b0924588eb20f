"""X. Zhang, M. Hong, S. Dhople, W. Yin, Y. Liu, "FedPD: a federated learning framework with adaptivity to non-IID
data": all workers train in every round, and with some probability all of them upload at its end.
"""

from typing import NamedTuple

from otafl.algorithms.federated import FederatedMethod
from otafl.algorithms.local_problem import Local, Options, Parameters, Round
from otafl.algorithms.method import EVERYBODY, method, positive
from otafl.numerics.tensors import GlobalModel, Models, Totals, WorkerScalars, tf
from otafl.settings.part_keys import key
from otafl.settings.types import Share

PROBABILITY = key(1.0, "FedPD: probability that a round ends with an upload", takes=Share)


class Server(NamedTuple):
    """State of the server in FedPD: global model, and 1 where the last round ended with an upload, else 0."""

    model: GlobalModel
    fresh: WorkerScalars


class Client(NamedTuple):
    """State of a worker in FedPD: model x_i, dual λ_i, and estimate x_0i of the global model, kept without upload."""

    model: Models
    dual: Models
    common: Models


@method("FedPD", communication_probability=PROBABILITY)
class FedPD(FederatedMethod):
    """FedPD: federated primal-dual method with random uploads; its 1/η is ``rho``.

    Symbols: local losses f_i, models x_i, duals λ_i, and each worker's estimate x_0i of the global model.
    """

    reads = (*FederatedMethod.reads, "algorithm.rho")
    shapes = ("local.warm_start",)
    limits = (EVERYBODY, positive("algorithm.rho"))
    scheduled = ("algorithm.rho",)

    def init(self, start: GlobalModel, options: Options, parameters: Parameters) -> tuple[Server, Client]:
        return Server(start, tf.ones([1, 1, 1], start.dtype)), Client(start, tf.zeros_like(start), start)

    def local_update(self, server: Server, client: Client, now: Round) -> Local:
        """Return models trained on f_i(x) + ⟨λ_i, x − x_0i⟩ + ρ/2·‖x − x_0i‖², new duals λ_i, and new estimates x_0i.

        The last are λ_i + ρ(x − x_0i), then x_0i = x + λ_i/ρ. After an upload x_0i is the global model as received.
        """
        rho = now.parameters.rho[None, None]
        common = tf.where(server.fresh > 0, server.model, client.common)
        done = now.problem.solve(now.start(client.model, common), client.dual, rho, common)
        dual = client.dual + rho * (done.theta - common)
        after = done.theta + dual / rho
        return Local(Client(done.theta, dual, after), done, (after - server.model,))

    def global_update(self, server: Server, totals: Totals, now: Round) -> Server:
        """Return the mean of x_0i where the round ends with an upload, else the old model."""
        return Server(server.model + now.uploads * totals[0] / now.participants, now.uploads)
