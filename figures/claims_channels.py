"""Claims of the A-FADMM paper on other channels than independent Rayleigh fading."""

from collections.abc import Callable, Mapping

import numpy as np
import xarray as xr

from figures.channel_panels import CHANNELS, TITLES
from figures.claims import Claim, Decades, by_case, grid, highest, lowest, spread
from figures.study import result
from otafl.results import analysis

HEADING = "The paper's claims on other channels"
REMARK = (
    "Rayleigh fading is independent on every subcarrier, as in the paper. TDL-C of 3GPP has a delay spread of 300 ns\n"
    "and walking workers. The others are a UMi cell and the street canyon, ray-traced. In these two, workers have\n"
    "different mean gains, and the one of median gain has the SNR. Places with a loss above 120 dB are not covered.\n"
    "ρ is the paper's 0.5, and a hundred iterations a decade are read in the regression. Numbers are mean ±\n"
    "standard deviation over 3 seeds. Ahead and behind are by Student's interval of 95% for the difference. Losses\n"
    "at a budget are compared by their logarithms. An upload that the budget does not allow is a win for nobody."
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
        {title: Decades.of(read.sel(fading=fading), "D-FADMM", "A-FADMM") for fading, title in CHANNELS.items()}
        for read in (analysis.at_budget(data, "loss", "channel_uses", budget) for budget in (FEW, MANY))
    )
    runs = ("channel_energy",)
    return [
        Claim(
            "V-C",
            "at 100,000 channel uses A-FADMM is below D-FADMM at every SNR",
            "decades of D-FADMM's loss over A-FADMM's, mean and Student's interval of 95%, least of all SNRs: "
            + "; ".join(f"{title}: {one.least()}" for title, one in few.items()),
            by_verdict({title: one.exceeds(0) for title, one in few.items()}),
            BANDS,
            runs=runs,
            detail=_by_snr(few),
        ),
        Claim(
            "V-C",
            "at 200,000 channel uses D-FADMM is the better one, but only above 20 dB",
            "decades, likewise; D-FADMM is below at " + "; ".join(f"{t}: {one.below()}" for t, one in many.items()),
            by_verdict({title: one.turns(20) for title, one in many.items()}),
            f"{BANDS}. Over Rayleigh fading D-FADMM is below at -10 dB, where its gap changes its sign",
            runs=runs,
            detail=_by_snr(many),
        ),
    ]


def _by_snr(found: Mapping[str, Decades]) -> str:
    return grid("channel", {title: one.words() for title, one in found.items()})


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
            accuracy,
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
    section: str, text: str, measured: Measured, own: str, ahead: Callable, why: str, run: str, words: Callable = spread
) -> Claim:
    """Return a claim that one method is ahead of all others, channel by channel, with the reason if it is not."""
    verdicts = {
        title: ahead(each[own], {name: one for name, one in each.items() if name != own})
        for title, each in measured.items()
    }
    cells = {title: {name: words(one) for name, one in each.items()} for title, each in measured.items()}
    own_words = "; ".join(f"{title}: {each[own]}" for title, each in cells.items())
    return Claim(
        section, text, f"{own}: {own_words}", by_verdict(verdicts), why, runs=(run,), detail=grid("channel", cells)
    )


def accuracy(values: np.ndarray) -> str:
    """Return mean and standard deviation of accuracies as text, such as "0.930 ± 0.002".

    Arguments:
        values: accuracies of the seeds, 0 to 1. Shape [seeds].
    """
    return f"{values.mean():.3f} ± {values.std(ddof=1):.3f}"


def by_verdict(verdicts: Mapping[str, str]) -> str:
    """Return one verdict if all channels agree, else that of each channel.

    Arguments:
        verdicts: verdict by channel.
    """
    return by_case(verdicts, "channel")
