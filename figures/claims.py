"""Claims of a paper beside what the studies measured, as tables."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import xarray as xr

YES, NO = "yes", "**no**"


class Claim(NamedTuple):
    """A claim of the paper: where it stands, what was measured, whether it holds, why not, and what is to be said
    even where it does."""

    section: str
    claim: str
    measured: str
    holds: str
    why: str = ""
    but: str = ""


def table(heading: str, remark: str, rows: list[Claim]) -> str:
    """Claims as a table in Markdown."""
    lines = [f"\n## {heading}\n", remark, "\n| section | claim | measured | holds | why |", "|---|---|---|---|---|"]
    return "\n".join(lines + [f"| {' | '.join(_cells(row))} |" for row in rows]) + "\n"


def _cells(row: Claim) -> tuple[str, ...]:
    return *row[:4], "; ".join(filter(None, ("" if row.holds == YES else row.why, row.but)))


def spread(values: np.ndarray | xr.DataArray) -> str:
    """Mean and standard deviation in words, or that a target is not held."""
    if not np.isfinite(values).all():
        return "not held" if not np.isfinite(values).any() else "not held by all seeds"
    mean, deviation = float(np.mean(values)), float(np.std(values))
    if mean >= 10:
        return f"{mean:,.0f} ± {deviation:,.0f}"
    return f"{mean:.1f} ± {deviation:.1f}" if mean >= 1 else f"{mean:.1e} ± {deviation:.0e}"


def verdict(holds: bool) -> str:
    """Whether a claim holds, in words."""
    return YES if holds else NO


def least(verdicts: list[str]) -> str:
    """What can be said where all of some verdicts must hold: a no, else the first that is no yes."""
    return NO if NO in verdicts else next((one for one in verdicts if one != YES), YES)


def lowest(own: np.ndarray, others: Mapping[str, np.ndarray], digits: float = 0.0) -> str:
    """Whether numbers of some seeds are lower than all others', by more than two standard errors of the difference
    and than can be read from the paper, ``digits``.

    What is not reached is infinite; if nobody reaches it, nothing is decided.
    """
    if not np.isfinite(own).all():
        return NO if any(np.isfinite(one).any() for one in others.values()) else "undecided: nobody reaches it"
    margins = {name: one.mean() - own.mean() for name, one in others.items()}
    close = [name for name, one in others.items() if abs(margins[name]) <= max(digits, _two_errors(own, one))]
    if any(margins[name] < 0 for name in margins.keys() - close):
        return NO
    return f"undecided: level with {', '.join(close)}" if close else YES


def highest(own: np.ndarray, others: Mapping[str, np.ndarray], digits: float = 0.0) -> str:
    """Likewise, whether they are higher."""
    return lowest(-own, {name: -one for name, one in others.items()}, digits)


def near(own: np.ndarray, target: np.ndarray, digits: float) -> str:
    """Whether numbers of some seeds are as others, to within ``digits`` and two standard errors of the difference."""
    return verdict(bool(abs(own.mean() - target.mean()) <= max(digits, _two_errors(own, target))))


def _two_errors(*groups: np.ndarray) -> float:
    """Two standard errors of a difference of means; 0 for single runs and where some do not get there."""
    if any(one.size < 2 or not np.isfinite(one).all() for one in groups):
        return 0.0
    return 2 * float(np.sqrt(sum(one.var(ddof=1) / one.size for one in groups)))


def by_reading(**holds: bool) -> str:
    """Whether a claim holds under several readings, in words, ``_`` for a space in their names."""
    if len(set(holds.values())) == 1:
        return verdict(all(holds.values()))
    words = (f"{named(name)}: {'yes' if one else 'no'}" for name, one in holds.items())
    return f"depends on the reading: {', '.join(words)}"


def named(reading: str) -> str:
    """A reading's name in words, ``_`` for spaces."""
    return reading.replace("_", " ")


def two_errors(values: xr.DataArray) -> xr.DataArray:
    """Two standard errors of a mean over seeds."""
    return 2 * values.std("seed", ddof=1) / np.sqrt(values.sizes["seed"])
