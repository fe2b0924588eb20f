"""Power control: amplitudes of workers under a budget, and the power that their common factor α counts.

A kind of power control is a frozen dataclass with a name given by ``register``, and parameters as its fields.
"""

# isort: off
from channels.power_control.protocol import POWER_CONTROLS, PowerControl, register

# kinds, in the order in which they are listed
from channels.power_control.common import CommonPower
from channels.power_control.average import AveragePower
from channels.power_control.mmse import MmsePower
from channels.power_control.scheduled import ScheduledPower
from channels.power_control.per_edge import PerEdge
# isort: on

__all__ = [
    "POWER_CONTROLS",
    "AveragePower",
    "CommonPower",
    "MmsePower",
    "PerEdge",
    "PowerControl",
    "ScheduledPower",
    "register",
]
