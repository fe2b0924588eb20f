"""Allocation of the band to workers that transmit side by side; a file for each kind."""

# ruff: isort: skip_file
from .allocation import ALLOCATIONS, Allocation, register

# kinds, in the order in which they are listed
from .equal import Equal
from .proportional_response import MinMakespan, ProportionalFair, ProportionalResponse
from .fixed_uses import FixedUses
