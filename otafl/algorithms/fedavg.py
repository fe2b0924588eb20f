"""B. McMahan, E. Moore, D. Ramage, S. Hampson, B. Agüera y Arcas, "Communication-efficient learning of deep networks
from decentralized data": FedAvg, and FedSGD, where a round is one gradient over all of a worker's samples.

Workers upload differences to the global model, weighted by ω; the server divides by the weights of those that took
part.
"""

from typing import ClassVar

from otafl.algorithms.federated import COUNTED_ONCE, FederatedMethod
from otafl.algorithms.local_problem import Local, Minimiser, Model, Nothing, Round
from otafl.algorithms.method import PARTICIPATION, method
from otafl.numerics.tensors import Totals, tf


@method("FedAvg")
class FedAvg(FederatedMethod):
    """FedAvg: θ ← θ + η Σ_S ω_i(w_i − θ)/Σ_S ω_i, w_i trained on f_i from θ.

    Symbols: global model θ, server's step η (``server_step``), participants S, their weights ω_i and local losses f_i.
    """

    reads = (*FederatedMethod.reads, "federation.weights", "algorithm.server_step")
    limits = (COUNTED_ONCE,)
    by_signs = True
    weighted = True
    scheduled = ("algorithm.server_step",)

    def local_update(self, server: Model, client: Nothing, now: Round) -> Local:
        """Return models w_i trained on local losses f_i from the global one θ, and ω_i(w_i − θ) to upload."""
        done = now.problem.solve(server.model)
        return Local(client, done, (now.weight * (done.theta - server.model),))

    def global_update(self, server: Model, totals: Totals, now: Round) -> Model:
        return Model(server.model + now.parameters.server_step * totals[0] / now.total_weight)


@method("FedSGD")
class FedSGD(FedAvg):
    """FedSGD: θ ← θ − η Σ_S ω_i ∇f_i(θ)/Σ_S ω_i, η being the product of learning rate and server's step."""

    reads = (
        *PARTICIPATION,
        "federation.labelled",
        "federation.weights",
        "local.learning_rate",
        "algorithm.server_step",
    )
    unread: ClassVar[dict[str, str]] = FedAvg.unread | {"local.batch_size": "its gradients are of all samples"}

    def local_update(self, server: Model, client: Nothing, now: Round) -> Local:
        """Return one gradient step over all samples of each worker, and −ηω_i∇f_i(θ) to upload."""
        slope, losses = now.problem.gradient(server.model)
        step = -now.parameters.learning_rate * slope
        done = Minimiser(server.model + step, losses, tf.ones_like(losses))
        return Local(client, done, (now.weight * step,))
