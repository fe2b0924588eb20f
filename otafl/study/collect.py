"""Collection of runs from several folders, such as several machines have left them, into one result."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from otafl.errors import OtaflError
from otafl.scenario import study_size
from otafl.scenario.scenario import Scenario
from otafl.scenario.stored_scenario import parse_stored
from otafl.store.store import Store
from otafl.study.manifest import Manifest, place, studies
from otafl.study.plan import Study
from otafl.study.study_curves import StudyCurves


def collect(folders: Sequence[str | Path], plugins: Sequence[str] = ()) -> StudyCurves:
    """Collect the runs of one study from folders that hold different seeds of it.

    Arguments:
        folders: folders that the study was run with as ``--out``, or NAME.runs in one.
        plugins: modules of the user's own to import, in which the study's methods and parts are registered.

    Returns:
        Curves and outcomes of all runs; ``dataset()`` makes a result of them. A run in no folder is "stopped".

    Raises:
        OtaflError: no folder holds a study, the studies differ in more than seeds, or a module is not imported.
    """
    if not isinstance(folders, list | tuple) or not all(isinstance(folder, str | PathLike) for folder in folders):
        raise OtaflError("DIR", folders, "must be a list of folders")
    if not folders:
        raise OtaflError("DIR", "", "must name the folder of a study, or several")
    listed = {path: study for folder in folders for path, study in studies(Path(folder)).items()}
    scenario = _common(listed, plugins)
    _require_alike(listed)
    plan = scenario.settings.run
    study_size.require_curves(plan, sum(len(study.runs) for study in listed.values()))
    curves, copies = StudyCurves(Study(scenario)), _copies(listed)
    wanted = [(point, seed) for point, _ in curves.study.points for seed in plan.seed_range]
    for at, (point, seed) in enumerate(wanted):
        here = copies.get(place(point, seed), [])
        result = next(filter(None, (store.result_of(name, plan) for store, name in here)), None)
        if result:
            curves.put(at, result)
        elif any(store.failure(name) for store, name in here):
            curves.outcomes[at] = "failed"
    return curves


def _copies(listed: dict[Path, Manifest]) -> dict[str, list[tuple[Store, str]]]:
    """Return the stores that have a run, with its name there, by the run's place in the study."""
    copies: dict[str, list[tuple[Store, str]]] = {}
    for path, study in listed.items():
        for run in study.runs:
            copies.setdefault(run.place, []).append((Store(path, only_read=True), run.name))
    return copies


def _common(listed: dict[Path, Manifest], plugins: Sequence[str]) -> Scenario:
    """Return the scenario of all studies, with the seeds of all of them."""
    scenarios = [parse_stored(study.study, study.scenario, study.file, plugins) for study in listed.values()]
    first, paths = scenarios[0], list(listed)
    plain = first.with_seeds(1, 1).to_toml()
    for path, other in zip(paths[1:], scenarios[1:], strict=True):
        if other.with_seeds(1, 1).to_toml() != plain:
            rule = f"must be the study of {paths[0]} with other seeds; it is another study, and cannot be mixed with it"
            raise OtaflError("DIR", str(path), rule)
    seeds = sorted({seed for scenario in scenarios for seed in scenario.settings.run.seed_range})
    if seeds[-1] - seeds[0] >= len(seeds):
        raise OtaflError("DIR", str(paths[0]), f"must have consecutive seeds together, but have {seeds}")
    return first.with_seeds(seeds[0], len(seeds))


def _require_alike(listed: dict[Path, Manifest]) -> None:
    """Refuse runs of one point that differ in data, code, channels or the version of otafl."""
    known: dict[str, tuple[str, Path]] = {}
    for path, study in listed.items():
        for run in study.runs:
            kind, first = known.setdefault(place(run.point, 0), (run.kind, path))
            if run.kind != kind:
                rule = f"has runs on other data, code or channels than {first}, or of another version; "
                raise OtaflError("DIR", str(path), f"{rule}these cannot be mixed")
