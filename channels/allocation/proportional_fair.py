"""Shares that are proportionally fair."""

from dataclasses import dataclass
from typing import ClassVar

from channels.allocation.proportional_response import ProportionalResponse
from channels.allocation.protocol import register


@register("proportional_fair")
@dataclass(frozen=True)
class ProportionalFair(ProportionalResponse):
    """Shares that maximise Σ_n log R_n, R_n = Σ_k x_nk·r_nk, with equal budgets."""

    levels: ClassVar[bool] = False
