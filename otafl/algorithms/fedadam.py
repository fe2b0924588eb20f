"""S. Reddi, Z. Charles, M. Zaheer, Z. Garrett, K. Rush, J. Konečný, S. Kumar, H. B. McMahan, "Adaptive federated
optimization", algorithm 2: FedAdam, FedAvg whose server divides the mean update by its usual size.

Unlike Adam of Kingma and Ba it does not correct moments for their bias. The paper asks for v₋₁ ≥ τ²; here v₋₁ = τ².
"""

from typing import NamedTuple

from otafl.algorithms.fedavg import FedAvg
from otafl.algorithms.local_problem import Nothing, Options, Parameters, Round
from otafl.algorithms.method import method
from otafl.numerics.tensors import GlobalModel, Totals, tf
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
    """State of the server in FedAdam: global model θ, and means m of updates and v of their squares."""

    model: GlobalModel
    first: GlobalModel
    second: GlobalModel


@method("FedAdam", first_moment_decay=FIRST_DECAY, second_moment_decay=SECOND_DECAY, adaptivity=ADAPTIVITY)
class FedAdam(FedAvg):
    """FedAdam: θ ← θ + ηm/(√v + τ), m and v means of Δ and Δ² over rounds, Δ = Σ_S ω_i(w_i − θ)/Σ_S ω_i.

    Symbols: global model θ, server's step η (``server_step``), degree of adaptivity τ (``adaptivity``), participants S,
    their weights ω_i, and models w_i trained on f_i from θ. Means are m ← β₁m + (1 − β₁)Δ and v ← β₂v + (1 − β₂)Δ².
    """

    version = 2

    def init(self, start: GlobalModel, options: Options, parameters: Parameters) -> tuple[Server, Nothing]:
        zero = tf.zeros_like(start)
        return Server(start, zero, zero + parameters.adaptivity**2), Nothing()

    def global_update(self, server: Server, totals: Totals, now: Round) -> Server:
        mean = totals[0] / now.total_weight
        given = now.parameters
        first = given.first_moment_decay * server.first + (1 - given.first_moment_decay) * mean
        second = given.second_moment_decay * server.second + (1 - given.second_moment_decay) * mean**2
        step = given.server_step * first / (tf.sqrt(second) + given.adaptivity)
        return Server(server.model + step, first, second)
