"""Q. Tran Dinh, N. Pham, D. Phan, L. Nguyen, "FedDR: randomized Douglas-Rachford splitting algorithms for nonconvex
federated composite optimization", as algorithm 1 of Wang et al. has it.

Workers start at x_i = y_i = x̄, as in FedDR-II, and not at x_i = prox(y_i): no worker trains before it is drawn, and the
server's mean is that of what workers hold from the start.
"""

from typing import NamedTuple

from otafl.algorithms.fedadmm_wang import proximal_mean
from otafl.algorithms.federated import FederatedMethod, ModelAndMean
from otafl.algorithms.local_problem import Local, Options, Parameters, Round
from otafl.algorithms.method import method
from otafl.algorithms.proximal import REGULARISED
from otafl.numerics.tensors import GlobalModel, Models, Totals
from otafl.settings.part_keys import key
from otafl.settings.types import Positive

PROXIMAL_STEP = key(1.0, "FedDR: step η of the proximal operators", takes=Positive)
RELAXATION = key(1.0, "FedDR: relaxation α", gt=0, lt=2)


class Client(NamedTuple):
    """State of a worker in FedDR: its model x_i, and y_i, the point from which its proximal step leads to x_i."""

    model: Models
    centre: Models


@method("FedDR", proximal_step=PROXIMAL_STEP, relaxation=RELAXATION, **REGULARISED)
class FedDR(FederatedMethod):
    """FedDR: randomised Douglas-Rachford splitting; its η is ``proximal_step``, its α ``relaxation``.

    Symbols: local losses f_i, models x_i, centres y_i of the proximal operators, global model x̄, mean of uploads x̃.
    """

    shapes = ("local.warm_start",)

    def init(self, start: GlobalModel, options: Options, parameters: Parameters) -> tuple[ModelAndMean, Client]:
        return ModelAndMean(start, start), Client(start, start)

    def local_update(self, server: ModelAndMean, client: Client, now: Round) -> Local:
        """Return y_i + α(x̄ − x_i) and x_i ≈ prox_{ηf_i}(y_i), which is trained, and the change of 2x_i − y_i."""
        centre = client.centre + now.parameters.relaxation * (server.model - client.model)
        weight = 1 / now.parameters.proximal_step[None, None]
        done = now.problem.solve(now.start(client.model, server.model), weight=weight, anchor=centre)
        change = 2 * (done.theta - client.model) - (centre - client.centre)
        return Local(Client(done.theta, centre), done, (change,))

    def global_update(self, server: ModelAndMean, totals: Totals, now: Round) -> ModelAndMean:
        return proximal_mean(server, totals, now, now.parameters.proximal_step)
