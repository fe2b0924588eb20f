"""One result from the runs in folders of studies, such as several machines have left them."""

from pathlib import Path
from typing import Any

from otafl.errors import OtaflError
from otafl.scenario.scenario import Scenario
from otafl.store.store import Store
from otafl.study.curves import StudyCurves
from otafl.study.directory import scenario_of, studies
from otafl.study.plan import Study

SEEDS = ("run.seed", "run.seeds")


def collect(folders: list[Path]) -> StudyCurves:
    """The curves of all runs that some folders have, which may differ in their seeds; what is missing is "stopped".

    Arguments:
        folders: that studies were run with as ``--out``, or NAME.runs in one.

    Raises:
        OtaflError: there is no study, or there are several that cannot be put together.
    """
    listed = {path: one for folder in folders for path, one in studies(folder).items()}
    scenario = _common(listed)
    curves = StudyCurves(Study(scenario))
    names = {_place(run): (path, run["name"]) for path, one in listed.items() for run in one["runs"]}
    plan = scenario.settings.run
    places = [(point, seed) for point, _ in curves.study.points for seed in plan.seed_range]
    for place, (point, seed) in enumerate(places):
        path, name = names[_place({"point": point, "seed": seed})]
        found = Store(path).result_of(name, plan)
        if found:
            curves.put(place, found)
        elif Store(path).failure(name):
            curves.fail(place)
    return curves


def _place(run: dict[str, Any]) -> str:
    """What tells a study's runs apart."""
    return str((sorted((key, str(value)) for key, value in run["point"].items()), run["seed"]))


def _common(listed: dict[Path, dict[str, Any]]) -> Scenario:
    """The scenario of all studies, with the seeds of all of them."""
    (first, *others), paths = [scenario_of(one) for one in listed.values()], list(listed)
    plain = _without_seeds(first)
    for path, other in zip(paths[1:], others, strict=True):
        if _without_seeds(other) != plain:
            rule = f"must be the study of {paths[0]} with other seeds; it is another one, and cannot be mixed with it"
            raise OtaflError("DIR", str(path), rule)
    seeds = sorted({seed for one in (first, *others) for seed in one.settings.run.seed_range})
    if seeds[-1] - seeds[0] >= len(seeds):
        raise OtaflError("DIR", str(paths[0]), f"must have seeds that follow each other; together there are {seeds}")
    return first.override({"run.seed": seeds[0], "run.seeds": len(seeds)})


def _without_seeds(scenario: Scenario) -> str:
    """A scenario's text, but for its seeds."""
    return scenario.override(dict.fromkeys(SEEDS, 1)).to_toml()
