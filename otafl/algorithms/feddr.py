"""Q. Tran Dinh, N. Pham, D. Phan, L. Nguyen, "FedDR: randomized Douglas-Rachford splitting algorithms for nonconvex
federated composite optimization", as algorithm 1 of Wang et al. has it.

Workers start at x_i = y_i = x̄, as in FedDR-II, and not at x_i = prox(y_i): no worker trains before it is drawn, and the
server's mean is that of what workers hold from the start.
"""

from typing import Any, NamedTuple

from otafl.algorithms.fedadmm_wang import Server
from otafl.algorithms.federated import FederatedMethod
from otafl.algorithms.local_problem import Local, Round
from otafl.algorithms.method import method
from otafl.algorithms.proximal import PROXIMAL, REGULARISED
from otafl.numerics.tensors import Tensor
from otafl.settings.part_keys import key
from otafl.settings.types import Positive

PROXIMAL_STEP = key(1.0, "FedDR: step η of the proximal operators", takes=Positive)
RELAXATION = key(1.0, "FedDR: relaxation α", gt=0, lt=2)


class Client(NamedTuple):
    """State of a worker in FedDR; d is the number of elements of a model.

    Arguments:
        model: the worker's model x_i. Shape [participants, d, runs].
        centre: its y_i, the point from which its proximal step leads to x_i. Shape [participants, d, runs].
    """

    model: Tensor
    centre: Tensor


@method("FedDR", proximal_step=PROXIMAL_STEP, relaxation=RELAXATION, **REGULARISED)
class FedDR(FederatedMethod):
    """FedDR: randomised Douglas-Rachford splitting; its η is ``proximal_step``, its α ``relaxation``.

    Symbols: local losses f_i, models x_i, centres y_i of the proximal operators, global model x̄, mean of uploads x̃.
    """

    shapes = ("local.warm_start",)

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Server, Client]:
        """Return server and workers at the initial model.

        Arguments:
            start: initial model of d elements. Shape [1, d, runs].
            options: unused.
            parameters: unused.

        Returns:
            A ``Server``, model and mean, and a ``Client``, model and centre, that every worker begins with. Shape [1,
            d, runs] each.
        """
        return Server(start, start), Client(start, start)

    def local_update(self, server: Server, client: Client, now: Round) -> Local:
        """Return y_i + α(x̄ − x_i) and x_i ≈ prox_{ηf_i}(y_i), and the change of 2x_i − y_i to upload.

        The latter is trained: argmin_x f_i(x) + ‖x − y_i‖²/2η, with local loss f_i, new centre y_i and the 2-norm ‖·‖,
        from x_i, or with ``local.warm_start = "global"`` from x̄, the global model as received. Parameters are the
        relaxation α and the proximal step η. Source: Wang et al., "FedADMM", algorithm 1.

        Arguments:
            server: the server's state as workers have received it, of which the global model x̄ is read. Shape
                [participants or 1, d, runs], for d elements of a model.
            client: the participants' models x_i and centres y_i. Shape [participants, d, runs] each.
            now: inputs of the round, of which local problems, ``relaxation``, ``proximal_step`` and ``warm_start`` are
                read.

        Returns:
            A ``Local`` with new states (x_i, y_i) and trained models x_i, [participants, d, runs] each; mean losses
            over the local steps and epochs, [participants, runs] each; and one message, the change of 2x_i − y_i since
            the worker's last round, [participants, d, runs].
        """
        centre = client.centre + now.parameters.relaxation * (server.model - client.model)
        weight = 1 / now.parameters.proximal_step[None, None]
        done = now.problem.solve(now.start(client.model, server.model), weight=weight, anchor=centre)
        change = 2 * (done.theta - client.model) - (centre - client.centre)
        return Local(Client(done.theta, centre), done, (change,))

    def global_update(self, server: Server, totals: tuple[Tensor, ...], now: Round) -> Server:
        """Return the server's new state: x̃ plus 1/N·Σ of changes, and x̄ = prox_{ηg}(x̃). Shape [1, d, runs] each.

        Here x̃ is the mean of uploads over N workers, x̄ the global model, and prox the proximal operator.

        Arguments:
            server: the server's state, of which the mean x̃ of uploads is read. Shape [1, d, runs], for d elements of a
                model.
            totals: one received sum, that of the participants' changes of 2x_i − y_i, of models x_i and centres y_i.
                Shape [1, d, runs].
            now: inputs of the round: number N of workers, proximal step η, and regulariser g with its weight.
        """
        mean = server.mean + totals[0] / now.options.workers
        step, weight = now.parameters.proximal_step, now.parameters.regulariser_weight
        return Server(PROXIMAL[now.options.regulariser](mean, step, weight), mean)
