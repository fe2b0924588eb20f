"""Schemes of analog uploads and their digital rivals over three channels, at equal uses and at equal energy."""

from collections.abc import Iterator, Mapping

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures.study import Study, result
from otafl.results import plot
from otafl.results.axis_labels import legend_below

SCENARIOS = ("scheme_rivals", "scheme_rivals_compressed", "scheme_rivals_digital")
CHANNELS = {"rayleigh": "Rayleigh", "tdl": "TDL-C", "umi": "UMi"}
PARTITIONS = {"iid": "IID", "shards": "two classes"}
COSTS = {"channel_uses": ("channel uses", 1e7), "energy": ("transmitted energy [J]", 0.3)}
"""Costs with their names and the budgets of the table."""


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy of schemes at equal cost, with a column for each channel, and rows for partitions.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, grid = plt.subplots(4, 3, figsize=(7.2, 8.4), sharey="row")
    rows = [(partition, cost) for partition in PARTITIONS for cost in COSTS]
    for (partition, cost), axes in zip(rows, grid, strict=True):
        for channel, ax in zip(CHANNELS, axes, strict=True):
            _panel(ax, data, {"fading": channel, "partition": partition}, cost)
            ax.set(xlabel=COSTS[cost][0], ylabel="", title=f"{CHANNELS[channel]}, {PARTITIONS[partition]}")
        axes[0].set_ylabel("test accuracy")
        axes[0].set_ylim((0.6, 0.98) if partition == "iid" else (0.3, 0.95))
    legend_below(fig, grid[0, 0])
    for ax in grid.flat:
        if ax.get_legend():
            ax.get_legend().remove()
    return fig


def _panel(ax: Axes, data: Mapping[str, xr.Dataset], where: dict[str, str], cost: str) -> None:
    first = 0
    for name in SCENARIOS:
        part = data[name].sel(where, drop=True)
        plot.curves(part, cost, "test_accuracy", ax=ax, first=first, spread="none")
        first += part.sizes.get("scheme", 1)


def table() -> str:
    """Return Markdown tables of the schemes' test accuracies within budgets of costs, as means over seeds."""
    heads = " | ".join(f"{PARTITIONS[p]}, {CHANNELS[c]}" for p, c in _columns())
    lines = []
    for cost, (words, budget) in COSTS.items():
        lines.append(f"\n| accuracy within {budget:g} of {words} | {heads} |\n|---|{'---|' * 6}\n")
        for scheme, data in _schemes():
            cells = [_within(data.sel(partition=p, fading=c), cost) for p, c in _columns()]
            lines.append(f"| {scheme} | {' | '.join(cells)} |\n")
    return "".join(lines)


def _columns() -> list[tuple[str, str]]:
    return [(partition, channel) for partition in PARTITIONS for channel in CHANNELS]


def _schemes() -> Iterator[tuple[str, xr.Dataset]]:
    for name in SCENARIOS:
        for _, part in result(name).groupby("scheme"):
            yield str(part["scheme"].item()), part.squeeze("scheme")


def _within(data: xr.Dataset, cost: str) -> str:
    """Return the mean over seeds of the last accuracy within a budget as text; a dash if some seed has none."""
    read = data["test_accuracy"].where(data[cost] <= COSTS[cost][1]).transpose("seed", "iteration").values
    mean = np.mean([np.append(np.nan, row[np.isfinite(row)])[-1] for row in read])
    return "–" if np.isnan(mean) else f"{mean:.3f}"


STUDY = Study(
    title="Schemes against each other",
    scenarios=SCENARIOS,
    draw=draw,
    caption=(
        "Settings: 10 workers on MNIST, 0 dB, 4,096 subcarriers, 10 local steps of FedAvg (A-SFADMM as in its paper, "
        "untuned), means over 3 seeds. Compressed uploads have 500 rounds, all others 100. 1. At equal channel uses "
        "FedAvg's uncompressed analog schemes lie together, at 0.948 to 0.959 within 10 million on IID data. Digital "
        "uploads of 32 bits have not ended their second round by then. Those of 4 bits (QSGD) come to 0.76 to 0.86. 2. "
        "At equal energy, within 0.3 J, COTAF leads over Rayleigh fading and TDL-C, or is level with the best. Its "
        "schedule lies above the norms of updates, so that it takes a tenth of the power of others. Over UMi full "
        "inversion is level with it on IID data, at 0.953, and ahead with two classes, at 0.921 against 0.872. 3. With "
        "two classes a worker one-bit votes fall behind, from 0.96 to between 0.81 and 0.87 at equal uses. Most others "
        "keep 0.89 to 0.92. A-SFADMM falls behind most of all. 4. Rayleigh and TDL-C hardly differ. But over UMi "
        "workers are received unequally, which takes from whatever leaves some of them out or weighs them. With two "
        "classes phases alone fall to 0.836, COTAF to 0.873 and truncation to 0.892. Full inversion and optimal power "
        "stay at 0.917 and 0.913. Digital uploads take 3.7 times the uses. 5. Of a digital round at capacity, 5G NR "
        "takes 1.2 times the uses and the normal approximation 1.002 times. A band that is shared so that all end at "
        "once takes 0.63 times as many, and 4 bits take 0.13 times as many without a loss. Compressed uploads, a tenth "
        "as long, end at 0.93 and 0.83 to 0.88, below whole ones at the same uses. The cause is that message passing "
        "in s = d/10 measurements finds at most 0.10 s elements, and the workers' sum of k = s/2 each has more."
    ),
)
