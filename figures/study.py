"""What every figure is made of: the scenarios it shows, how it is drawn, and what its caption says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import xarray as xr
from matplotlib.figure import Figure

import otafl
from otafl import results

RESULTS = Path("results")


@dataclass(frozen=True)
class Study:
    """A figure.

    Arguments:
        title: heading in the gallery.
        scenarios: names of what it shows.
        draw: makes the figure from the results, by scenario name.
        caption: what is seen, and under which readings.
    """

    title: str
    scenarios: tuple[str, ...]
    draw: Callable[[Mapping[str, xr.Dataset]], Figure]
    caption: str


def result(name: str, progress: Callable[[str, int, int], None] | None = None) -> xr.Dataset:
    """The result of a scenario: the saved one where neither it nor the committed source has changed, else a new run."""
    path = RESULTS / name / f"{name}.nc"
    scenario = otafl.load(name)
    if path.is_file():
        saved = results.load(path)
        same_source = saved.attrs["git_revision"] == results.provenance()["git_revision"]
        if saved.attrs["scenario"] == scenario.to_toml() and same_source:
            return saved
    return otafl.run(scenario, out=path.parent, progress=progress)


def renamed(data: xr.Dataset, reading: str) -> xr.Dataset:
    """A result whose methods carry the name of a reading, for a legend."""
    names = [f"{name}, {reading}" for name in data["method"].values.reshape(-1)]
    return data.assign_coords(method=(data["method"].dims, names) if data["method"].dims else names[0])
