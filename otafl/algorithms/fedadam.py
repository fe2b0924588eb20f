"""S. Reddi, Z. Charles, M. Zaheer, Z. Garrett, K. Rush, J. Konečný, S. Kumar, H. B. McMahan, "Adaptive federated
optimization", algorithm 2: FedAdam, FedAvg whose server divides the mean update by its usual size.

Unlike Adam of Kingma and Ba it does not correct moments for their bias. The paper asks for v₋₁ ≥ τ²; here v₋₁ = τ².
"""

from typing import Any, NamedTuple

from otafl.algorithms.fedavg import FedAvg
from otafl.algorithms.local_problem import Nothing, Round
from otafl.algorithms.method import method
from otafl.numerics.tensors import Tensor, tf
from otafl.settings.part_keys import key
from otafl.settings.types import Positive

FIRST_DECAY = key(
    0.9,
    "FedAdam: decay β₁ of the first moment m, a mean of updates, in a round",
    symbol="$\\beta_1$",
    label="decay of the first moment",
    ge=0,
    lt=1,
)
SECOND_DECAY = key(
    0.99,
    "FedAdam: decay β₂ of the second moment v, a mean of squared updates, in a round",
    symbol="$\\beta_2$",
    label="decay of the second moment",
    ge=0,
    lt=1,
)
ADAPTIVITY = key(
    1e-3,
    "FedAdam: degree of adaptivity τ, added to √v; updates far below it are not scaled up",
    symbol="$\\tau$",
    label="degree of adaptivity",
    takes=Positive,
)


class Server(NamedTuple):
    """State of the server in FedAdam; d is the number of elements of a model.

    Arguments:
        model: the global model θ. Shape [1, d, runs].
        first: moment m, a mean of updates. Shape [1, d, runs].
        second: moment v, a mean of their squares. Shape [1, d, runs].
    """

    model: Tensor
    first: Tensor
    second: Tensor


@method("FedAdam", first_moment_decay=FIRST_DECAY, second_moment_decay=SECOND_DECAY, adaptivity=ADAPTIVITY)
class FedAdam(FedAvg):
    """FedAdam: θ ← θ + ηm/(√v + τ), m and v means of Δ and Δ² over rounds, Δ = Σ_S ω_i(w_i − θ)/Σ_S ω_i.

    Symbols: global model θ, server's step η (``server_step``), degree of adaptivity τ (``adaptivity``), participants S,
    their weights ω_i, and models w_i trained on f_i from θ. Means are m ← β₁m + (1 − β₁)Δ and v ← β₂v + (1 − β₂)Δ².
    """

    version = 2

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Server, Nothing]:
        """Return the server at the initial model with m = 0 and v = τ²; workers keep nothing.

        Arguments:
            start: initial model of d elements. Shape [1, d, runs].
            options: unused.
            parameters: the method's parameters, of which ``adaptivity``, [runs], is read.

        Returns:
            A ``Server`` of model and moments, and ``Nothing``, the empty state of a worker.
        """
        zero = tf.zeros_like(start)
        return Server(start, zero, zero + parameters.adaptivity**2), Nothing()

    def global_update(self, server: Server, totals: tuple[Tensor, ...], now: Round) -> Server:
        """Return the server's new state, after a step along the mean of updates over the root of their mean square.

        Arguments:
            server: the server's state, model and moments. Shape [1, d, runs] each, for d elements of a model.
            totals: one received sum, that of the participants' ω_i(w_i − θ). Shape [1, d, runs].
            now: inputs of the round, of which the method's parameters, [runs] each, and Σω_i (``total_weight``) are
                read.

        Returns:
            A ``Server`` of model and moments.
        """
        mean, own = totals[0] / now.total_weight, now.parameters
        first = own.first_moment_decay * server.first + (1 - own.first_moment_decay) * mean
        second = own.second_moment_decay * server.second + (1 - own.second_moment_decay) * mean**2
        step = own.server_step * first / (tf.sqrt(second) + own.adaptivity)
        return Server(server.model + step, first, second)
