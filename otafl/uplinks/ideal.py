"""Ideal uplink: everything arrives exactly and costs nothing; the reference without a channel."""

import numpy as np

from otafl.arrays import Tensor, tf
from otafl.uplinks.exact import ExactLink
from otafl.uplinks.uplink import Cost, Inputs, Senders, Uplink


class Ideal(Uplink):
    """Nothing is charged but elements."""

    kind = "ideal"

    @classmethod
    def link(cls, inputs: Inputs, runs: Tensor) -> ExactLink:
        """An exact link."""
        return ExactLink(tf.zeros_like(runs))

    def cost(self, senders: Senders) -> Cost:
        """No slots, uses or energy."""
        nothing = np.zeros(len(senders.snr))
        return Cost(nothing, nothing, nothing, nothing + senders.workers * self.uploaded)
