"""What stands for several seeds: a centre, and how far they spread around it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from otafl.errors import OtaflError

CONFIDENCE = 0.95
QUARTILES = (25.0, 75.0)


class Spread(NamedTuple):
    """A statistic over seeds, with the ends of its spread; NaN where there is none. Shape [...] each."""

    centre: np.ndarray
    low: np.ndarray
    high: np.ndarray


def over_seeds(values: np.ndarray, statistic: str = "mean", spread: str | None = None) -> Spread:
    """A statistic over the first axis, and its spread.

    Arguments:
        values: one run after the other. Infinite values, as costs of what is never reached, have a finite median
            where more than half of the runs are finite; means do not exist. Shape [seeds, ...].
        statistic: "mean" or "median".
        spread: "deviation", the sample's standard deviation to both sides (divided by n - 1); "quartiles", values that
            occur in the sample; "interval", in which the statistic lies with a confidence of 95%: Student's for the
            mean, by order statistics for the median; "none". Left out, the deviation for a mean, quartiles for a
            median.

    Raises:
        OtaflError: another statistic or spread.
    """
    for key, value, known in (("statistic", statistic, ("mean", "median")), ("spread", spread, (None, *ENDS))):
        if value not in known:
            raise OtaflError(key, value, f"must be one of {', '.join(map(str, known))}")
    centre = (np.median if statistic == "median" else np.mean)(values, axis=0)
    spread = spread or ("quartiles" if statistic == "median" else "deviation")
    with np.errstate(invalid="ignore"):
        low, high = ENDS[spread](values, centre, statistic)
    return Spread(centre, low, high)


def _none(values: np.ndarray, centre: np.ndarray, statistic: str) -> tuple[np.ndarray, np.ndarray]:
    return np.full_like(centre, np.nan), np.full_like(centre, np.nan)


def _deviation(values: np.ndarray, centre: np.ndarray, statistic: str) -> tuple[np.ndarray, np.ndarray]:
    if len(values) < 2:
        return _none(values, centre, statistic)
    deviation = values.std(axis=0, ddof=1)
    return centre - deviation, centre + deviation


def _quartiles(values: np.ndarray, centre: np.ndarray, statistic: str) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.percentile(values, QUARTILES, axis=0, method="inverted_cdf")
    return low, high


def _interval(values: np.ndarray, centre: np.ndarray, statistic: str) -> tuple[np.ndarray, np.ndarray]:
    from scipy import stats

    count = len(values)
    if count < 2:
        return _none(values, centre, statistic)
    if statistic == "mean":
        half = stats.t.ppf((1 + CONFIDENCE) / 2, count - 1) * values.std(axis=0, ddof=1) / np.sqrt(count)
        return centre - half, centre + half
    rank = int(stats.binom.ppf((1 - CONFIDENCE) / 2, count, 0.5))
    ordered = np.sort(values, axis=0)
    exact = stats.binom.cdf(rank - 1, count, 0.5) <= (1 - CONFIDENCE) / 2 and rank > 0
    return (ordered[rank - 1], ordered[count - rank]) if exact else _none(values, centre, statistic)


Ends = Callable[[np.ndarray, np.ndarray, str], tuple[np.ndarray, np.ndarray]]
ENDS: dict[str, Ends] = {"deviation": _deviation, "quartiles": _quartiles, "interval": _interval, "none": _none}
"""Kinds of spread, by name."""
