"""Ideal uplink: messages arrive exactly and cost nothing, as a reference without a channel."""

import numpy as np

from otafl.uplinks.uplink import Cost, Senders, Uplink, register


@register("ideal")
class Ideal(Uplink):
    """Ideal uplink: messages arrive exactly; nothing is charged but elements."""

    exact = True
    wireless = False

    def cost(self, senders: Senders) -> Cost:
        nothing = np.zeros(len(senders.snr))
        return Cost(nothing, nothing, nothing, nothing + senders.workers * self.uploaded)
