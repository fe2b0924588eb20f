"""A study's folder: its result NAME.nc, its figures, and NAME.runs with the runs' files and a list of them."""

import contextlib
import json
import shutil
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import xarray as xr
from pydantic import BaseModel, Field

from otafl.engine.run_spec import RunSpec
from otafl.errors import OtaflError, Remark
from otafl.results import file
from otafl.scenario import old_keys
from otafl.scenario.scenario import Scenario
from otafl.scenario.stored_scenario import parse_stored
from otafl.store.store import Store
from otafl.study import progress_file
from otafl.study.plan import Study

MANIFEST, SUFFIX = "study.json", ".runs"


class Directory:
    """The folder of a study, with runs of its own, so that it can be carried elsewhere.

    Arguments:
        folder: where the result is to lie.
        study: what is run.
        shared: the store in which runs are computed; None: the folder's own, ``anew`` unless it is unfinished.
        overwrite: whether the result of another study under this name may be replaced.

    Raises:
        OtaflError: it cannot be written, or it has a result with runs that this study does not have.
    """

    def __init__(self, folder: Path, study: Study, shared: Store | None, overwrite: bool = False) -> None:
        self.folder, self.study, self.name = folder, study, study.scenario.name
        self.runs = folder / f"{self.name}{SUFFIX}"
        self.store = Store(self.runs)
        self.shared = shared or self.store
        if not overwrite:
            self._refuse_another()
        self.anew = self.shared is self.store and all(
            self.store.result_of(name, column.settings.run) for name, column in self._named
        )

    @property
    def result(self) -> Path:
        """Where the result lies once all is done."""
        return self.folder / f"{self.name}.nc"

    @property
    def _named(self) -> list[tuple[str, RunSpec]]:
        """The study's runs with their names."""
        return list(zip(self.study.names, self.study.columns, strict=True))

    @property
    def begun(self) -> bool:
        """Whether some run has a result or a state to go on from, here or in the shared store."""
        return any(store.begun(name) for store in (self.store, self.shared) for name in self.study.names)

    def _refuse_another(self) -> None:
        before, has_result = manifest(self.runs), self._has_result()
        if before is None:
            if has_result:
                raise OtaflError("--out", str(self.folder), f"has {self.result.name} of another study; {REMEDY}")
            return
        names, wanted = set(self.study.names), self.study.scenario.settings.run.iterations
        there = [one for one in before["runs"] if self.store.path(one["name"]).exists()]
        there = there or before["runs"] if has_result else there
        lost = [one for one in there if one["name"] not in names]
        if lost:
            raise OtaflError("--out", str(self.folder), f"has {self._why_lost(lost)}; {REMEDY}")
        if there and before["iterations"] > wanted:
            what = f"{before['iterations']} iterations, and this study has {wanted}"
            raise OtaflError("--out", str(self.folder), f"has runs of {self.name} with {what}; {REMEDY}")

    def _why_lost(self, lost: list[dict[str, Any]]) -> str:
        """What runs are that this study would not have."""
        places = {place(run) for run in self._listed()["runs"]}
        same = [one for one in lost if place(one) in places]
        keys = [f"{key.split('.')[-1]} {value}" for key, value in (same or lost)[0]["point"].items()]
        example = ", ".join([*keys, f"seed {(same or lost)[0]['seed']}"])
        if same:
            other = "with other settings, data or model, or by another version of otafl"
            return f"{len(same)} runs of {self.name} that were computed {other}, such as {example}"
        return f"{len(lost)} runs of {self.name} that this study does not have, such as {example}"

    def _has_result(self) -> bool:
        try:
            return self.result.exists()
        except OSError as error:
            rule = f"must be a folder that can be written ({error.strerror})"
            raise OtaflError("--out", str(self.folder), rule) from None

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """A context in which the folder is there and lists the study's runs.

        Where it ends in an error and nothing was kept, it leaves nothing.

        Raises:
            OtaflError: the folder, or that of the store, cannot be written.
        """
        with file.made(self.folder), file.made(self.shared.folder, "--store"):
            try:
                with file.atomic_file(self.runs / MANIFEST) as path:
                    path.write_text(json.dumps(self._listed() | {"store": str(self.shared.folder)}, indent=1))
                for name in self.study.names if self.anew else ():
                    self.store.drop(name)
                self._forget_failures()
                yield
            except OtaflError:
                self.clear()
                raise

    def _forget_failures(self) -> None:
        """Of runs that the study does not have, as those of a model of the user's that is another now."""
        for path in self.runs.glob("*/*.failed"):
            if path.stem not in self.study.names:
                path.unlink()

    def finish(self, data: xr.Dataset) -> xr.Dataset:
        """Leave the result; nothing is running any more."""
        (self.runs / progress_file.FILE).unlink(missing_ok=True)
        return file.save(data, self.result)

    def clear(self) -> None:
        """Leave nothing where nothing is begun; the folder goes, too, where it was made for it."""
        if not any(self.runs.glob("*/*.run")) and not any(self.runs.glob("*/*.state")):
            shutil.rmtree(self.runs, ignore_errors=True)

    def fail(self, name: str, why: str) -> str:
        """Note why a run could not be computed; returns where."""
        try:
            return f"; {self.store.fail(name, why)}"
        except OSError as error:
            return f"; why cannot be kept in {self.runs} ({error.strerror})"

    def _listed(self) -> dict[str, Any]:
        scenario = self.study.scenario
        plan = scenario.settings.run
        points = [(point, seed) for point, _ in self.study.points for seed in plan.seed_range]
        runs = [
            {"name": name, "point": point, "seed": seed, "kind": kind}
            for name, kind, (point, seed) in zip(self.study.names, self.study.unseeded, points, strict=True)
        ]
        study = {"study": self.name, "file": scenario.file, "scenario": scenario.to_toml()}
        return study | {"iterations": plan.iterations, "runs": runs}

    def lend(self) -> None:
        """Give the shared store what it lacks of the runs that are here.

        Raises:
            OtaflError: it cannot be written.
        """
        try:
            for name, column in self._named if self.shared is not self.store else ():
                self.shared.complete(name, self.store, column.settings.run)
        except OSError as error:
            rule = f"must be a folder that can be written ({error.strerror})"
            raise OtaflError("--store", str(self.shared.folder), rule) from None

    def keep(self, names: list[str]) -> None:
        """Take runs from the shared store."""
        for name in names if self.shared is not self.store else ():
            try:
                self.store.take(name, self.shared)
            except OSError as error:
                warnings.warn(f"{name}.run cannot be kept in {self.runs} ({error.strerror})", Remark, stacklevel=2)


REMEDY = "take another folder, or --overwrite"


class ListedRun(BaseModel, strict=True):
    """Entry of a run in study.json."""

    name: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    point: dict[str, Any]
    seed: int
    kind: str = ""


class Listed(BaseModel, strict=True):
    """Content of study.json, by which a folder tells of its study."""

    study: Annotated[str, Field(pattern=r"^[^/\x00]+$")]
    file: str
    scenario: str
    iterations: int
    runs: Annotated[list[ListedRun], Field(min_length=1)]
    store: Annotated[str, Field(pattern=r"^[^\x00]+$")]


def manifest(runs: Path) -> dict[str, Any] | None:
    """What a study's folder says of its runs; None: it says nothing that can be read."""
    try:
        found = json.loads((runs / MANIFEST).read_text())
        Listed.model_validate(found)
    except (OSError, ValueError, RecursionError):
        return None
    return found | {"runs": _of_today(found["runs"])}


def _of_today(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return listed runs with the keys and values of their points as they are called now."""
    gone = old_keys.moved(*(run["point"] for run in runs))
    return [run | {"point": old_keys.current(run["point"], gone)} for run in runs]


def place(run: dict[str, Any]) -> str:
    """What tells the listed runs of a study apart."""
    return str((sorted((key, str(value)) for key, value in run["point"].items()), run["seed"]))


def studies(folder: Path) -> dict[Path, dict[str, Any]]:
    """What the studies in a folder, or that of NAME.runs itself, say of their runs, by their folders of runs.

    Raises:
        OtaflError: there is none.
    """
    listed = {path: manifest(path) for path in (folder, *sorted(folder.glob(f"*{SUFFIX}")))}
    found = {path: one for path, one in listed.items() if one}
    if not found:
        rule = f"must be the --out folder of a study, or NAME{SUFFIX} in it; there is no {MANIFEST} that can be read"
        raise OtaflError("DIR", str(folder), rule)
    return found


def scenario_of(listed: dict[str, Any], plugins: Sequence[str] = ()) -> Scenario:
    """The scenario of a study, from what its folder says; modules of the user's own are imported that are named here.

    Raises:
        OtaflError: it is none of this version, or needs other modules.
    """
    return parse_stored(listed["study"], listed["scenario"], listed["file"], plugins)
