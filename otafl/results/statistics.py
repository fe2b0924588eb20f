"""Statistics over seeds: a centre and the ends of a spread around it."""

import math
import sys
from typing import NamedTuple

import numpy as np

from otafl.errors import OtaflError

CONFIDENCE = 0.95
FEWEST = math.ceil(math.log2(2 / (1 - CONFIDENCE)))
"""Number of seeds of which the least and the largest value hold the median between them with the confidence."""
SPREAD_OF = {"mean": "deviation", "median": "quartiles"}
"""Kind of spread of each statistic where none is named."""
SPREADS = {
    "deviation": ("standard deviation", {"mean": 2, "median": 2}),
    "quartiles": ("quartiles", {"mean": 1, "median": 1}),
    "interval": ("interval of 95% confidence", {"mean": 2, "median": FEWEST}),
    "none": ("", {"mean": sys.maxsize, "median": sys.maxsize}),
}
"""Name of each kind of spread in captions, and the least number of seeds that it needs, by statistic."""


class Spread(NamedTuple):
    """Statistic over seeds and the ends of its spread, in the unit of the values; NaN without a spread."""

    centre: np.ndarray
    low: np.ndarray
    high: np.ndarray


def over_seeds(values: np.ndarray, statistic: str = "mean", spread: str | None = None) -> Spread:
    """Return a statistic over seeds and its spread.

    >>> centre, low, high = over_seeds(np.array([1.0, 2.0, 3.0, 10.0]), "median")
    >>> float(centre), float(low), float(high)
    (2.5, 1.75, 4.75)

    Arguments:
        values: values of each seed. Infinite ones, such as costs of a target that is not reached, have a finite
            median if more than half of the seeds are finite; their mean is infinite. Shape [seeds, ...].
        statistic: "mean" or "median".
        spread: "deviation": the sample's standard deviation (divided by n - 1) to both sides. "quartiles": quantiles
            of the sample, as of ``quantile``. "interval": confidence interval of 95%, Student's for a mean, by order
            statistics for a median. "none". Left out, the deviation for a mean, quartiles for a median.

    Returns:
        Centre and ends, in the unit of the values. Shape [...] each.

    Raises:
        OtaflError: the statistic or the spread is unknown.
    """
    for key, value, known in (("statistic", statistic, SPREAD_OF), ("spread", spread, (None, *SPREADS))):
        if value not in known:
            raise OtaflError(key, value, f"must be one of {', '.join(map(str, known))}")
    centre = quantile(values, 0.5) if statistic == "median" else values.mean(axis=0)
    if len(values) < least_seeds(statistic, spread):
        return Spread(centre, *np.full((2, *np.shape(centre)), np.nan))
    with np.errstate(invalid="ignore"):
        return Spread(centre, *_ends(values, centre, statistic, spread or SPREAD_OF[statistic]))


def least_seeds(statistic: str, spread: str | None) -> int:
    """Return the least number of seeds that a spread of a statistic needs, both named as of ``over_seeds``."""
    return SPREADS[spread or SPREAD_OF[statistic]][1][statistic]


def words(statistic: str, spread: str | None, seeds: int) -> str:
    """Return what is drawn of some seeds in words, such as "median and quartiles over seeds"."""
    if seeds == 1:
        return "one seed"
    name, least = SPREADS[spread or SPREAD_OF[statistic]]
    return f"{statistic} and {name} over seeds" if seeds >= least[statistic] else f"{statistic} over seeds"


def quantile(values: np.ndarray, share: float) -> np.ndarray:
    """Return a quantile of values [seeds, ...] over seeds, interpolated linearly; NaN where one of them is.

    The rule is symmetric: the quantile of 1 - share of negated values is the negated quantile. Between a finite value
    and an infinite one, such as the cost of a target that is not reached, it is infinite.
    """
    ordered = np.sort(values, axis=0)
    below, weight = divmod(share * (len(ordered) - 1), 1)
    low, high = ordered[int(below)], ordered[int(np.ceil(below + weight))]
    with np.errstate(invalid="ignore"):  # of infinite values, which the next line replaces
        between = (1 - weight) * low + weight * high
    between = np.where((low == high) | np.isposinf(high), high, between)
    return np.where(np.isnan(ordered[-1]), np.nan, between)[()]


def _ends(values: np.ndarray, centre: np.ndarray, statistic: str, spread: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of a spread of values, [seeds, ...], around a centre. Shape [...] each."""
    from scipy import stats

    count = len(values)
    if spread == "quartiles":
        return quantile(values, 0.25), quantile(values, 0.75)
    if spread == "interval" and statistic == "median":
        rank = int(stats.binom.ppf((1 - CONFIDENCE) / 2, count, 0.5))
        ordered = np.sort(values, axis=0)
        return ordered[rank - 1], ordered[count - rank]
    half = values.std(axis=0, ddof=1)
    if spread == "interval":
        half = stats.t.ppf((1 + CONFIDENCE) / 2, count - 1) * half / np.sqrt(count)
    return centre - half, centre + half
