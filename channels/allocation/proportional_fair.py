"""Proportionally fair allocation of the band."""

from dataclasses import dataclass
from typing import ClassVar

from .allocation import register
from .proportional_response import ProportionalResponse


@register("proportional_fair")
@dataclass(frozen=True)
class ProportionalFair(ProportionalResponse):
    """Allocation that maximises Σ_n log R_n, R_n = Σ_k x_nk·r_nk: proportionally fair shares of the band.

    Here R_n is the rate of worker n, x_nk its share of subcarrier k, and r_nk its rate on the whole subcarrier.
    """

    levels: ClassVar[bool] = False
