"""Receiver that compares energies, without any knowledge of channels."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from otafl.numerics.tensors import Estimate, Received, Scalar, Tensor, tf
from otafl.receivers.majority import Majority
from otafl.receivers.receiver import register

if TYPE_CHECKING:
    from otafl.settings.keys import Settings

SINGLE = {
    "channel.pilots": 0,
    "cell.antennas": 1,
    "cell.worker_antennas": 1,
    "cell.surface_elements": 0,
    "uplink.elements_per_symbol": 1,
    "uplink.downlink": "digital",
}
"""Keys that must have these values: without channel knowledge a surface has no phases, and no worker equalises."""


@register("energy")
@dataclass(frozen=True)
class Energy(Majority):
    """Vote for the sign whose symbol has more energy; the model moves by ``algorithm.server_step`` in each element.

    The energy of a symbol has an expected value of the sum of the voters' power gains, and noise. Phases do not count.

    Source: A. Şahin, "Distributed Learning over a Wireless Network with Non-coherent Majority Vote Computation".
    """

    non_coherent = True
    version = 2

    def requires(self, chain, settings, method) -> str:
        if chain.compressor.active == 1:
            return "needs votes on two symbols each, uplink.compressor = 'fsk'"
        if chain.precoder.by_gains:
            return "needs symbols without a precoder, uplink.precoder = 'unprecoded'"
        return single_sample(settings) or super().requires(chain, settings, method)

    def estimate(self, total: Received, elements: int, draw: Scalar) -> Estimate:
        energy = side_energies(total, elements)
        return tf.sign(energy[:, 0] - energy[:, 1])


def single_sample(settings: "Settings") -> str:
    """Return why a run has no receiver of energies: known channels, or several samples for a symbol; else empty."""
    for key, without in SINGLE.items():
        if settings.value(key) != without:
            return f"needs {key} = {without!r}, as it knows no channel and has one complex sample for a symbol"
    return ""


def side_energies(total: Received, elements: int) -> Tensor:
    """Return the energies of each of d elements' first and second symbols, summed over m pairs. Shape [d, 2, runs]."""
    # The total has 4md real numbers: real parts before imaginary ones, those of an element side by side.
    parts = tf.reshape(total, (2, elements, -1, 2, total.shape[-1]))
    return tf.reduce_sum(tf.square(parts), axis=[0, 2])
