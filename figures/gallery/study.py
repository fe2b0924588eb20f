"""Results of the gallery's studies: kept ones, and those of new runs."""

import functools
import re
from collections.abc import Callable
from pathlib import Path

import xarray as xr

import otafl
from figures.gallery import kept
from figures.gallery.kept import PROJECT
from otafl.results import result_file
from otafl.results.provenance import provenance
from otafl.store import identity

RESULTS, FIGURES = Path("results"), Path("figures")
"""Folders of the working folder in which results and figures are written: those of the project, if it runs there."""
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
    if not _takes_long(scenario):
        saved = _saved(RESULTS / name / f"{name}.nc")
        if saved is not None and _good(saved, scenario):
            return saved
        return otafl.run(scenario, out=RESULTS / name, progress=progress, overwrite=True)
    for path in (kept.archive(name), kept.archive(name, FIGURES)):
        if kept.versions(path).get(name) == versions(scenario) and _complete(saved := kept.load(path, name), scenario):
            return saved
    _refuse_uncommitted(name)
    data = otafl.run(scenario, out=RESULTS / name, progress=progress, store=False, overwrite=True)
    kept.keep(kept.archive(name, FIGURES), RESULTS / name / f"{name}.nc", versions(scenario))
    return data


def versions(scenario: otafl.Scenario) -> dict[str, int]:
    """Return the versions of the numbers of a scenario's runs, of all and of what was corrected in some, by name.

    Arguments:
        scenario: the scenario.
    """
    corrected = [identity.corrections(settings) for _, settings in scenario.points()]
    return {"all": identity.RESULTS_VERSION} | {key: value for one in corrected for key, value in one.items()}


def _refuse_uncommitted(name: str) -> None:
    """Raise an error where the code that would compute a kept result is not committed."""
    revision = provenance()["git_revision"]
    if not COMMITTED.fullmatch(revision):
        rule = f"figures/*/computed keeps what committed code computes; commit it before {name} is computed"
        raise otafl.OtaflError("git revision", revision, rule)


def _saved(path: Path) -> xr.Dataset | None:
    try:
        return result_file.load(path)
    except otafl.OtaflError:
        return None


def _good(saved: xr.Dataset, scenario: otafl.Scenario) -> bool:
    return saved.attrs["git_revision"] == provenance()["git_revision"] and _complete(saved, scenario)


def _complete(saved: xr.Dataset, scenario: otafl.Scenario) -> bool:
    whole = not (saved["outcome"] == "stopped").any()
    return whole and list(result_file.scenario_of(saved).points()) == list(scenario.points())


def _takes_long(scenario: otafl.Scenario) -> bool:
    return "local_epochs" in scenario.variables


def command(name: str) -> str:
    """Return the command line that runs a study.

    Arguments:
        name: name of the study.
    """
    own = _own_file(name)
    return f"otafl run {own.relative_to(PROJECT.parent) if own else name}"
