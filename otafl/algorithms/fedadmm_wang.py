"""H. Wang, S. Marella, J. Anderson, "FedADMM: a federated primal-dual algorithm allowing partial participation",
algorithm 2: minimises 1/N·Σf_i(x) + g(x), g through its proximal operator.

Their line 16 prints prox_{g/n}; theorem 1 needs prox_{g/η}, which is what is done here.
"""

from otafl.algorithms.federated import FederatedMethod, ModelAndMean, PrimalDual
from otafl.algorithms.local_problem import Local, Options, Parameters, Round
from otafl.algorithms.method import method, positive
from otafl.algorithms.proximal import PROXIMAL, REGULARISED
from otafl.numerics.tensors import GlobalModel, PerRun, Totals, tf


@method("FedADMM-Wang", **REGULARISED)
class FedADMMWang(FederatedMethod):
    """FedADMM of Wang et al.; its penalty η is ``rho``.

    Symbols: local losses f_i, models x_i and duals z_i, global model x̄, mean of uploads x̃, regulariser g, workers N.
    """

    reads = (*FederatedMethod.reads, "algorithm.rho")
    shapes = ("local.warm_start",)
    limits = (positive("algorithm.rho"),)
    scheduled = ("algorithm.rho",)

    def init(self, start: GlobalModel, options: Options, parameters: Parameters) -> tuple[ModelAndMean, PrimalDual]:
        return ModelAndMean(start, start), PrimalDual(start, tf.zeros_like(start))

    def local_update(self, server: ModelAndMean, client: PrimalDual, now: Round) -> Local:
        """Return models of f_i(x) + ⟨z_i, x − x̄⟩ + η/2·‖x − x̄‖², duals z_i + η(x − x̄), and changes of x_i + z_i/η."""
        eta = now.parameters.rho[None, None]
        done = now.problem.solve(now.start(client.model, server.model), client.dual, eta, server.model)
        away = done.theta - server.model
        after = PrimalDual(done.theta, client.dual + eta * away)
        return Local(after, done, (done.theta - client.model + away,))

    def global_update(self, server: ModelAndMean, totals: Totals, now: Round) -> ModelAndMean:
        return proximal_mean(server, totals, now, 1 / now.parameters.rho)


def proximal_mean(server: ModelAndMean, totals: Totals, now: Round, step: PerRun) -> ModelAndMean:
    """Return the server's new state: x̃ plus 1/N·Σ of changes, and x̄ = prox of the regulariser at x̃, of a step."""
    mean = server.mean + totals[0] / now.options.workers
    return ModelAndMean(PROXIMAL[now.options.regulariser](mean, step, now.parameters.regulariser_weight), mean)
