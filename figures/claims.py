"""Claims of a paper beside what the studies measured, as tables."""

from typing import NamedTuple

import numpy as np
import xarray as xr

NO = "**no**"


class Claim(NamedTuple):
    """A claim of the paper: where it stands, what was measured, whether it holds, and why not."""

    section: str
    claim: str
    measured: str
    holds: str
    why: str = ""


def table(heading: str, remark: str, rows: list[Claim]) -> str:
    """Claims as a table in Markdown."""
    lines = [f"\n## {heading}\n", remark, "\n| section | claim | measured | holds | why not |", "|---|---|---|---|---|"]
    shown = [row if row.holds == NO else row._replace(why="") for row in rows]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in shown]) + "\n"


def spread(values: np.ndarray | xr.DataArray) -> str:
    """Mean and standard deviation in words."""
    mean, deviation = float(np.mean(values)), float(np.std(values))
    if mean >= 10:
        return f"{mean:,.0f} ± {deviation:,.0f}"
    return f"{mean:.1f} ± {deviation:.1f}" if mean >= 1 else f"{mean:.1e} ± {deviation:.0e}"


def verdict(holds: bool) -> str:
    """Whether a claim holds, in words."""
    return "yes" if holds else NO
