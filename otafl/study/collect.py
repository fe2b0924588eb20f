"""Collection of runs from several folders, such as several machines have left them, into one result."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from otafl.errors import OtaflError
from otafl.scenario import study_size
from otafl.scenario.scenario import Scenario
from otafl.scenario.stored_scenario import parse_stored
from otafl.store.store import Store
from otafl.study.directory import place, studies
from otafl.study.plan import Study
from otafl.study.study_curves import StudyCurves


def collect(folders: Sequence[str | Path], plugins: Sequence[str] = ()) -> StudyCurves:
    """Collect the runs of one study from folders that hold different seeds of it.

    Raises:
        OtaflError: no folder holds a study, the studies differ in more than seeds, or a module is not imported.
    """
    if not isinstance(folders, list | tuple) or not all(isinstance(folder, str | PathLike) for folder in folders):
        raise OtaflError("DIR", folders, "must be a list of folders")
    if not folders:
        raise OtaflError("DIR", "", "must name the folder of a study, or several")
    listed = {path: one for folder in folders for path, one in studies(Path(folder)).items()}
    scenario = _common(listed, plugins)
    _require_alike(listed)
    study_size.require_curves(scenario.settings.run, sum(len(one["runs"]) for one in listed.values()))
    curves = StudyCurves(Study(scenario))
    copies: dict[str, list[tuple[Store, str]]] = {}
    for path, one in listed.items():
        for run in one["runs"]:
            copies.setdefault(place(run), []).append((Store(path, only_read=True), run["name"]))
    plan = scenario.settings.run
    wanted = [{"point": point, "seed": seed} for point, _ in curves.study.points for seed in plan.seed_range]
    for at, run in enumerate(wanted):
        here = copies.get(place(run), [])
        found = next(filter(None, (store.result_of(name, plan) for store, name in here)), None)
        if found:
            curves.put(at, found)
        elif any(store.failure(name) for store, name in here):
            curves.fail(at)
    return curves


def _common(listed: dict[Path, dict[str, Any]], plugins: Sequence[str]) -> Scenario:
    """Return the scenario of all studies, with the seeds of all of them."""
    found = [parse_stored(one["study"], one["scenario"], one["file"], plugins) for one in listed.values()]
    (first, *others), paths = found, list(listed)
    plain = _without_seeds(first)
    for path, other in zip(paths[1:], others, strict=True):
        if _without_seeds(other) != plain:
            rule = f"must be the study of {paths[0]} with other seeds; it is another study, and cannot be mixed with it"
            raise OtaflError("DIR", str(path), rule)
    seeds = sorted({seed for one in (first, *others) for seed in one.settings.run.seed_range})
    if seeds[-1] - seeds[0] >= len(seeds):
        raise OtaflError("DIR", str(paths[0]), f"must have consecutive seeds together, but have {seeds}")
    return first.with_seeds(seeds[0], len(seeds))


def _require_alike(listed: dict[Path, dict[str, Any]]) -> None:
    """Refuse runs of one point that differ in data, code, channels or the version of otafl."""
    known: dict[str, tuple[str, Path]] = {}
    for path, one in listed.items():
        for run in one["runs"]:
            kind, first = known.setdefault(place(run | {"seed": 0}), (run.get("kind", ""), path))
            if run.get("kind", "") != kind:
                rule = f"has runs on other data, code or channels than {first}, or of another version; "
                raise OtaflError("DIR", str(path), f"{rule}these cannot be mixed")


def _without_seeds(scenario: Scenario) -> str:
    """Return the TOML text of a scenario with fixed seeds, by which two studies are compared."""
    return scenario.with_seeds(1, 1).to_toml()
