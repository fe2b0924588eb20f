"""Ideal uplink: everything arrives exactly and costs nothing; the reference without a channel."""

import numpy as np

from otafl.uplinks.uplink import Cost, Senders, Uplink, register


@register("ideal")
class Ideal(Uplink):
    """Nothing is charged but elements."""

    exact = True
    wireless = False

    def cost(self, senders: Senders) -> Cost:
        """No slots, uses or energy."""
        nothing = np.zeros(len(senders.snr))
        return Cost(nothing, nothing, nothing, nothing + senders.workers * self.uploaded)
