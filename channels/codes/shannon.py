"""Codes that reach capacity."""

from dataclasses import dataclass

from .code import Code, register


@register("shannon")
@dataclass(frozen=True)
class Shannon(Code):
    """Code that reaches capacity at any length and never fails."""
