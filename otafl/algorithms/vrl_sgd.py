"""X. Liang, S. Shen, J. Liu, Z. Pan, E. Chen, Y. Cheng, "Variance reduced local SGD with lower communication
complexity": VRL-SGD, for workers that all take part and make the same number of local steps.
"""

from typing import Any, NamedTuple

from otafl.algorithms.federated import CONTROL, FederatedMethod, plain
from otafl.algorithms.local_problem import Local, Model, Round
from otafl.algorithms.method import EVERYBODY, Limit, method
from otafl.numerics.tensors import Tensor, tf

WHY = "it divides by one number of local steps"
"""Reason for which all workers do the same local work."""


class Client(NamedTuple):
    """State of a worker i in VRL-SGD; N is the number of workers, d that of elements of a model.

    Arguments:
        correction: the worker's correction Δ_i, subtracted from its gradients. Shape [N, d, runs].
        model: its model at the end of the last round. Shape [N, d, runs].
    """

    correction: Tensor
    model: Tensor


@method("VRL-SGD")
class VRLSGD(FederatedMethod):
    """VRL-SGD: local gradients are corrected by −Δ_i, Δ_i ← Δ_i + (θ − w_i)/Qη with the mean θ of all local models.

    Symbols: corrections Δ_i and models w_i of workers, number Q of local steps, learning rate η.
    """

    limits = (
        EVERYBODY,
        plain(CONTROL),
        Limit("local.work", lambda settings: settings.local.work == "fixed", f"must be 'fixed' with {{method}}: {WHY}"),
    )
    even = True

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Model, Client]:
        """Return all models at the initial one, and corrections at zero.

        Arguments:
            start: initial model of d elements. Shape [1, d, runs].
            options: unused.
            parameters: unused.

        Returns:
            A ``Model`` for the server, and a ``Client``, correction and model, that every worker begins with. Shape [1,
            d, runs] each.
        """
        return Model(start), Client(tf.zeros_like(start), start)

    def local_update(self, server: Model, client: Client, now: Round) -> Local:
        """Return corrections Δ_i + (θ − w_i)/Qη by the mean θ of the last models w_i, and models trained from θ.

        Gradients are corrected by −Δ_i. Symbols: learning rate η, number Q of local steps; θ is the global model as
        received.

        Arguments:
            server: the server's state as workers have received it, the mean θ of local models. Shape [N or 1, d, runs],
                for d elements of a model.
            client: the workers' corrections Δ_i and last models w_i. Shape [N, d, runs] each, for N workers.
            now: inputs of the round, of which local problems, ``learning_rate`` and numbers of local steps are read.

        Returns:
            A ``Local`` with new states (Δ_i, w_i) and trained models w_i, [N, d, runs] each; mean losses over the local
            steps and epochs, [N, runs] each; and one message, w_i − θ, [N, d, runs].
        """
        rate = now.steps * now.parameters.learning_rate
        correction = client.correction + (server.model - client.model) / rate
        done = now.problem.solve(server.model, dual=-correction)
        return Local(Client(correction, done.theta), done, (done.theta - server.model,))

    def global_update(self, server: Model, totals: tuple[Tensor, ...], now: Round) -> Model:
        """Return the server's new state, the mean of local models. Shape [1, d, runs].

        Arguments:
            server: the server's state, the mean before. Shape [1, d, runs], for d elements of a model.
            totals: one received sum, that of the workers' updates w_i − θ. Shape [1, d, runs].
            now: inputs of the round, of which the number of participants is read.
        """
        return Model(server.model + totals[0] / now.participants)
