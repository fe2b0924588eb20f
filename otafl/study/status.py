"""Status of the runs of the studies in a folder."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from otafl.scenario import study_size
from otafl.scenario.stored_scenario import plan
from otafl.scenario.sweeps import dimensions
from otafl.settings.run import Run
from otafl.store.store import Store
from otafl.study.manifest import studies
from otafl.study.plan import Point

STATES = ("done", "running", "failed", "begun", "missing")
"""States of a run; one that is begun has a checkpoint from which it goes on."""
UNFINISHED = ("running", "begun", "missing")
"""States of a run that is still to be computed."""


class PointStatus(NamedTuple):
    """Numbers of runs in each state at one point of a study's sweep, values by the names of dimensions."""

    study: str
    point: Point
    counts: Counter[str]


def point_statuses(folder: Path) -> Iterator[PointStatus]:
    """Yield the numbers of runs in each state for each point of all studies in a folder, NAME.runs or one above."""
    for path, listed in studies(folder).items():
        wanted = plan(listed.scenario)
        study_size.require_curves(wanted, 1)
        own, shared = Store(path, only_read=True), Store(Path(listed.store), only_read=True)
        points: dict[str, PointStatus] = {}
        for run in listed.runs:
            point = dict(zip(dimensions(run.point), run.point.values(), strict=True))
            standing = points.setdefault(str(point), PointStatus(listed.study, point, Counter()))
            standing.counts[_state(run.name, wanted, own, shared)] += 1
        yield from points.values()


def _state(name: str, run: Run, folder: Store, shared: Store) -> str:
    if folder.result_of(name, run):
        return "done"
    if shared.in_use(name):
        return "running"
    return "failed" if folder.failure(name) else "begun" if shared.begun(name) else "missing"
