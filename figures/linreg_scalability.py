"""Figure 3(c) of the A-FADMM paper: channel uses to a target loss against the number of workers."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study, renamed
from otafl.results import plot

PER_WORKER = 1e-6
READINGS = {"": "", "weighted": "_weighted", "as printed": "_printed"}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw channel uses to a loss against the number of workers, for a fixed loss and one that grows with them.
    The data of all workers together are fixed, or grow with them.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, axes = plt.subplots(1, 3, figsize=(7.2, 3.0), sharey=True)
    fixed = {name: data[f"linreg_scalability{suffix}"] for name, suffix in READINGS.items()}
    growing = {"": data["linreg_scalability_growing"]}
    for ax, (title, parts, scaled) in zip(axes, _panels(fixed, growing), strict=True):
        for place, (reading, part) in enumerate(parts.items()):
            scale = 100 / part["workers"] if scaled else 1.0
            part = part.assign(loss=part["loss"] * scale)
            part = renamed(part, reading) if reading else part
            plot.to_target(part, "workers", "channel_uses", 100 * PER_WORKER, ax=ax, first=2 * place)
        ax.set_title(title)
        ax.get_legend().remove()
    for ax in axes[1:]:
        ax.set_ylabel("")
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=6.5)
    return fig


def _panels(fixed: dict[str, xr.Dataset], growing: dict[str, xr.Dataset]) -> list[tuple]:
    """Return the panels: titles, results, and True for a loss per worker."""
    return [
        ("20,000 samples, to $10^{-4}$", fixed, False),
        ("20,000 samples, to $10^{-6} N$", fixed, True),
        ("100 samples each, to $10^{-6} N$", growing, True),
    ]


STUDY = Study(
    title="Linear regression: channel uses to a loss of 1e-4 against workers (figure 3c)",
    scenarios=(
        "linreg_scalability",
        "linreg_scalability_weighted",
        "linreg_scalability_printed",
        "linreg_scalability_growing",
    ),
    draw=draw,
    caption=(
        "Channel uses to a target loss against workers: a fixed loss (left), a fixed loss per worker (middle), and the "
        "latter with data that grow (right). Settings are 40 dB at a noise density of 1e-9 W/Hz and 10 subcarriers; "
        "median and quartiles of 5 seeds, hollow where changes of sign alone meet the target. The paper's target, on "
        "the left, becomes stricter per worker as workers are added, because the loss is a sum over workers."
    ),
)
