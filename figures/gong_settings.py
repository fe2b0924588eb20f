"""Figures 6, 8 and 9 of the FedADMM paper of Gong et al.: server's step, start of local training, penalty."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import gong_panels
from figures.gong_panels import Panel
from figures.study import Study

PANELS = {
    "server's step, two labels each": "gong_server_step_small",
    "start of local training, IID": "gong_warm_start_small",
    "penalty, IID": "gong_penalty_small",
    "penalty, two labels each": "gong_penalty_shards_small",
}


WORDS = {
    "stored_model": {"global": "2(w' − θ)", "own": "(4)"},
    "warm_start": {"global": "from θ", "local": "from w"},
    "rho_schedule": {"": "ρ = 0.01", "1: 0.1": "ρ = 0.1", "30: 0.1": "ρ = 0.01, then 0.1"},
    "server_step": {"0.5": "η = 0.5", "1.0": "η = 1", "1.5": "η = 1.5", "participation": "η = |S|/m"},
}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy of FedADMM against rounds, by server's step, start of local training and penalty.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    parts = {title: data[name].squeeze("scheme", drop=True) for title, name in PANELS.items()}
    panels = {
        title: Panel(part.assign_coords(_words(part)), 0.9, 0.2 if "stored_model" in part.dims else 0.5)
        for title, part in parts.items()
    }
    return gong_panels.drawn(panels, shared=False)


def _words(data: xr.Dataset) -> dict[str, list[str]]:
    """Return the legend's words for values of a swept key."""
    return {key: [words[str(value)] for value in data[key].values] for key, words in WORDS.items() if key in data.dims}


STUDY = Study(
    title="Gong et al.: the server's step, the start of local training, and the penalty (figures 6, 8, 9)",
    scenarios=tuple(PANELS.values()),
    draw=draw,
    caption=(
        "FedADMM on embedded digits, 5 of 20 clients, E = 5, ρ = 0.01 unless said; means of three seeds (thin), and a "
        "dotted line at 90%. Under each seed steps of 0.5 and of \\|S\\|/m = 0.25 (theorem 1) are slower than 1 and "
        "end lower, and a step of 1.5 does not stall. Starting from w is worse than from θ for 2(w' − θ) and for (4); "
        "the penalties are not told apart."
    ),
)
