"""Section on channels of the gallery: the texts around its figures, and their panels."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from otafl.results import axis_labels, style
from otafl.results.plot import LARGEST
from otafl.results.statistics import over_seeds

COLUMNS = 3
CHANNELS = {
    "rayleigh": "Rayleigh",
    "tdl": "TDL-C, 300 ns",
    "umi": "UMi",
    "raytraced": "street canyon",
}
"""Titles of the four channels that claims are held against, by fading model."""
TITLES = {**CHANNELS, "uma": "UMa"}
"""Titles of all channels of such studies, by fading model."""
HEAD = """
# Channels

This section shows the cost of channels other than i.i.d. Rayleigh fading with perfect CSI, which the papers have. Two
scenarios stand for comparison. `channel_plain` is A-FADMM on linear regression. `channel_digits` is A-SFADMM and FedAvg
over the air on embedded digits. All else changes some of their keys, on the command line as under each figure,
or in a file:

```toml
base = "channel_plain"
title = "A-FADMM in a micro cell, with estimated channels and four antennas"

[channel]
fading = "umi"
pilots = 1
pilot_snr_db = 40.0

[cell]
most_loss_db = 90.0
antennas = 4
```

`otafl run my_cell.toml` runs it, and `otafl help fading` has the models and their keys. `cdl`, `umi`, `uma`, `rma` and
`raytraced` need Sionna; without it they are refused with the reason. Measured gains h have the shape [blocks, workers,
antennas, subcarriers]. `numpy.savez("measured.npz", h=h)` saves them, and
`otafl run channel_plain --channel.fading file --channel.file measured.npz` takes them in.
"""
FOOT = """
## What breaks first

Losses are medians over 5 seeds, and accuracies are means over 3. The standard deviation of accuracies is up to 0.066
over UMi, 0.042 at 1 rad, 0.20 at delays of 1 µs and more, and at most 0.031 elsewhere.

1. Mean path gains that differ break A-FADMM with the paper's weights |h|² first. Power does not mend it; weights |h|
   do ([A-FADMM in a cell](#a-fadmm-in-a-cell)). At 30 dB for the median worker A-FADMM's loss after 1,000 iterations
   is 9.6e-5 where all are alike. Over UMi it is 8.1e-4 without the places beyond 95 dB, and 0.039 without those beyond
   110 dB. It is 0.023 in the street canyon and 0.43 over RMa, both without noise, too. With weights |h| these five
   losses are 1.1e-4, 6.7e-5, 1.3e-4, 2.1e-4 and 3.1e-4. A-SFADMM comes to 0.888 over UMi up to 110 dB, and to 0.886
   without noise. With weights of p = 1 and κ = 0.5 it comes to 0.966, as over Rayleigh fading.
2. Estimated channels are next. One pilot at 40 dB, 10 dB above the data, raises the loss 7 times, and one at 20 dB 78
   times. Unknown phases of the same error variance, 0.01 and 0.1 rad, raise it by less than 1% and 31 times. A-SFADMM
   needs 20 dB: its test accuracy is 0.964, and 0.919 with 10 dB. FedAvg sends changes of models. At -10 dB it comes to
   0.961 if it inverts only |h| of 0.3 or more, and to 0.779 if it inverts all.
3. Delays break wide bands. On 6 subcarriers 0.3 µs costs 6%, 1 µs raises the loss 22 times and 2 µs 335 times. On 256
   subcarriers, 3.84 MHz, A-SFADMM falls to 0.934 at 0.1 µs and to 0.797 at 0.3 µs. At 1 µs FedAvg falls as well, to
   0.496. The mean of what arrives is sin(u)/u with u = 2πkWτ on the k-th subcarrier from the centre. From 0.26 µs on it
   changes its sign within the band.
4. Phases and peaks matter to A-FADMM's loss first. Phases of 0.03 rad raise it by a third and 0.3 rad 1,700 times.
   Amplifiers that clip 10, 6 and 0 dB above the mean raise it by a quarter, 20 and 169 times. A-SFADMM falls to 0.935
   at 0.3 rad and to 0.397 at 1 rad, FedAvg only to 0.958. Clipping 6 dB below the mean leaves them 0.957 and 0.965.
5. Speed, delay spread, a line of sight, antennas and the radius break nothing by themselves. From 0.03 to 10 m/s, and
   over TDL-C from 10 ns to 3 µs, the loss stays within 8.4e-5 and 1.3e-4. A K of 15 dB halves it. It is divided by 3
   with 32 antennas of the server, and by 12 with 8 of each worker. A cell of 5 km has a loss of 0.0017 where one of 100
   m has 4.0e-6. But more antennas need a smaller penalty. A-SFADMM with 16 of each worker comes to 0.876 with ρ = 0.5,
   and to 0.965 with a sixteenth of that.
"""


def titled(data: xr.Dataset) -> xr.Dataset:
    """Return a result over channels with their titles in place of the names of fading models.

    Arguments:
        data: result, dataset over fading and other swept keys, seed and iteration.
    """
    return data.assign_coords(fading=[TITLES[str(name)] for name in data["fading"].values])


class Panel(NamedTuple):
    """Panel that shows a metric against a swept key.

    Arguments:
        title: title of the panel.
        over: dimension of the swept key.
        parts: names of the results that sweep it.
    """

    title: str
    over: str
    parts: tuple[str, ...]


class Measure(NamedTuple):
    """Metric of each run, and the style in which it is drawn.

    Arguments:
        of: function that reads it off a result: from a dataset over swept keys, seed and iteration to an array over
            swept keys and seed.
        statistic: "median" (with quartiles) or "mean" (with the standard deviation) over seeds.
        limits: limits of the axis.
    """

    of: Callable[[xr.Dataset], xr.DataArray]
    statistic: str
    limits: tuple[float, float]


def grid(panels: int) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels in rows of three that share the vertical axis.

    Arguments:
        panels: number of panels.

    Returns:
        The figure, and the axes of its panels.
    """
    rows = -(-panels // COLUMNS)
    fig, made = plt.subplots(rows, COLUMNS, figsize=(style.WIDTHS[2], 1.85 * rows), sharey=True, squeeze=False)
    for ax in made.flat[panels:]:
        ax.remove()
    return fig, list(made.flat[:panels])


def against_each(
    panels: Sequence[Panel], data: Mapping[str, xr.Dataset], plain: xr.Dataset, reading: Measure
) -> tuple[Figure, list[Axes]]:
    """Draw a metric against a swept key in each panel, with dotted lines for its value without any imperfection.

    Arguments:
        panels: title, swept key and results of each panel.
        data: results by name, datasets over swept keys, seed and iteration.
        plain: result without any imperfection, over methods, seed and iteration.
        reading: the metric, its statistic over seeds, and the limits of its axis.

    Returns:
        The figure, and the axes of its panels.
    """
    fig, made = grid(len(panels))
    for ax, panel in zip(made, panels, strict=True):
        for part in panel.parts:
            _against(ax, data[part], panel.over, reading, first=len(ax.containers))
        for _, look, values in style.lines(_squeezed(reading.of(plain)), ("seed",)):
            centre = over_seeds(values.values, reading.statistic).centre
            ax.axhline(float(centre), color=look.line["color"], linestyle=":", linewidth=0.8)
        ax.set(title=panel.title, ylim=reading.limits)
        ax.legend(fontsize=6).set_visible(len(ax.containers) > 1)
    names_at_the_left(made)
    return fig, made


def names_at_the_left(panels: list[Axes]) -> None:
    """Remove the name of the vertical axis from all panels that are not at the left.

    Arguments:
        panels: axes of the panels, a left one first.
    """
    for ax in panels[1:]:
        if ax.get_position().x0 > panels[0].get_position().x0:
            ax.set_ylabel("")


def _against(ax: Axes, data: xr.Dataset, over: str, reading: Measure, first: int) -> None:
    """Draw a statistic over seeds against a swept key, with a line for each value of the other keys."""
    values = _squeezed(reading.of(data))
    for label, look, part in style.lines(values.where(values < LARGEST), (over, "seed"), first):
        centre, low, high = over_seeds(part.transpose("seed", over).values, reading.statistic)
        ax.errorbar(part[over], centre, (centre - low, high - centre), label=label, capsize=1.5, **look.line)
    axis_labels.finish(ax, data, over, str(values.name))
    if over.endswith(("antennas", "iterations")):
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:g}")
    elif not over.endswith("_db"):
        ax.set_xscale("log")


def _squeezed(values: xr.DataArray) -> xr.DataArray:
    """Return a result without the dimension of schemes if it has one scheme only."""
    return values.squeeze("scheme") if values.sizes.get("scheme") == 1 else values
