"""S. Reddi, Z. Charles, M. Zaheer, Z. Garrett, K. Rush, J. Konečný, S. Kumar, H. B. McMahan, "Adaptive federated
optimization": FedAdam, FedAvg whose server takes a step of Adam along the mean of updates.

With one local step over all samples of a worker, and a learning rate of 1, it is gradient descent by Adam at the
server, as in Amiri and Gündüz. Reading: moments are corrected for their bias, and ε is Keras' 1e-7.
"""

from typing import Any, NamedTuple

from otafl.algorithms.fedavg import FedAvg
from otafl.algorithms.method import method
from otafl.algorithms.protocol import Nothing, Round
from otafl.arrays import Tensor, tf
from otafl.optimizers import Adam

ADAM = Adam()


class Server(NamedTuple):
    """State of the server in FedAdam; d is the number of elements of a model.

    Arguments:
        model: the global model. Shape [1, d, runs].
        first: moment m, mean of the negative mean updates. Shape [1, d, runs].
        second: moment v, mean of their squares. Shape [1, d, runs].
        count: number of rounds so far. Shape [1, 1, runs].
    """

    model: Tensor
    first: Tensor
    second: Tensor
    count: Tensor


@method("FedAdam")
class FedAdam(FedAvg):
    """FedAdam: a step of Adam along g = −Σ_S ω_i(w_i − θ)/Σ_S ω_i, with w_i trained on f_i from θ.

    Symbols: global model θ, participants S, their weights ω_i and local losses f_i. The server's step is Adam's rate.
    """

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Server, Nothing]:
        """Return the server at the initial model, with moments of zero; workers keep nothing.

        Arguments:
            start: initial model of d elements. Shape [1, d, runs].
            options: unused.
            parameters: unused.

        Returns:
            A ``Server`` of model, moments and count of rounds, and ``Nothing``, the empty state of a worker.
        """
        zero = tf.zeros_like(start)
        return Server(start, zero, zero, zero[:, :1]), Nothing()

    def global_update(self, server: Server, totals: tuple[Tensor, ...], now: Round) -> Server:
        """Return the server's new state, after a step of Adam along the mean of updates.

        Arguments:
            server: the server's state, model and moments. Shape [1, d, runs] each, for d elements of a model.
            totals: one received sum, that of the participants' ω_i(w_i − θ). Shape [1, d, runs].
            now: inputs of the round, of which ``server_step``, [runs], and Σω_i (``total_weight``) are read.

        Returns:
            A ``Server`` with model, moments and count of rounds.
        """
        step, slope = server.count + 1, -totals[0] / now.total_weight
        first = server.first + (1 - ADAM.beta_1) * (slope - server.first)
        second = server.second + (1 - ADAM.beta_2) * (slope * slope - server.second)
        rate = now.parameters.server_step * tf.sqrt(1 - ADAM.beta_2**step) / (1 - ADAM.beta_1**step)
        return Server(server.model - rate * first / (tf.sqrt(second) + ADAM.epsilon), first, second, step)
