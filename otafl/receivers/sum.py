"""Receiver that takes the sum as it arrives."""

from dataclasses import dataclass

from otafl.receivers.receiver import Receiver, register


@register("sum")
@dataclass(frozen=True)
class Sum(Receiver):
    """Sum as it arrives; the server need not know which workers transmit."""
