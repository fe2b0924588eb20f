"""Receiver that takes the difference of two energies for an element, without instantaneous channel knowledge."""

from dataclasses import dataclass

from otafl.numerics.tensors import Estimate, Received, Scalar
from otafl.receivers.energy import side_energies, single_sample
from otafl.receivers.receiver import Receiver, register


@register("energy_difference")
@dataclass(frozen=True)
class EnergyDifference(Receiver):
    """Sum of each element as the energy of its symbols for positive parts, less that for negative ones.

    Over channels whose mean power gain is 1 it has no bias, as the mean energy of noise cancels. With m chips, sums S₊
    and S₋ of the workers' positive and negative parts, and noise of energy ν on a symbol, independent Rayleigh fading
    gives it a variance of ((S₊ + mν)² + (S₋ + mν)²)/m.

    Source: H. Chen, Z. Bozorgasl, "Resource-Element Energy Difference for Noncoherent Over-the-Air Federated Learning".
    """

    non_coherent = True

    def requires(self, chain, settings, method) -> str:
        if not chain.compressor.energies:
            return "needs elements as energies of two symbols, uplink.compressor = 'signed_energy'"
        if chain.precoder.by_gains:
            return "needs a precoder that knows no gain of a block, such as uplink.precoder = 'mean_inversion'"
        if chain.power_control.expected_norm(1) is not None:
            return "needs a power control that does not shorten vectors of amplitudes, such as 'common'"
        if chain.power_control.edges > 1:
            return "needs one server, as energies at several edges have noise of their own"
        if settings.channel.noise == "alpha_stable":
            return "contradicts channel.noise = 'alpha_stable', whose energy has no mean that could cancel"
        return single_sample(settings)

    def estimate(self, total: Received, elements: int, draw: Scalar) -> Estimate:
        energy = side_energies(total, elements)
        return energy[:, 0] - energy[:, 1]
