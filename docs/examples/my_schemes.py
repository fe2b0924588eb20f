"""Schemes of one's own: a method, a fading model and an uplink."""

# -- imports
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.special import gammaincinv

import otafl
import otafl.channels.fading
from otafl.algorithms.fedavg import FedAvg
from otafl.algorithms.local_problem import Nothing
from otafl.numerics.tensors import Tensor, tf
from otafl.uplinks import Digital


# -- method
class Server(NamedTuple):
    """The global model, and where it was heading. Shapes [1, d, runs]."""

    model: Tensor
    velocity: Tensor


BETA = otafl.key(0.9, "share of the velocity that stays", symbol="β", ge=0, lt=1)


@otafl.method("FedAvgM", server_momentum=BETA)
class FedAvgM(FedAvg):
    """FedAvg with momentum at the server: v ← βv + Σω_i(w_i − θ)/Σω_i, θ ← θ + ηv."""

    def init(self, start, options, parameters):
        return Server(start, tf.zeros_like(start)), Nothing()

    def global_update(self, server, totals, now):
        p, update = now.parameters, totals[0] / now.total_weight
        velocity = p.server_momentum * server.velocity + update
        return Server(server.model + p.server_step * velocity, velocity)


# -- fading
@otafl.channels.fading.register("nakagami")
@dataclass(frozen=True)
class NakagamiFading:
    """Powers |h|² are gamma distributed, with mean 1 and variance 1/m, and phases are uniform."""

    nakagami_m: float = field(default=2.0, metadata={"description": "Nakagami's m", "symbol": "$m$", "ge": 0.5})

    def sample(self, rng, num_workers, num_subcarriers):
        power, phase = np.moveaxis(rng.random((num_subcarriers, num_workers, 2)), (0, 1), (2, 1))
        return np.sqrt(gammaincinv(self.nakagami_m, power) / self.nakagami_m) * np.exp(2j * np.pi * phase)


# -- uplink
@otafl.uplink("with_header", header_bits=otafl.key(256, "bits before each upload", unit="bit", ge=0))
class WithHeader(Digital):
    """Digital uploads that begin with a header."""

    @property
    def bits(self):
        return super().bits + self.settings.uplink.header_bits
