"""Statistics over seeds: a centre and the ends of a spread around it."""

from typing import Any, NamedTuple

import numpy as np

from otafl.errors import OtaflError

CONFIDENCE = 0.95
"""Confidence of an interval."""
QUARTILES = (25.0, 75.0)
"""Percentiles at the ends of quartiles."""


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
        spread: "deviation": the sample's standard deviation (divided by n - 1) to both sides. "quartiles": values of
            the sample. "interval": confidence interval of 95%, Student's for a mean, by order statistics for a
            median. "none". Left out, the deviation for a mean, quartiles for a median.

    Returns:
        Centre and ends, in the unit of the values. Shape [...] each.

    Raises:
        OtaflError: the statistic or the spread is unknown.
    """
    for key, value, known in (("statistic", statistic, ("mean", "median")), ("spread", spread, (None, *ENDS))):
        if value not in known:
            raise OtaflError(key, value, f"must be one of {', '.join(map(str, known))}")
    centre = (np.median if statistic == "median" else np.mean)(values, axis=0)
    spread = spread or ("quartiles" if statistic == "median" else "deviation")
    with np.errstate(invalid="ignore"):
        ends = ENDS[spread](values, centre, statistic) if spread in ONE_SEED or len(values) > 1 else None
    return Spread(centre, *(np.full((2, *np.shape(centre)), np.nan) if ends is None else ends))


def _deviation(values: np.ndarray, centre: np.ndarray, statistic: str) -> Any:
    deviation = values.std(axis=0, ddof=1)
    return centre - deviation, centre + deviation


def _quartiles(values: np.ndarray, centre: np.ndarray, statistic: str) -> Any:
    return np.percentile(values, QUARTILES, axis=0, method="inverted_cdf")


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
