"""Tables of a paper's claims and of the numbers that the studies measured."""

import functools
import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy import stats

from figures.study import result
from otafl.results.statistics import over_seeds

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
        detail: table of all numbers, as Markdown, which the page has below its claims.
    """

    section: str
    claim: str
    measured: str
    holds: str
    why: str = ""
    but: str = ""
    runs: tuple[str, ...] = ()
    detail: str = ""


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
    details = "".join(f"\n{row.section}: {row.claim}.\n\n{row.detail}\n" for row in rows if row.detail)
    return "\n".join(lines + [f"| {' | '.join(_cells(row))} |" for row in rows]) + "\n" + details


def grid(corner: str, found: Mapping[str, Mapping[str, str]]) -> str:
    """Return numbers as a table in Markdown, a row for each key of the outer mapping, a column for each inner one.

    Arguments:
        corner: what the rows are.
        found: numbers as text, by row and column; each row has the same columns.
    """
    columns = list(next(iter(found.values())))
    lines = [f"| {corner} | {' | '.join(columns)} |", "|" + "---|" * (1 + len(columns))]
    return "\n".join(lines + [f"| {row} | {' | '.join(cells.values())} |" for row, cells in found.items()])


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
    digits = 1 if mean >= 1 else 2
    return f"{mean:.{digits}f} ± {deviation:.{digits}f}" if mean >= 0.1 else f"{mean:.1e} ± {deviation:.0e}"


ROUNDING = 1e-14
"""Loss below which a number is a rounding error."""


def spread_of_losses(losses: np.ndarray) -> str:
    """Return the ``spread`` of losses as text, but for rounding errors, which differ from machine to machine.

    Arguments:
        losses: losses of the seeds. Any shape.
    """
    return f"below {ROUNDING:g}" if losses.max() < ROUNDING else spread(losses)


def accuracy(values: np.ndarray) -> str:
    """Return mean and standard deviation of accuracies as text, such as "0.930 ± 0.002".

    Arguments:
        values: accuracies of the seeds, 0 to 1. Shape [seeds].
    """
    deviation = values.std(ddof=1)
    return f"{values.mean():.3f} ± {deviation:.{3 if deviation >= 0.0005 else 4}f}"


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
    return f"undecided: not told apart from {', '.join(level)}" if level else YES


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


def _order(one: np.ndarray, other: np.ndarray) -> int:
    """Return 1 if numbers are lower than others by the rules of ``lowest``, -1 if higher, 0 if not told apart."""
    return int(lowest(one, {"": other}) == YES) - int(lowest(other, {"": one}) == YES)


def slowest(own: np.ndarray, others: Mapping[str, np.ndarray]) -> str:
    """Return the verdict on a claim that a case needs more rounds than all others: YES, NO, or why it is undecided.

    Each pair is told apart by the rules of ``lowest``, so that cases may miss the target.

    Arguments:
        own: rounds of the seeds, infinite if the target is not reached. Shape [seeds].
        others: rounds of the others, by name. Shape [seeds] each.
    """
    found = {name: _order(own, one) for name, one in others.items()}
    if 1 in found.values():
        return NO
    level = [name for name, sign in found.items() if not sign]
    return f"undecided: not told apart from {', '.join(level)}" if level else YES


def turns(numbers: Mapping[str, np.ndarray]) -> str:
    """Return the verdict on a claim that numbers are not monotone in a key: YES, NO, or what is not told apart.

    Neighbours are told apart by the rules of ``lowest``.

    Arguments:
        numbers: numbers of the seeds by the key's value, in its order. Shape [seeds] each.
    """
    pairs = list(itertools.pairwise(numbers.items()))
    steps = {f"{a} and {b}": _order(one, other) for (a, one), (b, other) in pairs}
    if {1, -1} <= set(steps.values()):
        return YES
    level = [words for words, sign in steps.items() if not sign]
    return f"undecided: not told apart: {', '.join(level)}" if level else NO


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


def times(ratio: np.ndarray, least: float) -> str:
    """Return the verdict on a claim that a ratio is at least so large, by Student's interval of 95% of its logarithm.

    Arguments:
        ratio: ratios of the seeds, 0 if only the numerator is known. Shape [seeds].
        least: the least ratio.
    """
    if not ratio.all():
        return NO
    found = over_seeds(np.log(ratio / least), "mean", "interval")
    if found.low < 0 < found.high:
        return f"undecided: {least:g} is within the interval"
    return verdict(bool(found.centre > 0))


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


def half_interval(values: xr.DataArray) -> xr.DataArray:
    """Return half of Student's interval of 95% for a mean over seeds, in the unit of the values.

    Arguments:
        values: numbers over seed and any other dimensions; the result has these others.
    """
    spread = over_seeds(values.transpose("seed", ...).values, "mean", "interval")
    return values.mean("seed").copy(data=spread.high - spread.centre)


class Decades(NamedTuple):
    """Decades by which one loss lies above another at each SNR, in the mean over seeds, with Student's interval of 95%.

    Seeds are paired. A mean of logarithms does not hang on the worst of them. NaN where one of the losses is missing.

    Arguments:
        mean: decades in the mean. Shape [SNRs].
        error: half of the interval. Shape [SNRs].
    """

    mean: xr.DataArray
    error: xr.DataArray

    @classmethod
    def of(cls, losses: xr.DataArray, above: str, below: str) -> "Decades":
        """Return the decades by which a scheme's loss lies above that of another.

        Arguments:
            losses: losses over scheme, SNR and seed.
            above: name of the one scheme.
            below: name of the other.
        """
        one, other = (losses.sel({"scheme": name}, drop=True) for name in (above, below))
        decades = xr.apply_ufunc(np.log10, one / other)
        return cls(decades.mean("seed", skipna=False), half_interval(decades))

    def exceeds(self, least: float) -> str:
        """Return the verdict on a claim that at least so many decades lie between them at each SNR.

        It is NO if the interval is below it at some SNR, YES if it is above it at all of them, else where it is not.

        Arguments:
            least: the number of decades.
        """
        if bool((self.mean + self.error < least).any()):
            return NO
        level = (self.mean - self.error < least) & self.mean.notnull()
        words = self._where("not told apart", level), self._where("no upload with some seed", self.mean.isnull())
        return f"undecided: {', '.join(filter(None, words))}" if any(words) else YES

    def turns(self, ratio_db: float) -> str:
        """Return the verdict on a claim that the one is below the other where the SNR exceeds a value, and only there.

        Arguments:
            ratio_db: the value of the SNR [dB].
        """
        late = self.mean["snr_db"] > ratio_db
        below, above = self.mean + self.error < 0, self.mean - self.error > 0
        if bool((below & ~late).any() or (above & late).any()):
            return NO
        level = ~below & late
        return f"undecided: {self._where('not told apart', level)}" if bool(level.any()) else YES

    def words(self) -> dict[str, str]:
        """Return mean and interval at each SNR as text, by SNR."""
        each = zip(self.mean["snr_db"].values, self.mean.values, self.error.values, strict=True)
        return {f"{snr:g} dB": f"{a:.1f} ± {e:.1f}" if np.isfinite(a) else "no upload" for snr, a, e in each}

    def least(self) -> str:
        """Return mean and interval where the lower end of the interval is least as text, with the SNR."""
        place = int(np.nanargmin((self.mean - self.error).values))
        snr, words = list(self.words().items())[place]
        return f"{words} at {snr}"

    def below(self) -> str:
        """Return the SNRs at which the one is below the other with certainty as text."""
        return decibels(self.mean["snr_db"].values[(self.mean + self.error < 0).values])

    def _where(self, words: str, there: xr.DataArray) -> str:
        return f"{words} at {decibels(there['snr_db'].values[there.values])}" if bool(there.any()) else ""


def decibels(ratios: np.ndarray) -> str:
    """Return SNRs as text, such as "0, 5 dB".

    Arguments:
        ratios: SNRs [dB]. Shape [n].
    """
    return ", ".join(f"{snr:g}" for snr in ratios) + " dB" if len(ratios) else "no SNR"
