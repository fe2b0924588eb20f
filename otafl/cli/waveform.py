"""Command that makes an upload as a waveform and compares it with what runs take it to be."""

import contextlib
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from otafl.cli.arguments import Keys, Name, Small
from otafl.cli.terminal import grid, print_whole, say
from otafl.cli.words import described
from otafl.errors import OtaflError

if TYPE_CHECKING:
    import numpy as np

    from otafl.engine.waveform_upload import Quality
    from otafl.settings.keys import Settings

APART_DB = 0.5
"""Difference from which on the command says so [dB]."""
NONE_DB = -100.0
"""Power that counts as none [dB]."""
SAMPLES = described("FILE", "write the received samples of one upload, as SigMF: FILE.sigmf-data, FILE.sigmf-meta")
ITERATION = "send what workers upload in this iteration of the scenario's run; 0: random numbers"
CAPTION = (
    "In runs, as a waveform, and the difference with its standard error. Gain: of the wanted sum. Interference: all "
    "that is not a worker's number on its own symbol, and noise. Error: mean square error of the sum. All over the "
    "mean square of the wanted sum [dB]"
)


def waveform(
    name: Name,
    overrides: Keys,
    small: Small = False,
    draws: Annotated[int, tyro.conf.arg(metavar="NUMBER", help="uploads of each kind, from the first seed on")] = 10,
    iteration: Annotated[int, tyro.conf.arg(metavar="NUMBER", help=ITERATION)] = 0,
    converter_bits: Annotated[int, tyro.conf.arg(metavar="BITS", help="bits of the server's converter; 0: ideal")] = 0,
    rapp: Annotated[float, tyro.conf.arg(metavar="NUMBER", help="smoothness of amplifiers; inf: they clip")] = math.inf,
    samples: Annotated[Path | None, SAMPLES] = None,
) -> None:
    """Make the beginning of an analog upload as OFDM samples, on at most 64 subcarriers, with each impairment of a
    scenario alone and with all together, and compare gain, interference and error of the sum with those of runs.
    """
    writable = True
    if samples:
        writable = samples.name != ".." and not samples.is_dir() and os.access(samples.absolute().parent, os.W_OK)
    for option, value, holds, rule in (
        ("--draws", draws, draws >= 2, "must be at least 2"),
        ("--iteration", iteration, iteration >= 0, "must be at least 0"),
        ("--converter-bits", converter_bits, 0 <= converter_bits <= 16, "must be from 0 to 16"),
        ("--rapp", rapp, rapp > 0, "must be positive"),
        ("--samples", samples, writable, "must be a file in a folder that can be written"),
    ):
        if not holds:
            raise OtaflError(option, value, rule)
    settings = _first_analog(name, overrides, small)
    from otafl.channels.waveform import Converter
    from otafl.engine.waveform import Uploads, cases_of

    if iteration > (most := settings.run.iterations):
        raise OtaflError("--iteration", iteration, f"must be at most run.iterations = {most}")
    cases, uploads = dict(cases_of(settings, Converter(converter_bits), rapp)), Uploads(settings, draws, iteration)
    rows, apart = [], []
    for impairment, case in cases.items():
        of_runs, of_waveforms = uploads.qualities(case)
        cells = list(_cells(of_runs, of_waveforms))
        rows.append([impairment, *(cell for cell, _ in cells)])
        apart += [f"{impairment}: {what}" for what, (_, far) in zip(of_runs._fields, cells, strict=True) if far]
    headings = ["gain [dB]", "interference [dB]", "error of the sum [dB]"]
    sent = f"{settings.method}, {draws} uploads" + (f" of iteration {iteration}" if iteration else "")
    print_whole(grid([sent], headings, rows, CAPTION))
    if apart:
        say(f"more than {APART_DB} dB and three standard errors apart: {'; '.join(apart)}")
    if samples:
        say("wrote " + ", ".join(map(str, uploads.record(cases["all together"], samples))))


def _first_analog(name: str, overrides: Keys, small: bool) -> "Settings":
    """Return the settings of a scenario's first analog run, also where a method of another uplink is refused."""
    from otafl.cli import options
    from otafl.engine.waveform import first_analog
    from otafl.scenario import file
    from otafl.scenario.sweeps import flat

    given = options.values(overrides)
    try:
        return first_analog(settings for _, settings in file.load(name, given, small).points())
    except OtaflError:
        methods = (flat(file.read(file.find(name))[1]).swept | given).get("method")
        for method in methods if isinstance(methods, list) else ():
            with contextlib.suppress(OtaflError):
                alone = file.load(name, given | {"method": method}, small)
                return first_analog(settings for _, settings in alone.points())
        raise


def _cells(of_runs: "Quality", of_waveforms: "Quality") -> Iterator[tuple[str, bool]]:
    """Yield the cell of each quality, and whether runs and waveforms are far apart."""
    for what, expected, measured in zip(of_runs._fields, of_runs, of_waveforms, strict=True):
        factor = 20 if what == "gain" else 10
        means = [max(abs(draws.mean()), 1e-30) for draws in (expected, measured)]
        values = [round(factor * math.log10(mean), 6) + 0.0 for mean in means]
        shown = ", ".join("none" if value < NONE_DB else f"{round(value, 2) + 0.0:.2f}" for value in values)
        if min(values) < NONE_DB:
            yield f"{shown}, –", False
            continue
        difference, deviation = round(values[1] - values[0], 2) + 0.0, _deviation(expected, measured, factor)
        yield f"{shown}, {difference:+.2f} ± {deviation:.2f}", abs(difference) > max(APART_DB, 3 * deviation)


def _deviation(expected: "np.ndarray", measured: "np.ndarray", factor: int) -> float:
    """Return the standard error of the difference between two means over the same draws [dB]."""
    relative = measured / measured.mean() - expected / expected.mean()
    return float(factor / math.log(10) * relative.std(ddof=1) / math.sqrt(len(relative)))
