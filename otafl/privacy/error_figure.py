"""Figure of the errors of estimates against iterations."""

import xarray as xr

from otafl.results.axis_labels import legend_below
from otafl.results.matplotlib_setup import Axes, Figure, matplotlib, plt, ticker
from otafl.results.style import STYLE, draw_line, lines

PANELS = (("model_nmse", "model"), ("gradient_nmse", "gradient"))


def figure(data: xr.Dataset) -> Figure:
    """Draw the errors of the best linear estimates of a model and a gradient, with thin lines at an eavesdropper."""
    with matplotlib.rc_context(STYLE):
        drawn, axes = plt.subplots(1, 2, figsize=(7.2, 2.6), sharey=True)
        for ax, (name, what) in zip(axes, PANELS, strict=True):
            errors(data, name, ax)
            ax.set_title(f"best linear estimate of a {what}")
        axes[0].set_ylabel("normalised error (thin: at an eavesdropper)")
        legend_below(drawn, axes[0])
    return drawn


def errors(data: xr.Dataset, name: str, ax: Axes) -> None:
    """Draw an error, mean over seeds, at the server and at an eavesdropper, with lines for each swept point."""
    for variable, width in ((name, 1.2), (f"{name}_elsewhere", 0.5)):
        values = data[variable].mean("seed")
        for label, look, line in lines(values, ("iteration",)):
            shown = label if variable == name else None
            marks = {"markevery": max(1, data.sizes["iteration"] // 8), "linewidth": width}
            draw_line(ax, data["iteration"].values, line.values, look, label=shown, **marks)
    ax.set_xlabel("Iteration")
    ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    ax.set_ylim(0, 1.1)
