"""Allocation of the band to workers that send one beside the other; a file for each kind.

A kind of allocation is a frozen dataclass that ``register`` has given a name, and whose fields are its parameters.
"""

# isort: off
from channels.allocation.protocol import ALLOCATIONS, Allocation, register

# kinds, in the order in which they are listed
from channels.allocation.equal import Equal
from channels.allocation.min_makespan import MinMakespan
from channels.allocation.proportional_fair import ProportionalFair
# isort: on

__all__ = ["ALLOCATIONS", "Allocation", "Equal", "MinMakespan", "ProportionalFair", "register"]
