"""Schemes of one's own: a method, a fading model and an uplink."""

# -- imports
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

import channels.fading
import otafl
from channels.noise import complex_normal
from otafl.algorithms.fedavg import FedAvg
from otafl.algorithms.protocol import Nothing
from otafl.arrays import Tensor, tf
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
@channels.fading.register("rician")
@dataclass(frozen=True)
class RicianFading:
    """A path that does not fade, and many others: h = √(K/(K+1)) + √(1/(K+1)) z, z ~ CN(0, 1)."""

    rice_factor: float = field(default=4.0, metadata={"description": "Rice factor K", "symbol": "$K$", "ge": 0})

    def sample(self, rng, num_workers, num_subcarriers):
        scattered = complex_normal(rng, (num_subcarriers, num_workers)).T
        return (np.sqrt(self.rice_factor) + scattered) / np.sqrt(self.rice_factor + 1)


# -- uplink
@otafl.uplink("with_header", header_bits=otafl.key(256, "bits before each upload", unit="bit", ge=0))
class WithHeader(Digital):
    """Digital uploads that begin with a header."""

    @property
    def bits(self):
        return super().bits + self.settings.uplink.header_bits
