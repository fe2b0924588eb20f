"""B. McMahan, E. Moore, D. Ramage, S. Hampson, B. Agüera y Arcas, "Communication-efficient learning of deep networks
from decentralized data": FedAvg, and FedSGD, where a round is one gradient over all of a worker's samples.

Workers upload differences to the global model, weighted by ω; the server divides by the weights of those that took
part.
"""

import tensorflow as tf

from otafl.algorithms.federated import Model, Nothing, Options, Round, Sent
from otafl.arrays import Tensor
from otafl.problems.problem import Minimiser


class FedAvg:
    """FedAvg: θ ← θ + η Σ_S ω_i(w_i − θ)/Σ_S ω_i, w_i trained on f_i from θ."""

    def init(self, start: Tensor, options: Options, rho: Tensor) -> tuple[Model, Nothing]:
        """The initial model."""
        return Model(start), Nothing()

    def local_update(self, server: Model, client: Nothing, now: Round) -> Sent:
        """Train from the global model."""
        done = now.problem.solve(server.model)
        return Sent(client, (now.weight * (done.theta - server.model),), done)

    def global_update(self, server: Model, totals: tuple[Tensor, ...], now: Round) -> Model:
        """Step along the mean of updates."""
        return Model(server.model + now.parameters.server_step * totals[0] / now.total_weight)


class FedSGD(FedAvg):
    """FedSGD: θ ← θ − η Σ_S ω_i ∇f_i(θ)/Σ_S ω_i."""

    def local_update(self, server: Model, client: Nothing, now: Round) -> Sent:
        """One gradient over all samples, as the step that it amounts to."""
        slope, losses = now.problem.gradient(server.model)
        step = -now.parameters.learning_rate * slope
        done = Minimiser(server.model + step, losses, tf.ones_like(losses))
        return Sent(client, (now.weight * step,), done)
