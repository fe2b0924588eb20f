"""Figure 3(b) of the A-FADMM paper: loss at a budget of channel uses against SNR."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study, renamed
from otafl.results import plot

BUDGETS = (1e5, 2e5)
PANELS = {"one symbol in a use": "linreg_energy", "as printed": "linreg_energy_printed"}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the loss at 100,000 and 200,000 channel uses against SNR, with two readings of consensus and of a use.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, axes = plt.subplots(1, 2, figsize=(7.0, 3.2), sharey=True)
    for ax, (title, name) in zip(axes, PANELS.items(), strict=True):
        first = 0
        for part in (data[name], renamed(data[f"{name}_weighted"], "weighted")):
            plot.at_budget(part, "snr_db", "channel_uses", BUDGETS, ax=ax, first=first)
            first += len(BUDGETS) * part.sizes["scheme"]
        ax.set_title(title)
        ax.get_legend().remove()
    axes[0].set_ylim(1e-9, 1e2)
    axes[1].set_ylabel("")
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=6.5)
    return fig


STUDY = Study(
    title="Linear regression: loss at a budget of channel uses against SNR (figure 3b)",
    scenarios=("linreg_energy", "linreg_energy_weighted", "linreg_energy_printed", "linreg_energy_printed_weighted"),
    draw=draw,
    caption=(
        "The band has just enough subcarriers for uploads of one slot. A-FADMM needs 6. D-FADMM gives every worker an "
        "equal share, such that the slowest ends in one slot. The share is set anew for every channel, and all of it "
        "is used. Left: a use is one complex symbol of energy P·T on either uplink, for an element or log2(1 + "
        "W·T·SNR·|h|²) bits. Right: the paper's formulas as printed. A digital use carries W·T = 15 symbols there, and "
        "an analog one a single one. Losses are read at the last recorded iteration within the budget. Every iteration "
        "is recorded up to 100, then 100 a decade. The axis ends at 1e-9. Lines are mean and standard deviation over 5 "
        "seeds. With W·T symbols on both uplinks the left panel moves by 11.8 dB to the right."
    ),
)
