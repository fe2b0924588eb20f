"""Power control: how strongly workers transmit under a budget, and what α, their common factor, counts with.

A kind of power control is a frozen dataclass that ``register`` has given a name, and whose fields are its parameters.
"""

# isort: off
from channels.power_control.protocol import POWER_CONTROLS, PowerControl, register

# kinds, in the order in which they are listed
from channels.power_control.common import CommonPower
from channels.power_control.average import AveragePower
from channels.power_control.mmse import MmsePower
from channels.power_control.scheduled import ScheduledPower
# isort: on

__all__ = ["POWER_CONTROLS", "AveragePower", "CommonPower", "MmsePower", "PowerControl", "ScheduledPower", "register"]
