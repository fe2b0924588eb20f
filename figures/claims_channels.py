"""Claims of the A-FADMM paper on other channels than independent Rayleigh fading."""

from collections.abc import Callable, Mapping

import numpy as np
import xarray as xr

from figures.channel_panels import CHANNELS, TITLES
from figures.claims import NO, YES, Claim, highest, lowest, spread
from figures.study import result
from otafl.results import analysis

HEADING = "What survives of it on other channels"
REMARK = (
    "Rayleigh fading is independent on every subcarrier, as in the paper. TDL-C of 3GPP has a delay spread of 300 ns\n"
    "and walking workers. The others are a UMi cell and the street canyon, ray-traced. In these two, workers have\n"
    "different mean gains, and the one of median gain has the SNR. Places with a loss above 120 dB are not covered.\n"
    "Numbers are mean ± standard deviation over 3 seeds. Ahead and behind are by Student's interval of 95% for the\n"
    "difference."
)
TARGET, ACCURACY, DIGITS = 1e-4, 0.90, 0.01
FEW, MANY = 1e5, 2e5
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
    data = result("channel_communication")
    slots = by_channel(data, lambda part: analysis.to_target(part, TARGET, "time_slots").values)
    floor = by_channel(data, lambda part: part["loss"].sel(iteration=LATE).median("iteration").values)
    return [
        _claim("V-B", "A-FADMM needs the fewest time slots to a loss of 1e-4", slots, "A-FADMM", lowest, WEIGHED),
        _claim(
            "V-B",
            "D-FADMM does not reach that speed even with 10 times the subcarriers",
            _only(slots, "A-FADMM", "D-FADMM-10x"),
            "A-FADMM",
            lowest,
            WEIGHED,
        ),
        _claim(
            "V-B",
            "below 1e-4 A-FADMM suffers from noise and D-FADMM is the better choice (last losses)",
            _only(floor, "D-FADMM", "A-FADMM"),
            "D-FADMM",
            lowest,
            SPREAD,
        ),
    ]


def _uses() -> list[Claim]:
    data = result("channel_energy")
    few, many = (analysis.at_budget(data, "loss", "channel_uses", budget) for budget in (FEW, MANY))
    below = {title: _ratio(few.sel(fading=fading)) for fading, title in CHANNELS.items()}
    later = {title: _ratio(many.sel(fading=fading)) for fading, title in CHANNELS.items()}
    late = {title: _crossing(ratio) for title, ratio in later.items()}
    return [
        Claim(
            "V-C",
            "at 100,000 channel uses A-FADMM is below D-FADMM at every SNR",
            f"D-FADMM's mean loss over A-FADMM's at {_axis(data)}: {_words(below)}",
            _verdict({title: bool((ratio > 1).all()) for title, ratio in below.items()}),
        ),
        Claim(
            "V-C",
            "at 200,000 channel uses D-FADMM is the better one, but only above 20 dB",
            "D-FADMM is below from " + "; ".join(f"{title}: {_from(one)}" for title, one in late.items()),
            _verdict({title: 20 < one <= 35 for title, one in late.items()}),
            BANDS,
        ),
    ]


def _networks() -> list[Claim]:
    data = result("channel_networks")
    slots = by_channel(data, lambda part: analysis.to_target(part, ACCURACY, "time_slots", "test_accuracy").values)
    ends = by_channel(data, lambda part: part["test_accuracy"].isel(iteration=LAST).mean("iteration").values)
    return [
        _claim("V-B", "A-SFADMM needs the fewest time slots to 0.90 on MNIST", slots, "A-SFADMM", lowest, WEIGHED),
        _claim(
            "V-B", "A-SFADMM reaches the highest accuracy on MNIST (final)", ends, "A-SFADMM", _highest, WEIGHED, ".3f"
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


def _claim(section: str, text: str, measured: Measured, own: str, ahead: Callable, why: str, form: str = "") -> Claim:
    """Return a claim that one method is ahead of all others, channel by channel, with the reason if it is not."""
    verdicts = {
        title: ahead(each[own], {name: one for name, one in each.items() if name != own})
        for title, each in measured.items()
    }
    words = "; ".join(f"{title}: {_each(each, form)}" for title, each in measured.items())
    return Claim(section, text, words, by_verdict(verdicts), why)


def _each(each: Mapping[str, np.ndarray], form: str) -> str:
    return ", ".join(f"{name} {f'{one.mean():{form}}' if form else spread(one)}" for name, one in each.items())


def _verdict(holds: Mapping[str, bool]) -> str:
    return by_verdict({title: YES if one else NO for title, one in holds.items()})


def by_verdict(verdicts: Mapping[str, str]) -> str:
    """Return one verdict if all channels agree, else that of each channel.

    Arguments:
        verdicts: verdict by channel.
    """
    if len(set(verdicts.values())) == 1:
        return next(iter(verdicts.values()))
    words = (f"{title}: {'no' if one == NO else one}" for title, one in verdicts.items())
    return f"depends on the channel: {'; '.join(words)}"


def _ratio(losses: xr.DataArray) -> xr.DataArray:
    mean = losses.fillna(np.inf).mean("seed")  # what has not done an iteration within the budget has not come down
    return mean.sel({"scheme": "D-FADMM"}, drop=True) / mean.sel({"scheme": "A-FADMM"}, drop=True)


def _crossing(ratio: xr.DataArray) -> float:
    """Return the lowest SNR [dB] from which on D-FADMM stays below A-FADMM; infinite if there is none."""
    above = ratio["snr_db"].values[~(ratio < 1).values]
    beyond = ratio["snr_db"].values[ratio["snr_db"].values > max(above, default=-np.inf)]
    return float(beyond.min()) if len(beyond) else np.inf


def _from(snr_db: float) -> str:
    return f"{snr_db:g} dB on" if np.isfinite(snr_db) else "nowhere"


def _axis(data: xr.Dataset) -> str:
    return ", ".join(f"{snr:g}" for snr in data["snr_db"].values) + " dB"


def _words(ratios: Mapping[str, xr.DataArray]) -> str:
    return "; ".join(f"{title}: {', '.join(map(_factor, ratio.values))}" for title, ratio in ratios.items())


def _factor(ratio: float) -> str:
    return f"{ratio:.2g}" if np.isfinite(ratio) else "no upload of D-FADMM"
