"""Trials that tune the schemes of the comparison: what was tried, and the operating point of each scheme."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import xarray as xr

from figures.comparison.schemes import TITLES
from figures.gallery.study import result
from otafl.results import style

KNOBS = ("learning_rate", "update_norm", "server_step", "element_range", "rho")
"""Swept keys, one of which each scheme tunes beside its SNR."""
TRIED = "ideal analog cotaf votes integers measured signs digital fixed_uses a_sfadmm d_sfadmm"
TRIALS = tuple(f"trials_{name}" for name in TRIED.split())
"""Studies of the trials: 24 for each scheme and partition, on a seed of their own."""
DIGITS = 0.01
"""Difference of accuracies within which the trial of less energy is taken."""


class Point(NamedTuple):
    """Operating point of a scheme.

    Arguments:
        knob: name of the key that is tuned.
        value: its value.
        snr_db: SNR of a subcarrier [dB]; None where accuracy does not depend on it.
    """

    knob: str
    value: float
    snr_db: float | None


def trials() -> Iterator[tuple[str, str, xr.DataArray]]:
    """Yield the scheme, the partition and the last test accuracies of its trials, over its knob and the SNR [dB]."""
    for name in TRIALS:
        data = result(name)
        last = data["test_accuracy"].isel(iteration=-1, seed=0, drop=True)
        schemes = data["scheme"].values.reshape(-1)
        for scheme in schemes:
            one = last.sel(scheme=scheme, drop=True) if len(schemes) > 1 else last
            for partition in data["partition"].values:
                found = one.sel(partition=partition, drop=True).squeeze(drop=True)
                yield (
                    str(scheme),
                    str(partition),
                    found.expand_dims(snr_db=[np.nan]) if "snr_db" not in found.dims else found,
                )


def operating(accuracy: xr.DataArray) -> Point:
    """Return the trial of least SNR, and so of least energy, among those within 0.01 of a scheme's best accuracy.

    Arguments:
        accuracy: test accuracies of trials, 0 to 1. Shape [values of the knob, SNRs].
    """
    knob = next(name for name in KNOBS if name in accuracy.dims)
    alike = accuracy.sizes["snr_db"] == 1 or bool((accuracy.fillna(0) == accuracy.fillna(0).isel(snr_db=0)).all())
    table = accuracy.isel(snr_db=[0]) if alike else accuracy
    good = table.where(table >= float(table.max()) - (0.0 if alike else DIGITS)).transpose("snr_db", knob)
    row = int(np.argmax(good.notnull().any(knob).values))
    value = float(good[knob][int(np.nanargmax(good.isel(snr_db=row).values))])
    return Point(knob, value, None if alike else float(good["snr_db"][row]))


def points() -> dict[tuple[str, str], Point]:
    """Return the operating points by scheme and partition."""
    return {(scheme, partition): operating(accuracy) for scheme, partition, accuracy in trials()}


def table() -> str:
    """Return all trials as a Markdown table: a row for each value of a knob, a column for each SNR."""
    lines = ["| scheme | partition | tuned | accuracy after 40 rounds at SNR [dB] | chosen |", "|---|---|---|---|---|"]
    for scheme, partition, accuracy in trials():
        point = operating(accuracy)
        for value in accuracy[point.knob].values:
            row = accuracy.sel({point.knob: value})
            read = ", ".join(
                f"{snr:g}: {number:.3f}".replace("nan: ", "no noise: ").replace("nan", "diverged")
                for snr, number in zip(row["snr_db"].values, row.values, strict=True)
            )
            where = "any SNR" if point.snr_db is None else f"{point.snr_db:g} dB"
            chosen = where if value == point.value else ""
            title, tuned = TITLES.get(scheme, scheme), style.label(point.knob, value)
            lines.append(f"| {title} | {partition} | {tuned} | {read} | {chosen} |")
    return "\n".join(lines) + "\n"
