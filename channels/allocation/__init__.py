"""Allocation of the band to workers that transmit side by side; a file for each kind.

A kind of allocation is a frozen dataclass with a name given by ``register``, and parameters as its fields.
"""

# ruff: isort: skip_file
from .allocation import ALLOCATIONS, Allocation, register

# kinds, in the order in which they are listed
from .equal import Equal
from .min_makespan import MinMakespan
from .proportional_fair import ProportionalFair
from .fixed_uses import FixedUses
