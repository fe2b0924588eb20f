"""X. Liang, S. Shen, J. Liu, Z. Pan, E. Chen, Y. Cheng, "Variance reduced local SGD with lower communication
complexity": VRL-SGD, for workers that all take part and make the same number of local steps.
"""

from typing import NamedTuple

from otafl.algorithms.federated import CONTROL, FederatedMethod, plain
from otafl.algorithms.local_problem import Local, Model, Options, Parameters, Round
from otafl.algorithms.method import EVERYBODY, Limit, method
from otafl.numerics.tensors import GlobalModel, Models, Totals, tf


class Client(NamedTuple):
    """State of a worker in VRL-SGD: its correction Δ_i, and its model at the end of the last round."""

    correction: Models
    model: Models


@method("VRL-SGD")
class VRLSGD(FederatedMethod):
    """VRL-SGD: local gradients are corrected by −Δ_i, Δ_i ← Δ_i + (θ − w_i)/Qη with the mean θ of all local models."""

    limits = (
        EVERYBODY,
        plain(CONTROL),
        Limit(
            "local.work",
            lambda settings: settings.local.work == "fixed",
            "must be 'fixed' with {method}: it divides by one number of local steps",
        ),
    )
    even = True

    def init(self, start: GlobalModel, options: Options, parameters: Parameters) -> tuple[Model, Client]:
        return Model(start), Client(tf.zeros_like(start), start)

    def local_update(self, server: Model, client: Client, now: Round) -> Local:
        """Return corrections Δ_i + (θ − w_i)/Qη by the mean θ of the last models w_i, and models trained from θ."""
        rate = now.steps * now.parameters.learning_rate
        correction = client.correction + (server.model - client.model) / rate
        done = now.problem.solve(server.model, dual=-correction)
        return Local(Client(correction, done.theta), done, (done.theta - server.model,))

    def global_update(self, server: Model, totals: Totals, now: Round) -> Model:
        return Model(server.model + totals[0] / now.participants)
