"""Results of the gallery's studies: kept ones, found in the folder of their subject, and those of new runs."""

import functools
import json
import re
from collections.abc import Callable
from pathlib import Path

import xarray as xr

import otafl
from otafl.results import result_file
from otafl.results.provenance import provenance
from otafl.scenario import library
from otafl.store import identity

RESULTS, FIGURES = Path("results"), Path("figures")
"""Folders of the working folder in which results and figures are written: those of the project, if it runs there."""
PROJECT = Path(__file__).parents[1]
"""Folder of the project's figures."""
COMPUTED = "computed"
"""Folder, in that of a subject, of the results of studies that take minutes to an hour."""
NUMBERS = "numbers.json"
"""File beside kept results with the versions of their numbers, by name: where one is corrected, they are not valid."""
COMMITTED = re.compile("[0-9a-f]{40}")
"""Revision of committed code."""


def resolved(name: str) -> otafl.Scenario:
    """Return a study that comes with otafl, or one of the gallery's own, whose file lies beside its figure.

    Arguments:
        name: name of the study.
    """
    return otafl.load(_own_file(name) or name)


@functools.cache
def _own_file(name: str) -> Path | None:
    return next(PROJECT.glob(f"*/{name}.toml"), None)


def computed(name: str, figures: Path = PROJECT) -> Path:
    """Return the folder in which a study's result is kept: ``figures/SUBJECT/computed``, by its scenario's folder.

    Arguments:
        name: name of the study.
        figures: folder of figures.
    """
    entry = library.entries().get(name)
    return figures / (entry.subject if entry else "") / COMPUTED


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
    folder = computed(name, FIGURES) if kept else RESULTS / name
    for place in (computed(name), folder) if kept else (folder,):
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
        rule = f"figures/*/{COMPUTED} keeps what committed code computes; commit it before {name} is computed"
        raise otafl.OtaflError("git revision", revision, rule)


def _saved(path: Path) -> xr.Dataset | None:
    try:
        return result_file.load(path)
    except otafl.OtaflError:
        return None


def _good(saved: xr.Dataset, scenario: otafl.Scenario, folder: Path) -> bool:
    before, now = result_file.scenario_of(saved), provenance()["git_revision"]
    same = list(before.points()) == list(scenario.points())
    whole = not (saved["outcome"] == "stopped").any()
    if not _kept(scenario):
        return same and whole and saved.attrs["git_revision"] == now
    return same and whole and noted(folder).get(scenario.name) == versions(scenario)


def _kept(scenario: otafl.Scenario) -> bool:
    return "local_epochs" in scenario.variables


def command(name: str) -> str:
    """Return the command line that runs a study.

    Arguments:
        name: name of the study.
    """
    own = _own_file(name)
    return f"otafl run {own.relative_to(PROJECT.parent) if own else name}"
