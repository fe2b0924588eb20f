"""Ideal uplink: everything arrives exactly and costs nothing; the reference without a channel."""

import numpy as np

from otafl.uplinks.error_free import ExactUplink
from otafl.uplinks.registry import register
from otafl.uplinks.uplink import Cost, Senders


@register("ideal")
class Ideal(ExactUplink):
    """Nothing is charged but elements."""

    wireless = False

    def cost(self, senders: Senders) -> Cost:
        """No slots, uses or energy."""
        nothing = np.zeros(len(senders.snr))
        return Cost(nothing, nothing, nothing, nothing + senders.workers * self.uploaded)
