"""Power control: amplitudes of workers under a budget, and the power that their common factor α counts."""

# ruff: isort: skip_file
from .power_control import POWER_CONTROLS, PowerControl, register

# kinds, in the order in which they are listed
from .common import CommonPower
from .average import AveragePower
from .mmse import MmsePower
from .scheduled import ScheduledPower
from .per_edge import PerEdge
