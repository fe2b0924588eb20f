"""S. P. Karimireddy, S. Kale, M. Mohri, S. Reddi, S. Stich, A. T. Suresh, "SCAFFOLD: stochastic controlled averaging
for federated learning", with option II for the control variates.
"""

from typing import Any, NamedTuple

from otafl.algorithms.federated import CONTROL, FederatedMethod, plain
from otafl.algorithms.local_problem import Local, Round
from otafl.algorithms.method import method
from otafl.numerics.tensors import Tensor, tf


class Server(NamedTuple):
    """State of the server in SCAFFOLD; d is the number of elements of a model.

    Arguments:
        model: the global model. Shape [1, d, runs].
        control: the mean control variate c. Shape [1, d, runs].
    """

    model: Tensor
    control: Tensor


class Client(NamedTuple):
    """State of a worker i in SCAFFOLD; d is the number of elements of a model.

    Arguments:
        control: the worker's control variate c_i, an estimate of its mean gradient. Shape [participants, d, runs].
    """

    control: Tensor


@method("SCAFFOLD")
class Scaffold(FederatedMethod):
    """SCAFFOLD: local gradients are corrected by c − c_i; workers upload the changes of model and control variate.

    Control variates c_i of workers estimate their mean local gradients, c the mean over all workers.
    """

    reads = (*FederatedMethod.reads, "algorithm.server_step")
    limits = (plain(CONTROL),)
    scheduled = ("algorithm.server_step",)
    vectors = 2
    broadcasts = ("model", "control")

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Server, Client]:
        """Return the initial model, and control variates at zero.

        Arguments:
            start: initial model of d elements. Shape [1, d, runs].
            options: unused.
            parameters: unused.

        Returns:
            A ``Server``, model and control variate c, and a ``Client``, its control variate c_i, that every worker
            begins with. Shape [1, d, runs] each.
        """
        return Server(start, tf.zeros_like(start)), Client(tf.zeros_like(start))

    def local_update(self, server: Server, client: Client, now: Round) -> Local:
        """Return models trained by w ← w − η(g − c_i + c), and control variates c_i − c + (θ − w)/Qη.

        Symbols: local models w, gradients g, control variates c_i of workers and c of the server, learning rate η, Q
        local steps, and the global model θ as received, from which training starts. Source: Karimireddy et al., option
        II.

        Arguments:
            server: the server's state as workers have received it: global model θ and control variate c. Shape
                [participants or 1, d, runs] each, for d elements of a model.
            client: the participants' control variates c_i. Shape [participants, d, runs].
            now: inputs of the round, of which local problems, ``learning_rate`` and numbers of local steps are read.

        Returns:
            A ``Local`` with new control variates c_i and trained models w, [participants, d, runs] each; mean losses
            over the local steps and epochs, [participants, runs] each; and two messages, the changes w − θ of model and
            −c + (θ − w)/Qη of c_i, [participants, d, runs] each.
        """
        correction = server.control - client.control
        done = now.problem.solve(server.model, dual=correction)
        update = done.theta - server.model
        change = -server.control - update / (now.steps * now.parameters.learning_rate)
        return Local(Client(client.control + change), done, (update, change))

    def global_update(self, server: Server, totals: tuple[Tensor, ...], now: Round) -> Server:
        """Return the server's new state: model θ + η_g/|S|·Σ(w_i − θ), and control variate c + 1/N·Σ(c_i' − c_i).

        Arguments:
            server: the server's state: global model θ and control variate c. Shape [1, d, runs] each, for d elements of
                a model.
            totals: received sums of the changes of models, w_i − θ, and of control variates, c_i' − c_i. Shape
                [1, d, runs] each.
            now: inputs of the round: server's step η_g (``server_step``), and numbers |S| of participants and N of
                workers.

        Returns:
            A ``Server`` with model and control variate. Shape [1, d, runs] each.
        """
        model = server.model + now.parameters.server_step * totals[0] / now.participants
        return Server(model, server.control + totals[1] / now.options.workers)
