"""B. McMahan, E. Moore, D. Ramage, S. Hampson, B. Agüera y Arcas, "Communication-efficient learning of deep networks
from decentralized data": FedAvg, and FedSGD, where a round is one gradient over all of a worker's samples.

Workers upload differences to the global model, weighted by ω; the server divides by the weights of those that took
part.
"""

from typing import Any

from otafl.algorithms.federated import COUNTED_ONCE, FederatedMethod
from otafl.algorithms.local_problem import Local, Minimiser, Model, Nothing, Round
from otafl.algorithms.method import PARTICIPATION, method
from otafl.numerics.tensors import Tensor, tf


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

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Model, Nothing]:
        """Return the server at the initial model; workers keep nothing.

        Arguments:
            start: initial model of d elements. Shape [1, d, runs].
            options: unused.
            parameters: unused.

        Returns:
            A ``Model`` for the server, [1, d, runs], and ``Nothing``, the empty state of a worker.
        """
        return Model(start), Nothing()

    def local_update(self, server: Model, client: Nothing, now: Round) -> Local:
        """Return models w_i trained on local losses f_i from the global one θ, and ω_i(w_i − θ) to upload.

        Here ω_i are the workers' weights in the objective, and θ is the global model as received.

        Arguments:
            server: the server's state as workers have received it, global model θ. Shape [participants or 1, d, runs],
                for d elements of a model.
            client: unused, as workers keep nothing.
            now: inputs of the round, of which local problems and ``weight`` are read.

        Returns:
            A ``Local`` with trained models w_i, [participants, d, runs]; mean losses over the local steps and epochs,
            [participants, runs] each; and one message, ω_i(w_i − θ), [participants, d, runs].
        """
        done = now.problem.solve(server.model)
        return Local(client, done, (now.weight * (done.theta - server.model),))

    def global_update(self, server: Model, totals: tuple[Tensor, ...], now: Round) -> Model:
        """Return the server's new state, the model after a step along the mean of updates. Shape [1, d, runs].

        Arguments:
            server: the server's state, its global model θ. Shape [1, d, runs], for d elements of a model.
            totals: one received sum, that of the participants' ω_i(w_i − θ). Shape [1, d, runs].
            now: inputs of the round, of which ``server_step``, [runs], and Σω_i (``total_weight``) are read.
        """
        return Model(server.model + now.parameters.server_step * totals[0] / now.total_weight)


@method("FedSGD")
class FedSGD(FedAvg):
    """FedSGD: θ ← θ − η Σ_S ω_i ∇f_i(θ)/Σ_S ω_i.

    Symbols: global model θ, product η of learning rate and server's step, participants S, weights ω_i, local losses
    f_i.
    """

    reads = (
        *PARTICIPATION,
        "federation.labelled",
        "federation.weights",
        "local.learning_rate",
        "local.batch_size",
        "algorithm.server_step",
    )

    def local_update(self, server: Model, client: Nothing, now: Round) -> Local:
        """Return one gradient step over all samples of each worker.

        Here θ is the global model as received, and ω_i are the workers' weights in the objective.

        Arguments:
            server: the server's state as workers have received it, global model θ. Shape [participants or 1, d, runs],
                for d elements of a model.
            client: unused, as workers keep nothing.
            now: inputs of the round, of which local problems, ``weight`` and ``learning_rate`` are read.

        Returns:
            A ``Local`` with models θ − η∇f_i(θ) of learning rate η, [participants, d, runs]; losses f_i(θ) and epochs,
            all 1, [participants, runs] each; and one message, −ηω_i∇f_i(θ), [participants, d, runs].
        """
        slope, losses = now.problem.gradient(server.model)
        step = -now.parameters.learning_rate * slope
        done = Minimiser(server.model + step, losses, tf.ones_like(losses))
        return Local(client, done, (now.weight * step,))
