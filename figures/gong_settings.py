"""Figures 6, 8 and 9 of the FedADMM paper of Gong et al.: server's step, start of local training, penalty."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
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
    "rho_schedule": {"": "0.01", "1: 0.1": "0.1", "30: 0.1": "0.01, 0.1 from round 30"},
}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy of FedADMM against rounds, by server's step, start of local training and penalty.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    parts = {title: data[name].assign_coords(_words(data[name])) for title, name in PANELS.items()}
    return panels.by_study(parts, own_legends=True)


def _words(data: xr.Dataset) -> dict[str, list[str]]:
    """Return the legend's words for values of a swept key."""
    return {key: [words[str(value)] for value in data[key].values] for key, words in WORDS.items() if key in data.dims}


STUDY = Study(
    title="Gong et al.: the server's step, the start of local training, and the penalty (figures 6, 8, 9)",
    scenarios=tuple(PANELS.values()),
    draw=draw,
    caption=(
        "Small siblings: embedded digits, 5 of 20 clients, E = 5, rate 0.1, ρ = 0.01, 3 seeds. Start of training: from "
        "the global model θ or the client's own w. What is sent is 2(w' − θ), as the released code does, or (4), as "
        "printed. Two labels each: a server's step of 0.5 is slower and ends lower. A step of 0.25, the share of "
        "clients that take part, does the same; theorem 1 is proved with it. The penalty makes little difference here."
    ),
)
