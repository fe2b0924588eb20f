"""Claims of a paper beside what the studies measured, as tables."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy import stats

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
    mean = float(np.mean(values))
    if np.size(values) == 1:
        return f"{mean:,.0f}" if mean >= 10 else f"{mean:.2g}"
    deviation = float(np.std(values, ddof=1))
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
    """Whether numbers of some seeds are lower than all others', by more than Student's interval of 95% for the
    difference of means and than can be read from the paper, ``digits``.

    What is not reached is infinite. Against some seeds of which that is so, all must be lower than all.
    """
    if not np.isfinite(own).any() and any(np.isfinite(one).all() for one in others.values()):
        return NO
    if not np.isfinite(own).all():
        return f"undecided: not reached by {'all seeds' if np.isfinite(own).any() else 'anybody with all seeds'}"
    ahead = {name: _ahead(own, one, digits) for name, one in others.items()}
    if -1 in ahead.values():
        return NO
    level = [name for name, one in ahead.items() if not one]
    return f"undecided: level with {', '.join(level)}" if level else YES


def _ahead(own: np.ndarray, other: np.ndarray, digits: float) -> int:
    """1 where some numbers are lower than others, -1 where they are higher, 0 where that cannot be told."""
    if not np.isfinite(other).all():
        return int(own.max() < other.min())
    margin = other.mean() - own.mean()
    return 0 if abs(margin) <= max(digits, _uncertainty(own, other)) else int(np.sign(margin))


def highest(own: np.ndarray, others: Mapping[str, np.ndarray], digits: float = 0.0) -> str:
    """Likewise, whether they are higher."""
    return lowest(-own, {name: -one for name, one in others.items()}, digits)


def near(own: np.ndarray, target: np.ndarray, digits: float) -> str:
    """Whether the mean of some numbers is that of others to within ``digits``, at a confidence of 95%."""
    apart, uncertain = abs(own.mean() - target.mean()), _uncertainty(own, target)
    if apart > digits + uncertain:
        return NO
    return YES if apart <= digits else "undecided: within the spread of the seeds"


def _uncertainty(*groups: np.ndarray) -> float:
    """Half of Student's interval of 95% for a difference of means (Welch); 0 for single runs."""
    many = [one for one in groups if one.size > 1]
    parts = [one.var(ddof=1) / one.size for one in many]
    if not sum(parts):
        return 0.0
    freedom = sum(parts) ** 2 / sum(part**2 / (one.size - 1) for part, one in zip(parts, many, strict=True))
    return float(stats.t.ppf(0.975, freedom) * np.sqrt(sum(parts)))


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
