"""Statistics over seeds: a centre and the ends of a spread around it."""

from typing import Any, NamedTuple

import numpy as np

from otafl.errors import OtaflError

CONFIDENCE = 0.95
"""Confidence of an interval."""
QUARTILES = (0.25, 0.75)
"""Shares of the values below the lower and the upper quartile."""


class Spread(NamedTuple):
    """Statistic over seeds with the lower and upper end of its spread, in the unit of the values.

    Arguments:
        centre: mean or median. Shape [...].
        low: lower end, NaN if there is none. Shape [...].
        high: upper end, NaN if there is none. Shape [...].
    """

    centre: np.ndarray
    low: np.ndarray
    high: np.ndarray


def over_seeds(values: np.ndarray, statistic: str = "mean", spread: str | None = None) -> Spread:
    """Return a statistic over seeds and its spread.

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
    for key, value, known in (("statistic", statistic, ("mean", "median")), ("spread", spread, (None, *ENDS))):
        if value not in known:
            raise OtaflError(key, value, f"must be one of {', '.join(map(str, known))}")
    centre = quantile(values, 0.5) if statistic == "median" else values.mean(axis=0)
    spread = spread or ("quartiles" if statistic == "median" else "deviation")
    with np.errstate(invalid="ignore"):
        ends = ENDS[spread](values, centre, statistic) if spread in ONE_SEED or len(values) > 1 else None
    return Spread(centre, *(np.full((2, *np.shape(centre)), np.nan) if ends is None else ends))


def quantile(values: np.ndarray, share: float) -> np.ndarray:
    """Return a quantile over seeds, interpolated linearly between the order statistics around it.

    The rule is symmetric: the quantile of 1 - share of negated values is the negated quantile. Between a finite value
    and an infinite one, such as the cost of a target that is not reached, it is infinite.

    Arguments:
        values: values of each seed. Shape [seeds, ...].
        share: share of the values below the quantile, from 0 to 1.

    Returns:
        The quantile in the unit of the values; NaN where one of them is. Shape [...].
    """
    ordered = np.sort(values, axis=0)
    below, weight = divmod(share * (len(ordered) - 1), 1)
    low, high = ordered[int(below)], ordered[int(np.ceil(below + weight))]
    with np.errstate(invalid="ignore"):  # of infinite values, which the next line replaces
        between = (1 - weight) * low + weight * high
    between = np.where((low == high) | np.isposinf(high), high, between)
    return np.where(np.isnan(ordered[-1]), np.nan, between)[()]


def _deviation(values: np.ndarray, centre: np.ndarray, statistic: str) -> Any:
    deviation = values.std(axis=0, ddof=1)
    return centre - deviation, centre + deviation


def _quartiles(values: np.ndarray, centre: np.ndarray, statistic: str) -> Any:
    return [quantile(values, share) for share in QUARTILES]


def _interval(values: np.ndarray, centre: np.ndarray, statistic: str) -> Any:
    from scipy import stats

    count = len(values)
    if statistic == "mean":
        half = stats.t.ppf((1 + CONFIDENCE) / 2, count - 1) * values.std(axis=0, ddof=1) / np.sqrt(count)
        return centre - half, centre + half
    rank = int(stats.binom.ppf((1 - CONFIDENCE) / 2, count, 0.5))
    ordered = np.sort(values, axis=0)
    exact = stats.binom.cdf(rank - 1, count, 0.5) <= (1 - CONFIDENCE) / 2 and rank > 0
    return (ordered[rank - 1], ordered[count - rank]) if exact else None


ENDS = {"deviation": _deviation, "quartiles": _quartiles, "interval": _interval, "none": lambda *_: None}
"""Functions of values, centre and statistic that return the ends of a spread, by its kind; None: it has none."""
ONE_SEED = ("quartiles", "none")
"""Kinds of spread that a single seed has."""
