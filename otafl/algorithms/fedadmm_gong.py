"""Y. Gong, Y. Li, N. M. Freris, "FedADMM: a robust federated deep learning framework with adaptivity to system
heterogeneity", algorithm 1.

As printed, a worker uploads the change (4) against the model that it has stored. In the code that the authors have
published the stored model is overwritten by the global one before the difference is taken
(``algorithm.stored_model = "global"``): 2(w − θ) is sent, and no memory of workers enters the server's model.
"""

from typing import Any

from otafl.algorithms.federated import FederatedMethod, PrimalDual
from otafl.algorithms.local_problem import Local, Model, Round
from otafl.algorithms.method import method, positive
from otafl.numerics.tensors import Tensor, tf
from otafl.settings.part_keys import key

STORED_MODEL = key(
    "own",
    "FedADMM-Gong: model that is subtracted in an upload: the worker's own of its last round (4), or the "
    "global one, as in the authors' published code",
    choices=("own", "global"),
)


@method("FedADMM-Gong", stored_model=STORED_MODEL)
class FedADMM(FederatedMethod):
    """FedADMM of Gong et al.: workers upload changes of w + y/ρ, and the server steps along their mean.

    Symbols: local models w_i, duals y_i, global model θ, penalty ρ (``rho``), server's step η (``server_step``).
    """

    reads = (*FederatedMethod.reads, "algorithm.rho", "algorithm.server_step")
    shapes = ("local.warm_start",)
    limits = (positive("algorithm.rho"),)
    scheduled = ("algorithm.rho", "algorithm.server_step")

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Model, PrimalDual]:
        """Return all models at the initial one and all duals at zero.

        Arguments:
            start: initial model of d elements. Shape [1, d, runs].
            options: unused.
            parameters: unused.

        Returns:
            A ``Model`` for the server, and a ``PrimalDual``, model and dual, that every worker begins with. Shape [1,
            d, runs] each.
        """
        return Model(start), PrimalDual(start, tf.zeros_like(start))

    def local_update(self, server: Model, client: PrimalDual, now: Round) -> Local:
        """Return models trained on (3), duals y_i + ρ(w_i − θ), and uploads (4), the change of w_i + y_i/ρ.

        Equation (3) is f_i(w) + ⟨y_i, w⟩ + ρ/2·‖w − θ‖² with local loss f_i, dual y_i (not divided by ρ), penalty ρ,
        and the global model θ as received; ‖·‖ is the 2-norm. Training starts at w_i, or with ``local.warm_start =
        "global"`` at θ.

        Arguments:
            server: the server's state as workers have received it, global model θ. Shape [participants or 1, d, runs],
                for d elements of a model.
            client: the participants' models w_i and duals y_i. Shape [participants, d, runs] each.
            now: inputs of the round, of which local problems, ``rho``, ``warm_start`` and ``stored_model`` are read.

        Returns:
            A ``Local`` with new states (w_i, y_i) and trained models w_i, [participants, d, runs] each; mean losses
            over the local steps and epochs, [participants, runs] each; and one message, [participants, d, runs], the
            change of w_i + y_i/ρ since the worker's last round, or 2(w_i − θ) if ``algorithm.stored_model`` is
            "global".
        """
        rho = now.parameters.rho[None, None]
        done = now.problem.solve(now.start(client.model, server.model), client.dual, rho, server.model)
        away = done.theta - server.model
        change = done.theta - (client.model if now.options.stored_model == "own" else server.model)
        return Local(PrimalDual(done.theta, client.dual + rho * away), done, (change + away,))

    def global_update(self, server: Model, totals: tuple[Tensor, ...], now: Round) -> Model:
        """Return the server's new state, θ + η/|S|·Σ of the participants' changes (5). Shape [1, d, runs].

        Arguments:
            server: the server's state, its global model θ. Shape [1, d, runs], for d elements of a model.
            totals: one received sum, that of the participants' changes of w_i + y_i/ρ, of models w_i, duals y_i and
                penalty ρ. Shape [1, d, runs].
            now: inputs of the round, of which the step η (``server_step``) and the number |S| of participants are read.
        """
        return Model(server.model + now.parameters.server_step * totals[0] / now.participants)
