"""Tables of a paper's claims and of the numbers that the studies measured."""

import functools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy import stats

from figures.study import result

YES, NO, NOT_RUN = "yes", "**no**", "not run"
WITH_PAGE = "computed with this page"
"""Words for the runs of a row whose numbers its own function computes."""


class Claim(NamedTuple):
    """Claim of a paper, with the numbers measured here.

    Arguments:
        section: section of the paper.
        claim: the claim in words.
        measured: the measured numbers in words.
        holds: verdict, "yes" (YES), "**no**" (NO), "not run" (NOT_RUN), or words.
        why: reason if the claim does not hold, or was not tested.
        but: remark in any case.
        runs: names of the scenarios, or of their parts (``figures.study.PARTS``), that computed the numbers.
    """

    section: str
    claim: str
    measured: str
    holds: str
    why: str = ""
    but: str = ""
    runs: tuple[str, ...] = ()


def table(heading: str, remark: str, rows: list[Claim]) -> str:
    """Return claims as a table in Markdown, under a heading and a remark.

    Arguments:
        heading: the heading.
        remark: the remark.
        rows: the claims.
    """
    lines = [
        f"\n## {heading}\n",
        remark,
        "\n| section | claim | measured | holds | why | runs |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join(lines + [f"| {' | '.join(_cells(row))} |" for row in rows]) + "\n"


def not_run(section: str, claim: str, why: str) -> Claim:
    """Return a claim of a paper that no study tests.

    Arguments:
        section: section of the paper.
        claim: the claim in words.
        why: why it was not tested.
    """
    return Claim(section, claim, "", NOT_RUN, why)


def _cells(row: Claim) -> tuple[str, ...]:
    why = "; ".join(filter(None, ("" if row.holds == YES else row.why, row.but)))
    return *row[:4], why, "; ".join(map(_run, row.runs)) or ("" if row.holds == NOT_RUN else WITH_PAGE)


@functools.cache
def _run(name: str) -> str:
    """Return the name of a study with its number of seeds and its rounds, as Markdown."""
    data = result(name)
    seeds, rounds = data.sizes.get("seed", 1), int(data["iteration"].max())
    return f"`{name}` ({seeds} seed{'s' * (seeds > 1)}, {rounds:,} rounds)"


def spread(values: np.ndarray | xr.DataArray) -> str:
    """Return mean and standard deviation over seeds as text, such as "0.93 ± 0.02".

    Arguments:
        values: numbers of the seeds; infinite ones are those of a target that is not held. Any shape.
    """
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
    """Return the verdict "yes" (YES) or "**no**" (NO).

    Arguments:
        holds: True if the claim holds.
    """
    return YES if holds else NO


def least(verdicts: list[str]) -> str:
    """Return the verdict on a claim that holds if several others do: NO if one is, else the first that is not YES.

    Arguments:
        verdicts: verdicts on the others.
    """
    return NO if NO in verdicts else next((one for one in verdicts if one != YES), YES)


def lowest(own: np.ndarray, others: Mapping[str, np.ndarray], digits: float = 0.0) -> str:
    """Return the verdict on a claim that a number is lower than all others: YES, NO, or why it is undecided.

    The difference of means must exceed Student's interval of 95%, and ``digits``. If a rival does not reach the target
    under some seed, each own number must be lower than each of its numbers.

    Arguments:
        own: numbers of the seeds, infinite if a target is not reached. Shape [seeds].
        others: numbers of the rivals, by name. Shape [seeds] each.
        digits: resolution of the paper's numbers.
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
    """Return 1 if numbers are lower than others, -1 if they are higher, 0 if neither is certain."""
    if not np.isfinite(other).all():
        return int(own.max() < other.min())
    margin = other.mean() - own.mean()
    return 0 if abs(margin) <= max(digits, _uncertainty(own, other)) else int(np.sign(margin))


def highest(own: np.ndarray, others: Mapping[str, np.ndarray], digits: float = 0.0) -> str:
    """Return the verdict on a claim that a number is higher than all others: YES, NO, or why it is undecided.

    The rules are those of ``lowest``.

    Arguments:
        own: numbers of the seeds. Shape [seeds].
        others: numbers of the rivals, by name. Shape [seeds] each.
        digits: resolution of the paper's numbers.
    """
    return lowest(-own, {name: -one for name, one in others.items()}, digits)


def near(own: np.ndarray, target: np.ndarray, digits: float) -> str:
    """Return the verdict on a claim that two means over seeds are near, at a confidence of 95%: YES, NO, or undecided.

    Arguments:
        own: numbers of the seeds. Shape [seeds].
        target: numbers to compare with. Shape [seeds].
        digits: largest difference of the means, in their unit.
    """
    apart, uncertain = abs(own.mean() - target.mean()), _uncertainty(own, target)
    if apart > digits + uncertain:
        return NO
    return YES if apart <= digits else "undecided: within the spread of the seeds"


def _uncertainty(*groups: np.ndarray) -> float:
    """Return half of Student's interval of 95% for a difference of means (Welch); 0 for single runs."""
    many = [one for one in groups if one.size > 1]
    parts = [one.var(ddof=1) / one.size for one in many]
    if not sum(parts):
        return 0.0
    freedom = sum(parts) ** 2 / sum(part**2 / (one.size - 1) for part, one in zip(parts, many, strict=True))
    return float(stats.t.ppf(0.975, freedom) * np.sqrt(sum(parts)))


def by_reading(**holds: bool) -> str:
    """Return the verdict on a claim under several readings of its paper: YES, NO, or on which readings it depends.

    Arguments:
        holds: True if the claim holds, by name of the reading, with ``_`` for a space.
    """
    return by_case({named(name): verdict(one) for name, one in holds.items()}, "reading", ", ")


def by_case(verdicts: Mapping[str, str], of: str, between: str = "; ") -> str:
    """Return one verdict if it is the same in all cases, else that of each.

    Arguments:
        verdicts: verdict by case.
        of: what the cases are of, such as "channel".
        between: text between two cases.
    """
    if len(set(verdicts.values())) == 1:
        return next(iter(verdicts.values()))
    words = (f"{case}: {'no' if one == NO else one}" for case, one in verdicts.items())
    return f"depends on the {of}: {between.join(words)}"


def named(reading: str) -> str:
    """Return the name of a reading of a paper with spaces for ``_``.

    Arguments:
        reading: its name as an identifier.
    """
    return reading.replace("_", " ")


def two_errors(values: xr.DataArray) -> xr.DataArray:
    """Return two standard errors of a mean over seeds, in the unit of the values.

    Arguments:
        values: numbers over seed and any other dimensions; the result has these others.
    """
    return 2 * values.std("seed", ddof=1) / np.sqrt(values.sizes["seed"])
