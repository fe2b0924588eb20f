"""X. Zhang, M. Hong, S. Dhople, W. Yin, Y. Liu, "FedPD: a federated learning framework with adaptivity to non-IID
data": all workers train in every round, and with some probability all of them upload at its end.
"""

from typing import NamedTuple

import tensorflow as tf

from otafl.algorithms.federated import Options, Round, Sent
from otafl.arrays import Tensor


class Server(NamedTuple):
    """The global model, [1, d, runs], and 1 where the last round has made it anew, else 0, [1, 1, 1]."""

    model: Tensor
    fresh: Tensor


class Client(NamedTuple):
    """A worker's model x_i, dual λ_i and own idea x_0i of the global model. Shapes [N, d, runs]."""

    model: Tensor
    dual: Tensor
    common: Tensor


class FedPD:
    """FedPD; its 1/η is ``rho``."""

    def init(self, start: Tensor, options: Options, rho: Tensor) -> tuple[Server, Client]:
        """All models at the initial one, duals at zero."""
        return Server(start, tf.ones([1, 1, 1], start.dtype)), Client(start, tf.zeros_like(start), start)

    def local_update(self, server: Server, client: Client, now: Round) -> Sent:
        """Train on f_i(x) + ⟨λ_i, x − x_0i⟩ + ρ/2·‖x − x_0i‖², then λ_i ← λ_i + ρ(x − x_0i) and x_0i = x + λ_i/ρ."""
        rho = now.parameters.rho[None, None]
        common = tf.where(server.fresh > 0, server.model, client.common)
        done = now.problem.solve(now.start(client.model, common), client.dual, rho, common)
        dual = client.dual + rho * (done.theta - common)
        after = done.theta + dual / rho
        return Sent(Client(done.theta, dual, after), (after - server.model,), done)

    def global_update(self, server: Server, totals: tuple[Tensor, ...], now: Round) -> Server:
        """The mean of x_0i where the round ends with an upload."""
        return Server(server.model + now.uploads * totals[0] / now.participants, now.uploads)
