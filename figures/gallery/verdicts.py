"""Verdicts on comparisons of numbers over seeds: holds, fails or undecided, at a confidence of 95%."""

import itertools
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from scipy import stats

HOLDS, FAILS, UNDECIDED, NOT_RUN = "holds", "fails", "undecided", "not run"
CONFIDENCE = 0.95


class Sample(NamedTuple):
    """Numbers of the seeds.

    Arguments:
        values: the numbers, infinite where a target is not reached. Shape [seeds].
        least: what each number is known to be at least; the number itself where it is finite. Shape [seeds].
        seeds: labels of the seeds; none for a constant.
    """

    values: np.ndarray
    least: np.ndarray
    seeds: tuple[int, ...] = ()

    @classmethod
    def constant(cls, value: float) -> "Sample":
        """Return a number without seeds, such as one that a paper prints."""
        return cls(np.array([value]), np.array([value]))

    def plus(self, offset: float) -> "Sample":
        """Return the numbers plus a constant."""
        return self._replace(values=self.values + offset, least=self.least + offset)

    def times(self, factor: float) -> "Sample":
        """Return the numbers times a constant."""
        return self._replace(values=self.values * factor, least=self.least * factor)


class Metric(NamedTuple):
    """Margin from which two numbers of one metric count as different, in their difference or their ratio.

    Arguments:
        margin: least difference that counts, in the numbers' unit; least ratio, above 1, if ``is_ratio``.
        is_ratio: True if numbers are compared by their ratio, with seeds paired; False by the difference of means.
    """

    margin: float
    is_ratio: bool = False

    @property
    def least(self) -> float:
        """Least difference that counts, of logarithms if it is a ratio."""
        return float(np.log(self.margin)) if self.is_ratio else self.margin

    def scaled(self, sample: Sample) -> Sample:
        """Return the numbers whose differences are judged: natural logarithms for a ratio."""
        if not self.is_ratio:
            return sample
        return sample._replace(values=np.log(sample.values), least=np.log(sample.least))


class Gap(NamedTuple):
    """Difference of two means, or logarithm of the ratio of two geometric means, with its interval of 95%.

    Arguments:
        centre: the difference; NaN if it is not known, as targets were not reached.
        low: lower end of the interval.
        high: upper end of the interval.
    """

    centre: float
    low: float
    high: float

    def plus(self, offset: float) -> "Gap":
        """Return the gap plus a constant."""
        return Gap(*(part + offset for part in self))


def gap(own: Sample, rival: Sample, margin: float, paired: bool) -> Gap:
    """Return the difference of two samples, own minus rival.

    It is Student's interval of the differences seed by seed if samples are paired and have the same seeds, Welch's
    otherwise. A single number has no interval. Where targets are not reached it is the interval of what is known.

    Arguments:
        own: the one sample.
        rival: the other sample.
        margin: least difference that counts.
        paired: True if seeds are paired.
    """
    if not (np.isfinite(own.values).all() and np.isfinite(rival.values).all()):
        return _known(own, rival, margin)
    centre = float(own.values.mean() - rival.values.mean())
    if paired and own.seeds == rival.seeds:
        half = half_interval([own.values - rival.values])
    else:
        half = half_interval([own.values, rival.values])
    return Gap(centre, centre - half, centre + half)


def _known(own: Sample, rival: Sample, margin: float) -> Gap:
    """Return the range of the differences of any two numbers, with the end beyond the margin, if one is, as centre."""
    with np.errstate(invalid="ignore"):
        low, high = own.least.min() - rival.values.max(), own.values.max() - rival.least.min()
    centre = high if high < -margin else low if low > margin else np.nan
    return Gap(float(centre), float(low), float(high))


def half_interval(groups: Iterable[np.ndarray]) -> float:
    """Return half of the interval for a difference of means (Welch), or for one mean (Student); 0 for single numbers.

    Arguments:
        groups: numbers of each group. Shape [seeds] each.
    """
    many = [group for group in groups if group.size > 1]
    parts = [group.var(ddof=1) / group.size for group in many]
    if not sum(parts):
        return 0.0
    freedom = sum(parts) ** 2 / sum(part**2 / (group.size - 1) for part, group in zip(parts, many, strict=True))
    return float(stats.t.ppf((1 + CONFIDENCE) / 2, freedom) * np.sqrt(sum(parts)))


def below(gap: Gap, margin: float) -> str:
    """Judge that a number is lower, by more than the margin and the interval."""
    if gap.centre < -margin and gap.high < 0:
        return HOLDS
    return FAILS if gap.centre > margin and gap.low > 0 else UNDECIDED


def above(gap: Gap, margin: float) -> str:
    """Judge that a number is higher, by more than the margin and the interval."""
    return below(_mirrored(gap), margin)


def not_above(gap: Gap, margin: float) -> str:
    """Judge that a number is higher by at most the margin; it fails if the whole interval is beyond it."""
    if gap.centre <= margin:
        return HOLDS
    return FAILS if gap.low > margin else UNDECIDED


def not_below(gap: Gap, margin: float) -> str:
    """Judge that a number is lower by at most the margin; it fails if the whole interval is beyond it."""
    return not_above(_mirrored(gap), margin)


def near(gap: Gap, margin: float) -> str:
    """Judge that two numbers differ by at most the margin; it fails if the whole interval is beyond it."""
    return worst([not_above(gap, margin), not_below(gap, margin)])


COMPARISONS: dict[str, Callable[[Gap, float], str]] = {
    "below": below,
    "above": above,
    "not above": not_above,
    "not below": not_below,
    "near": near,
}
"""Judges of the difference, own minus rival, by name."""
AGAINST = {"below": 1, "not above": 1, "above": -1, "not below": -1}
"""Sign of a difference that speaks against a comparison; any does where none is given."""
TRENDS = {"falls": "below", "rises": "above"}
"""Comparison of each number with the one before it, by the name of the trend over a swept key."""


def strength(gap: Gap, name: str) -> float:
    """Return how much a difference speaks against a comparison, least where it is not known."""
    centre = AGAINST[name] * gap.centre if name in AGAINST else abs(gap.centre)
    return -np.inf if np.isnan(centre) else centre


def worst(verdicts: Iterable[str]) -> str:
    """Return the verdict on a claim of several parts: fails if one does, holds if all do, else undecided."""
    return min(verdicts, key=[FAILS, UNDECIDED, HOLDS].index)


def trend(samples: list[Sample], name: str, margin: float, paired: bool) -> str:
    """Judge that numbers fall, or rise, from each value of a swept key to the next.

    Arguments:
        samples: numbers in the key's order.
        name: "falls" or "rises".
        margin: least difference that counts.
        paired: True if seeds are paired.
    """
    judge = COMPARISONS[TRENDS[name]]
    return worst(judge(gap(late, early, margin, paired), margin) for early, late in itertools.pairwise(samples))


def power(keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the exponents of power laws of a key, by least squares on logarithms. Shape [seeds].

    Arguments:
        keys: values of the key. Shape [keys].
        values: numbers. Shape [keys, seeds].
    """
    return np.polyfit(np.log(keys), np.log(values), 1)[0]


def _mirrored(gap: Gap) -> Gap:
    return Gap(-gap.centre, -gap.high, -gap.low)
