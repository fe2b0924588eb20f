"""Y. Gong, Y. Li, N. M. Freris, "FedADMM: a robust federated deep learning framework with adaptivity to system
heterogeneity", algorithm 1.

As printed, a worker uploads the change (4) against the model that it has stored. In the code that the authors have
published the stored model is overwritten by the global one before the difference is taken
(``algorithm.stored_model = "global"``): 2(w − θ) is sent, and no memory of workers enters the server's model.
"""

from otafl.algorithms.federated import FederatedMethod, PrimalDual
from otafl.algorithms.local_problem import Local, Model, Options, Parameters, Round
from otafl.algorithms.method import method, positive
from otafl.numerics.tensors import GlobalModel, Totals, tf
from otafl.settings.part_keys import key

STORED_MODEL = key(
    "own",
    "FedADMM-Gong: model that is subtracted in an upload: the worker's own of its last round (4), or the "
    "global one, as in the authors' published code",
    choices=("own", "global"),
)


@method("FedADMM-Gong", stored_model=STORED_MODEL)
class FedADMMGong(FederatedMethod):
    """FedADMM of Gong et al.: workers upload changes of w + y/ρ, and the server steps along their mean.

    Symbols: local models w_i, duals y_i, global model θ, penalty ρ (``rho``), server's step η (``server_step``).
    """

    reads = (*FederatedMethod.reads, "algorithm.rho", "algorithm.server_step")
    shapes = ("local.warm_start",)
    limits = (positive("algorithm.rho"),)
    scheduled = ("algorithm.rho", "algorithm.server_step")

    def init(self, start: GlobalModel, options: Options, parameters: Parameters) -> tuple[Model, PrimalDual]:
        return Model(start), PrimalDual(start, tf.zeros_like(start))

    def local_update(self, server: Model, client: PrimalDual, now: Round) -> Local:
        """Return models trained on f_i(w) + ⟨y_i, w⟩ + ρ/2·‖w − θ‖² (3), duals y_i + ρ(w_i − θ), and uploads (4)."""
        rho = now.parameters.rho[None, None]
        done = now.problem.solve(now.start(client.model, server.model), client.dual, rho, server.model)
        away = done.theta - server.model
        change = done.theta - (client.model if now.options.stored_model == "own" else server.model)
        return Local(PrimalDual(done.theta, client.dual + rho * away), done, (change + away,))

    def global_update(self, server: Model, totals: Totals, now: Round) -> Model:
        """Return θ + η/|S|·Σ of the participants' changes (5)."""
        return Model(server.model + now.parameters.server_step * totals[0] / now.participants)
