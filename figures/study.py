"""What every figure is made of: the scenarios it shows, how it is drawn, and what its caption says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xarray as xr
from matplotlib.figure import Figure

import otafl
from otafl.results import file

RESULTS = Path("results")
COMPUTED = Path(__file__).parent / "computed"
"""Results of studies that train networks for up to an hour: they are kept, and stay good while their scenario does."""
STEPS = {"local.steps": [5, 20], "run.seeds": 1, "run.iterations": 60}
PARTS: dict[str, tuple[str, dict[str, Any]]] = {
    "mnist_energy_digital": ("mnist_energy", {"method": "D-SFADMM"}),
    "fedvra_table4_mnist": ("fedvra_table4", {"run.seeds": 1, "run.iterations": 300}),
    "fedvra_table4_uneven_mnist": ("fedvra_table4_uneven", {"run.seeds": 1, "run.iterations": 300}),
    "fedvra_steps_mnist": ("fedvra_steps", {"run.seeds": 1, "run.iterations": 100}),
    "gong_table4_iid_mnist": ("gong_table4_iid", {"problem.model": "mlp", "run.seeds": 3}),
    "gong_table4_shards_mnist": ("gong_table4_shards", {"problem.model": "mlp", "run.seeds": 3}),
    "insa_regression_fedavg": ("insa_regression", {"method": "FedAvg"}),
    "insa_mnist_300": ("insa_mnist", {"run.seeds": 1}),
    "insa_regression_insa": ("insa_regression", {"method": "FedADMM-InSa"}),
    "gong_table3_shards_mnist": ("gong_table3_shards", {"run.seeds": 1}),
    "wang_images_mnist": ("wang_images", {"run.seeds": 1, "run.iterations": 20}),
    "mnist_penalty_summed": (
        "mnist_penalty",
        {"algorithm.rho": [0.0005, 0.005], "run.seeds": 1, "run.iterations": 60},
    ),
    "mnist_local_steps_minibatch": ("mnist_local_steps", {"local.minibatch": "every_round", **STEPS}),
    "mnist_local_steps_random": ("mnist_local_steps", {"algorithm.start": "random", **STEPS}),
    "mnist_energy_analog": ("mnist_energy", {"method": "A-SFADMM", "channel.snr_db": [-10.0, 40.0]}),
}
"""What is computed of a scenario where all of it takes too long."""


@dataclass(frozen=True)
class Study:
    """A figure.

    Arguments:
        title: heading in the gallery.
        scenarios: names of what it shows, scenarios or PARTS.
        draw: makes the figure from the results, by scenario name.
        caption: what is seen, and under which readings.
    """

    title: str
    scenarios: tuple[str, ...]
    draw: Callable[[Mapping[str, xr.Dataset]], Figure]
    caption: str


def resolved(name: str) -> otafl.Scenario:
    """A scenario, or a part of one under the part's own name."""
    scenario, overrides = PARTS.get(name, (name, {}))
    return otafl.load(scenario).override(overrides).model_copy(update={"name": name})


def result(name: str, progress: Callable[[str, int, int], None] | None = None) -> xr.Dataset:
    """The result of a scenario: the saved one while it is good, else a new run.

    It is good while its scenario and, for what is computed quickly, the committed source have not changed.
    """
    scenario = resolved(name)
    folder = COMPUTED if scenario.trains else RESULTS / name
    path = folder / f"{name}.nc"
    saved = _saved(path)
    if saved is not None and _good(saved, scenario):
        return saved
    return otafl.run(scenario, out=folder, progress=progress)


def _saved(path: Path) -> xr.Dataset | None:
    try:
        return file.load(path)
    except otafl.OtaflError:
        return None


def _good(saved: xr.Dataset, scenario: otafl.Scenario) -> bool:
    before, now = file.scenario_of(saved), file.provenance()["git_revision"]
    same = list(before.points()) == list(scenario.points())
    whole = not (saved["outcome"] == "stopped").any()
    return same and whole and (scenario.trains or saved.attrs["git_revision"] == now)


def command(name: str) -> str:
    """How a scenario, or a part of one, is run on the command line."""
    scenario, overrides = PARTS.get(name, (name, {}))
    options = [f"--{key.replace('_', '-')} {_words(value)}" for key, value in overrides.items()]
    return " ".join(["otafl run", scenario, *options])


def _words(value: Any) -> str:
    return " ".join(f"{item:g}" for item in value) if isinstance(value, list) else str(value)


def renamed(data: xr.Dataset, reading: str) -> xr.Dataset:
    """A result whose schemes carry the name of a reading, for a legend."""
    names = [f"{name}, {reading}" for name in data["scheme"].values.reshape(-1)]
    return data.assign_coords(scheme=(data["scheme"].dims, names) if data["scheme"].dims else names[0])
