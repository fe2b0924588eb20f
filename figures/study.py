"""Figures of the gallery: their scenarios, their functions that draw, and their captions."""

import importlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import xarray as xr
from matplotlib.figure import Figure

import otafl
from otafl.results import file, style
from otafl.results.provenance import provenance
from otafl.store import identity

style.LOOKS.update(
    {
        "FedAvg@analog full power": style.LOOKS["full_power"],
        "FedAvg@digital 32 bits": 26,
        "FedAvg@digital 8 bits": 27,
        "FedAvg@digital 4 bits": 28,
        "FedAvg@digital 2 bits": 29,
        "FedAvg@digital top-k": 30,
        "A-SFADMM p=1 κ=0.5": 37,
        "A-SFADMM p=1": 40,
        "A-SFADMM-10x": 42,
        "A-SFADMM as published": 43,
    }
)
RESULTS, FIGURES = Path("results"), Path("figures")
"""Folders of the working folder in which results and figures are written: those of the project, if it runs there."""
COMPUTED = Path(__file__).parent / "computed"
"""Folder of the results of studies that take minutes to an hour; a result is valid while its scenario is the same."""
NUMBERS = "numbers.json"
"""File beside kept results with the versions of their numbers, by name: where one is corrected, they are not valid."""
COMMITTED = re.compile("[0-9a-f]{40}")
"""Revision of committed code."""
LONG = ("channel_communication",)
"""Names of studies that take long without training networks."""


@dataclass(frozen=True)
class Study:
    """Figure of the gallery: its scenarios, the function that draws it, and its caption.

    Arguments:
        title: heading in the gallery.
        scenarios: names of its studies.
        draw: function that draws the figure from the results, by scenario name.
        caption: caption, with the readings that it shows, of at most three sentences.
        notes: what else is known of it, for the page of its paper or section.
    """

    title: str
    scenarios: tuple[str, ...]
    draw: Callable[[Mapping[str, xr.Dataset]], Figure]
    caption: str
    notes: str = ""


def resolved(name: str) -> otafl.Scenario:
    """Return a study that comes with otafl, or one of the gallery's own, whose file lies beside its figure.

    Arguments:
        name: name of the study.
    """
    return otafl.load(_own_file(name) or name)


def _own_file(name: str) -> Path | None:
    return next(Path(__file__).parent.glob(f"*/{name}.toml"), None)


def result(name: str, progress: Callable[[str, int, int], None] | None = None) -> xr.Dataset:
    """Return the result of a scenario: the saved one while it is valid, else that of a new run.

    It is valid while its scenario has not changed, and none of its numbers was corrected; for studies that take no long
    time, while the committed source is the same. One that is kept takes no run from the user's store, which may be of
    code that is not committed.

    Arguments:
        name: name of the scenario.
        progress: function to call with a label of the runs under way, the iterations done and those in all; None: none.

    Returns:
        Dataset over swept keys, seed and iteration.

    Raises:
        OtaflError: the result is to be kept, and code or scenarios are not committed.
    """
    scenario = resolved(name)
    kept = _kept(scenario)
    folder = FIGURES / COMPUTED.name if kept else RESULTS / name
    for place in (COMPUTED, folder) if kept else (folder,):
        saved = _saved(place / f"{name}.nc")
        if saved is not None and _good(saved, scenario, place):
            return saved
    if not kept:
        return otafl.run(scenario, out=folder, progress=progress)
    _refuse_uncommitted(name)
    data = otafl.run(scenario, out=folder, progress=progress, store=False)
    note(scenario, folder)
    return data


def versions(scenario: otafl.Scenario) -> dict[str, int]:
    """Return the versions of the numbers of a scenario's runs, of all and of what was corrected in some, by name.

    Arguments:
        scenario: the scenario.
    """
    corrected = [identity.corrections(settings) for _, settings in scenario.points()]
    return {"all": identity.RESULTS_VERSION} | {key: value for one in corrected for key, value in one.items()}


def noted(folder: Path) -> dict[str, dict[str, int]]:
    """Return the versions of the numbers of kept results, by name.

    Arguments:
        folder: folder of the results.
    """
    path = folder / NUMBERS
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def note(scenario: otafl.Scenario, folder: Path) -> None:
    """Note the versions of the numbers of a result that has just been computed.

    Arguments:
        scenario: its scenario.
        folder: folder of the result.
    """
    known = noted(folder) | {scenario.name: versions(scenario)}
    lines = (f"  {json.dumps(name)}: {json.dumps(known[name])}" for name in sorted(known))
    (folder / NUMBERS).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _refuse_uncommitted(name: str) -> None:
    """Raise an error where the code that would compute a kept result is not committed."""
    revision = provenance()["git_revision"]
    if not COMMITTED.fullmatch(revision):
        rule = f"figures/computed keeps what committed code computes; commit it before {name} is computed"
        raise otafl.OtaflError("git revision", revision, rule)


def _saved(path: Path) -> xr.Dataset | None:
    try:
        return file.load(path)
    except otafl.OtaflError:
        return None


def _good(saved: xr.Dataset, scenario: otafl.Scenario, folder: Path) -> bool:
    before, now = file.scenario_of(saved), provenance()["git_revision"]
    same = list(before.points()) == list(scenario.points())
    whole = not (saved["outcome"] == "stopped").any()
    if not _kept(scenario):
        return same and whole and saved.attrs["git_revision"] == now
    return same and whole and noted(folder).get(scenario.name) == versions(scenario)


def _kept(scenario: otafl.Scenario) -> bool:
    return "local_epochs" in scenario.variables or scenario.name in LONG


def command(name: str) -> str:
    """Return the command line that runs a study.

    Arguments:
        name: name of the study.
    """
    own = _own_file(name)
    return f"otafl run {own.relative_to(Path(__file__).parents[1]) if own else name}"


def load(name: str) -> Study:
    """Import the module of a figure; return the figure's scenarios, drawing function and caption.

    Arguments:
        name: name of the module in the folder figures.
    """
    return importlib.import_module(f"figures.{name}").STUDY


def renamed(data: xr.Dataset, reading: str) -> xr.Dataset:
    """Return a result with the name of a reading of a paper behind each of its schemes, for a legend.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration.
        reading: name of the reading.
    """
    names = [f"{name}, {reading}" for name in data["scheme"].values.reshape(-1)]
    return data.assign_coords(scheme=(data["scheme"].dims, names) if data["scheme"].dims else names[0])
