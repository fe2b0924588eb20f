"""Analog uplink: all workers' symbols superpose over the air, under one power budget each.

A worker transmits x = c/h for a contribution c that should arrive, so |x|² = c²/|h|² and the received sum is Σ_n c_n:
the real equivalent of ``channels.multiple_access``, which is the complex reference.

Approximations: workers are synchronised; each knows its own gain, and the server what it needs of Σ|h|² or of who
spoke, from pilots and a control channel that are not part of the slots, uses and energy reported here.
"""

from typing import NamedTuple

import tensorflow as tf

from otafl.arrays import Tensor
from otafl.uplinks.link import Upload


class Radio(NamedTuple):
    """Parameters of the analog radio, each of shape [runs].

    Arguments:
        budget: largest Σ_i |α x_i|² of a worker in an upload [W].
        noise_std: standard deviation of the real part of a matched-filter sample, √(N0/2T) [√W].
        threshold: ε of the truncated inversion.
        slot_s: T [s].
    """

    budget: Tensor
    noise_std: Tensor
    threshold: Tensor
    slot_s: Tensor


class AnalogLink(NamedTuple):
    """One iteration of the analog uplink.

    Arguments:
        inverse_gain: 1/|h|² on the subcarrier of each element. Shape [workers, d, runs].
        noise: real samples N(0, 1) of the server's receiver. Shape [d, runs].
        downlink_noise: likewise of the workers' receivers; None: error-free. Shape [workers, d, runs].
        radio: powers and densities.
    """

    inverse_gain: Tensor
    noise: Tensor
    downlink_noise: Tensor | None
    radio: Radio

    def superpose(self, contribution: Tensor) -> Upload:
        """Send x = c/h at full common power; after division by α the server has Σ_n c_n + Re{z}/α.

        Source: Elgabli et al., equation (13) and section II-F.
        """
        power = signal_power(contribution, self.inverse_gain)
        largest = tf.reduce_max(power, axis=0)
        noise = self.radio.noise_std * amplification(largest, self.radio) * self.noise
        relative = tf.math.divide_no_nan(tf.reduce_sum(power, axis=0), largest)
        energy = tf.math.multiply_no_nan(self.radio.budget, relative) * self.radio.slot_s
        return Upload((tf.reduce_sum(contribution, axis=0) + noise)[None], energy)

    def sum(self, message: Tensor) -> Upload:
        """Send by truncated channel inversion; a worker is silent where |h| < ε.

        The server knows how many spoke and scales their sum by N over that number; where nobody spoke it takes 0.
        Source: Elgabli et al., section V-A (A-GD).
        """
        active = self.inverse_gain * self.radio.threshold**2 <= 1
        received = self.superpose(tf.where(active, message, tf.zeros_like(message)))
        spoke = tf.reduce_sum(tf.cast(active, message.dtype), axis=0)
        num_workers = tf.cast(tf.shape(message)[0], message.dtype)
        return Upload(received.total * tf.math.divide_no_nan(num_workers, spoke), received.energy)

    def broadcast(self, model: Tensor) -> Tensor:
        """Every worker sees Θ + Re{z/h}/α; the server keeps to the power budget of a worker.

        Source: Elgabli et al., section II-E, equations (14) and (15).
        """
        if self.downlink_noise is None:
            return model
        scale = self.radio.noise_std * amplification(tf.reduce_sum(model * model, axis=[0, 1]), self.radio)
        return model + scale * self.downlink_noise * tf.sqrt(self.inverse_gain)


def on_elements(gain: Tensor, elements: int) -> Tensor:
    """What subcarriers have, as elements have it: element i rides subcarrier i mod S. Shape [workers, d, runs]."""
    subcarriers = gain.shape[1]
    if subcarriers == elements:
        return gain
    return tf.tile(gain, [1, -(-elements // subcarriers), 1])[:, :elements]


def signal_power(contribution: Tensor, inverse_gain: Tensor) -> Tensor:
    """Σ_i |x_{n,i}|² before power control, for x = c/h. Shape [workers, runs]."""
    return tf.reduce_sum(contribution * contribution * inverse_gain, axis=1)


def amplification(largest: Tensor, radio: Radio) -> Tensor:
    """1/α for the largest signal power of a transmitter; 0 under an infinite budget. Shape [runs]."""
    return tf.sqrt(largest / radio.budget)
