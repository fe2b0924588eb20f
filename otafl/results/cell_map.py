"""Map of a study: the places of its workers, and their mean path gains."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from otafl.engine.channel_process import ChannelProcess
from otafl.errors import OtaflError
from otafl.results import result_file
from otafl.results.matplotlib_setup import Axes, Figure, matplotlib, plt
from otafl.results.style import STYLE

INCHES, MARGIN = 3.5, 1.15
"""Width and height of the map [in], and the ratio of its side to the spread of the places."""


def figure(data: xr.Dataset, plugins: Sequence[str] = ()) -> Figure:
    """Draw the map of a result's first run, whose fading a plugin may register: places [m] and mean path gains [dB]."""
    with matplotlib.rc_context(STYLE):
        figure, ax = plt.subplots(figsize=(INCHES, INCHES))
        draw(data, ax, plugins)
    return figure


def draw(data: xr.Dataset, ax: Axes, plugins: Sequence[str] = ()) -> None:
    """Draw the map of a study on axes: workers, the base station, and the buildings of a scene, in metres."""
    scenario = result_file.scenario_of(data, plugins)
    _, settings = next(scenario.points())
    places = ChannelProcess(settings, [settings.run.seed]).located()
    if places is None:
        rule = "has workers without places; set cell.radius_m, or use umi, uma, rma or raytraced fading"
        raise OtaflError("--map", scenario.name, rule)
    ax.fill(*places.outlines.T, color="0.85", edgecolor="0.6", linewidth=0.4)
    points = ax.scatter(*places.places.T, c=places.gain_db, s=14, cmap="viridis", edgecolors="black", linewidths=0.3)
    ax.plot(*places.server, "^", color="#d55e00", markersize=8, label="base station", linestyle="none")
    shown = np.concatenate([places.places, places.server[None]])
    middle, reach = (shown.min(axis=0) + shown.max(axis=0)) / 2, MARGIN * np.ptp(shown, axis=0).max() / 2
    ax.set(xlim=middle[0] + reach * np.array([-1, 1]), ylim=middle[1] + reach * np.array([-1, 1]))
    ax.set(xlabel="metres to the east", ylabel="metres to the north", aspect="equal")
    ax.figure.colorbar(points, ax=ax, label="Mean path gain [dB]", shrink=0.8)
    ax.legend(loc="best")
