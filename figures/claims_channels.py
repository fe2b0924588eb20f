"""Claims of the A-FADMM paper on other channels than independent Rayleigh fading."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import xarray as xr

from figures.channel_panels import CHANNELS, TITLES
from figures.claims import NO, YES, Claim, by_case, highest, lowest, spread, two_errors
from figures.study import result
from otafl.results import analysis

HEADING = "The paper's claims on other channels"
REMARK = (
    "Rayleigh fading is independent on every subcarrier, as in the paper. TDL-C of 3GPP has a delay spread of 300 ns\n"
    "and walking workers. The others are a UMi cell and the street canyon, ray-traced. In these two, workers have\n"
    "different mean gains, and the one of median gain has the SNR. Places with a loss above 120 dB are not covered.\n"
    "Numbers are mean ± standard deviation over 3 seeds. Ahead and behind are by Student's interval of 95% for the\n"
    "difference. Losses at a budget are compared by their logarithms. An upload that the budget does not allow is a\n"
    "win for nobody."
)
TARGET, ACCURACY, DIGITS = 1e-4, 0.90, 0.01
FEW, MANY = 1e5, 2e5
COMMUNICATION, NETWORKS = "channel_communication", "channel_networks"
WEIGHED = (
    "where mean gains differ, A-FADMM with the paper's \\|h\\|² weighs workers by them, and all keep to the scaling "
    "factor of the worst. Workers far away then hardly count. With \\|h\\| they do count (A-FADMM in a cell)"
)
SPREAD = (
    "the seeds' cells differ, and with them A-FADMM's losses, by up to 3e3 times; D-FADMM's are lower with every seed"
)
BANDS = (
    "one slot for the worst worker needs a band that others do not. An upload of D-FADMM takes more uses over TDL-C, "
    "where its subcarriers fade together, and many more where mean gains differ"
)
LATE, LAST = slice(5001, None), slice(-5, None)
Parts = Mapping[str, xr.Dataset]
Read = Callable[[xr.Dataset], np.ndarray]


def rows() -> list[Claim]:
    """Return the claims of the A-FADMM paper on other channels, with the measured numbers."""
    return [*_slots(), *_uses(), *_networks()]


def _slots() -> list[Claim]:
    data = result(COMMUNICATION)
    slots = by_channel(data, lambda part: analysis.to_target(part, TARGET, "time_slots").values)
    floor = by_channel(data, lambda part: part["loss"].sel(iteration=LATE).median("iteration").values)
    return [
        _claim(
            "V-B",
            "A-FADMM needs the fewest time slots to a loss of 1e-4",
            slots,
            "A-FADMM",
            lowest,
            WEIGHED,
            COMMUNICATION,
        ),
        _claim(
            "V-B",
            "D-FADMM does not reach that speed even with 10 times the subcarriers",
            _only(slots, "A-FADMM", "D-FADMM-10x"),
            "A-FADMM",
            lowest,
            WEIGHED,
            COMMUNICATION,
        ),
        _claim(
            "V-B",
            "below 1e-4 A-FADMM suffers from noise and D-FADMM is the better choice (last losses)",
            _only(floor, "D-FADMM", "A-FADMM"),
            "D-FADMM",
            lowest,
            SPREAD,
            COMMUNICATION,
        ),
    ]


def _uses() -> list[Claim]:
    data = result("channel_energy")
    few, many = (
        {title: _logs(read.sel(fading=fading)) for fading, title in CHANNELS.items()}
        for read in (analysis.at_budget(data, "loss", "channel_uses", budget) for budget in (FEW, MANY))
    )
    runs = ("channel_energy",)
    return [
        Claim(
            "V-C",
            "at 100,000 channel uses A-FADMM is below D-FADMM at every SNR",
            f"decades of D-FADMM's loss over A-FADMM's, mean and two standard errors, at {_axis(data)}: {_words(few)}",
            by_verdict({title: _all_above(logs) for title, logs in few.items()}),
            BANDS,
            runs=runs,
        ),
        Claim(
            "V-C",
            "at 200,000 channel uses D-FADMM is the better one, but only above 20 dB",
            f"decades, likewise: {_words(many)}",
            by_verdict({title: _late(logs) for title, logs in many.items()}),
            f"{BANDS}. Over Rayleigh fading D-FADMM is below at -10 dB as well, where its gap changes its sign",
            runs=runs,
        ),
    ]


def _networks() -> list[Claim]:
    data = result(NETWORKS)
    slots = by_channel(data, lambda part: analysis.to_target(part, ACCURACY, "time_slots", "test_accuracy").values)
    ends = by_channel(data, lambda part: part["test_accuracy"].isel(iteration=LAST).mean("iteration").values)
    return [
        _claim(
            "V-B", "A-SFADMM needs the fewest time slots to 0.90 on MNIST", slots, "A-SFADMM", lowest, WEIGHED, NETWORKS
        ),
        _claim(
            "V-B",
            "A-SFADMM reaches the highest accuracy on MNIST (final)",
            ends,
            "A-SFADMM",
            _highest,
            WEIGHED,
            NETWORKS,
            ".3f",
        ),
    ]


def _highest(own: np.ndarray, others: Mapping[str, np.ndarray]) -> str:
    return highest(own, others, DIGITS)


Measured = dict[str, dict[str, np.ndarray]]
"""Numbers of each seed, by channel and method."""


def by_channel(data: xr.Dataset, read: Read) -> Measured:
    """Return the numbers of each seed, by channel and method.

    Arguments:
        data: result, dataset over schemes, fading, seed and iteration.
        read: function that reads a number of each seed off the result of one method over one channel.
    """
    methods = [str(name) for name in data["scheme"].values]
    return {
        TITLES[str(fading)]: {name: read(data.sel({"scheme": name, "fading": fading})) for name in methods}
        for fading in data["fading"].values
    }


def _only(measured: Measured, *names: str) -> Measured:
    return {title: {name: each[name] for name in names} for title, each in measured.items()}


def _claim(
    section: str, text: str, measured: Measured, own: str, ahead: Callable, why: str, run: str, form: str = ""
) -> Claim:
    """Return a claim that one method is ahead of all others, channel by channel, with the reason if it is not."""
    verdicts = {
        title: ahead(each[own], {name: one for name, one in each.items() if name != own})
        for title, each in measured.items()
    }
    words = "; ".join(f"{title}: {_each(each, form)}" for title, each in measured.items())
    return Claim(section, text, words, by_verdict(verdicts), why, runs=(run,))


def _each(each: Mapping[str, np.ndarray], form: str) -> str:
    return ", ".join(f"{name} {f'{one.mean():{form}}' if form else spread(one)}" for name, one in each.items())


def by_verdict(verdicts: Mapping[str, str]) -> str:
    """Return one verdict if all channels agree, else that of each channel.

    Arguments:
        verdicts: verdict by channel.
    """
    return by_case(verdicts, "channel")


class _Logs(NamedTuple):
    """Decades by which D-FADMM's loss lies above A-FADMM's, in the mean over seeds, and two standard errors.

    A mean of logarithms does not hang on the worst of the seeds' cells. NaN where D-FADMM has no upload in the budget.
    """

    mean: xr.DataArray
    error: xr.DataArray


def _logs(losses: xr.DataArray) -> _Logs:
    digital, analog = (losses.sel({"scheme": name}, drop=True) for name in ("D-FADMM", "A-FADMM"))
    decades = xr.apply_ufunc(np.log10, digital / analog)
    return _Logs(decades.mean("seed", skipna=False), two_errors(decades))


def _all_above(logs: _Logs) -> str:
    """Return the verdict on a claim that D-FADMM's loss is above A-FADMM's at every SNR."""
    if (logs.mean + logs.error < 0).any():
        return NO
    return _open(logs, (logs.mean - logs.error > 0) | logs.mean.isnull())


def _open(logs: _Logs, decided: xr.DataArray) -> str:
    """Return YES if all SNRs are decided in favour and D-FADMM has an upload at each, else at which they are not."""
    level, missing = (logs.mean["snr_db"].values[there.values] for there in (~decided, logs.mean.isnull()))
    words = [f"level at {_decibels(level)}"] * bool(len(level))
    words += [f"no upload of D-FADMM at {_decibels(missing)}"] * bool(len(missing))
    return f"undecided: {', '.join(words)}" if words else YES


def _late(logs: _Logs) -> str:
    """Return the verdict on a claim that D-FADMM is below A-FADMM at high SNR, and at 20 dB or less is not."""
    snr, below = logs.mean["snr_db"], logs.mean + logs.error < 0
    if (below & (snr <= 20)).any() or (logs.mean - logs.error > 0).sel(snr_db=40.0):
        return NO
    return YES if below.sel(snr_db=40.0) else "undecided: level at 40 dB"


def _axis(data: xr.Dataset) -> str:
    return _decibels(data["snr_db"].values)


def _decibels(ratios: np.ndarray) -> str:
    return ", ".join(f"{snr:g}" for snr in ratios) + " dB"


def _words(found: Mapping[str, _Logs]) -> str:
    return "; ".join(f"{title}: {', '.join(map(_factor, *logs))}" for title, logs in found.items())


def _factor(mean: xr.DataArray, error: xr.DataArray) -> str:
    return f"{float(mean):.1f} ± {float(error):.1f}" if np.isfinite(mean) else "no upload of D-FADMM"
