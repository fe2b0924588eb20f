"""A study's folder: its result NAME.nc, its figures, and NAME.runs with the runs' files and a list of them."""

import contextlib
import json
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import xarray as xr

from otafl.errors import OtaflError, Remark
from otafl.results import file
from otafl.scenario.scenario import Scenario
from otafl.scenario.stored import parse_stored
from otafl.store.store import Store
from otafl.study import note
from otafl.study.plan import Study

MANIFEST, SUFFIX = "study.json", ".runs"


class Directory:
    """The folder of a study, with runs of its own, so that it can be carried elsewhere.

    Arguments:
        folder: where the result is to lie.
        study: what is run.
        shared: the store in which runs are computed; None: the folder's own, anew, unless it is unfinished.
        overwrite: whether the result of another study under this name may be replaced.

    Raises:
        OtaflError: it cannot be written, or it has a result with runs that this study does not have.
    """

    def __init__(self, folder: Path, study: Study, shared: Store | None, overwrite: bool = False) -> None:
        self.folder, self.study, self.name = folder, study, study.scenario.name
        self.runs = folder / f"{self.name}{SUFFIX}"
        self.store = Store(self.runs)
        if not overwrite:
            self._refuse_another()
        self.shared = shared or self._anew()

    @property
    def result(self) -> Path:
        """Where the result lies once all is done."""
        return self.folder / f"{self.name}.nc"

    def _refuse_another(self) -> None:
        before = manifest(self.runs)
        if before is None:
            if self._has_result():
                raise OtaflError("--out", str(self.folder), f"has {self.result.name} of another study; {REMEDY}")
            return
        plan, names = self.study.scenario.settings.run, set(self.study.names)
        lost = [one for one in before["runs"] if one["name"] not in names]
        if lost or before["iterations"] > plan.iterations:
            what = f"{len(lost)} runs" if lost else f"{before['iterations']} iterations"
            rule = f"has {self.result.name} with {what} that this study does not have{_such_as(lost)}; {REMEDY}"
            raise OtaflError("--out", str(self.folder), rule)

    def _has_result(self) -> bool:
        try:
            return self.result.exists()
        except OSError as error:
            rule = f"must be a folder that can be written ({error.strerror})"
            raise OtaflError("--out", str(self.folder), rule) from None

    def _anew(self) -> Store:
        """The folder's own store, emptied where it has all runs."""
        if all(self.store.path(name).exists() for name in self.study.names):
            for name in self.study.names:
                self.store.drop(name)
        return self.store

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """A context in which the folder is there and lists the study's runs.

        Where it ends in an error and no run was kept, it leaves nothing.
        """
        with file.made(self.folder):
            try:
                with file.atomic_file(self.runs / MANIFEST) as path:
                    path.write_text(json.dumps(self._listed() | {"store": str(self.shared.folder)}, indent=1))
                yield
            except OtaflError:
                if not any(self.runs.glob("*/*.run")):
                    self.clear()
                raise

    def finish(self, data: xr.Dataset) -> xr.Dataset:
        """Leave the result; nothing is running any more."""
        (self.runs / note.FILE).unlink(missing_ok=True)
        return file.save(data, self.result)

    def clear(self) -> None:
        """Forget the runs; the folder goes with them where it was made for them."""
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
            {"name": name, "point": point, "seed": seed}
            for name, (point, seed) in zip(self.study.names, points, strict=True)
        ]
        study = {"study": self.name, "file": scenario.file, "scenario": scenario.to_toml()}
        return study | {"iterations": plan.iterations, "runs": runs}

    def lend(self) -> None:
        """Give the shared store the runs that are here and not there."""
        for name in self.study.names:
            if self.store.path(name).exists() and not self.shared.path(name).exists():
                self.shared.take(name, self.store)

    def keep(self, names: list[str]) -> None:
        """Take runs from the shared store."""
        try:
            for name in names:
                self.store.take(name, self.shared)
        except OSError as error:
            warnings.warn(f"runs cannot be kept in {self.runs} ({error.strerror})", Remark, stacklevel=2)


REMEDY = "take another folder, or --overwrite"


def manifest(runs: Path) -> dict[str, Any] | None:
    """What a study's folder says of its runs; None: there is none that can be read."""
    try:
        return json.loads((runs / MANIFEST).read_text())
    except (OSError, ValueError):
        return None


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


def scenario_of(listed: dict[str, Any]) -> Scenario:
    """The scenario of a study, from what its folder says."""
    return parse_stored(listed["study"], listed["scenario"], listed["file"])


def _such_as(lost: list[dict[str, Any]]) -> str:
    if not lost:
        return ""
    keys = [f"{key.split('.')[-1]} {value}" for key, value in lost[0]["point"].items()]
    return f", such as {', '.join([*keys, 'seed ' + str(lost[0]['seed'])])}"
