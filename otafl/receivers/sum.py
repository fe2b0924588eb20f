"""Receiver that takes the sum as it arrives."""

from dataclasses import dataclass

from otafl.receivers.protocol import Receiver, register


@register("sum")
@dataclass(frozen=True)
class Sum(Receiver):
    """The sum as it arrives; it need not know who transmits."""
