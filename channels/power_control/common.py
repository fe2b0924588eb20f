"""Power control by the worker of the largest power."""

from dataclasses import dataclass

from .power_control import PowerControl, register


@register("common")
@dataclass(frozen=True)
class CommonPower(PowerControl):
    """Power control with one factor α for all: the worker of the largest power keeps its budget in every upload.

    Source: Elgabli et al., section II-F.
    """
