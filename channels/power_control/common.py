"""Power control by the worker that takes most."""

from dataclasses import dataclass

from channels.power_control.protocol import PowerControl, register


@register("common")
@dataclass(frozen=True)
class CommonPower(PowerControl):
    """One factor α for all, by which the worker that takes most keeps to its budget in every upload.

    Source: Elgabli et al., section II-F.
    """
