"""Folder of a study: its result NAME.nc, its figures, and NAME.runs with the runs' files and study.json."""

import contextlib
import json
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from otafl.errors import OtaflError, Remark
from otafl.store.store import Store
from otafl.study import progress_file
from otafl.study.manifest import MANIFEST, SUFFIX, ListedRun, Manifest, manifest
from otafl.study.plan import Study
from otafl.system.whole_files import atomic_file, made

if TYPE_CHECKING:
    import xarray as xr

REMEDY = "take another folder, or --overwrite"


class Directory:
    """Folder of a study, with copies of its runs, so that it can be moved to another machine.

    Runs are computed in a shared store, or else in the folder, where a finished study is computed again. Without
    ``overwrite`` a folder with runs that this study does not have is refused.
    """

    def __init__(self, folder: Path, study: Study, shared: Store | None, overwrite: bool = False) -> None:
        self.folder, self.study, self.name = folder, study, study.scenario.name
        self.runs, self.result = folder / f"{self.name}{SUFFIX}", folder / f"{self.name}.nc"
        self.store = Store(self.runs)
        self.shares, self.shared = shared is not None, shared or self.store
        self.wanted = study.scenario.settings.run
        if not overwrite:
            self._refuse_another()
        self.recomputes = not self.shares and all(self.store.result_of(name, self.wanted) for name in study.names)

    @property
    def _manifest(self) -> str:
        scenario = self.study.scenario
        listed = Manifest(
            study=self.name,
            file=scenario.file,
            scenario=scenario.to_toml(),
            iterations=self.wanted.iterations,
            runs=self._listed,
            store=str(self.shared.folder),
        )
        return json.dumps(listed.model_dump(), indent=1)  # which keeps infinite values

    @property
    def begun(self) -> bool:
        """True if some run has a result or a checkpoint, here or in the shared store."""
        return any(store.begun(name) for store in (self.store, self.shared) for name in self.study.names)

    @property
    def stored(self) -> bool:
        """True if each run has a file with a result, here or in the shared store, which need not be computed again."""
        stores = (self.store, self.shared)
        there = (any(store.path(name).exists() for store in stores) for name in self.study.names)
        return not self.recomputes and all(there)

    def _refuse_another(self) -> None:
        before, has_result = manifest(self.runs), self._has_result()
        if before is None:
            if has_result:
                raise OtaflError("--out", str(self.folder), f"has {self.result.name} of another study; {REMEDY}")
            return
        names, wanted = set(self.study.names), self.wanted.iterations
        there = [run for run in before.runs if self.store.path(run.name).exists()]
        there = there or before.runs if has_result else there
        lost = [run for run in there if run.name not in names]
        if lost:
            raise OtaflError("--out", str(self.folder), f"has {self._why_lost(lost)}; {REMEDY}")
        if there and before.iterations > wanted:
            what = f"{before.iterations} iterations, and this study has {wanted}"
            raise OtaflError("--out", str(self.folder), f"has runs of {self.name} with {what}; {REMEDY}")

    def _why_lost(self, lost: list[ListedRun]) -> str:
        places = {run.place for run in self._listed}
        same = [run for run in lost if run.place in places]
        first = (same or lost)[0]
        keys = [f"{key.split('.')[-1]} {value}" for key, value in first.point.items()]
        example = ", ".join([*keys, f"seed {first.seed}"])
        if same:
            other = "with other settings, data, model or code of yours, or by another version of otafl"
            return f"{len(same)} runs of {self.name} that were computed {other}, such as {example}"
        return f"{len(lost)} runs of {self.name} that this study does not have, such as {example}"

    @property
    def _listed(self) -> list[ListedRun]:
        places = [(point, seed) for point, _ in self.study.points for seed in self.wanted.seed_range]
        runs = zip(self.study.names, places, self.study.unseeded, strict=True)
        return [ListedRun(name=name, point=point, seed=seed, kind=kind) for name, (point, seed), kind in runs]

    def _has_result(self) -> bool:
        try:
            return self.result.exists()
        except OSError as error:
            rule = f"must be a folder that can be written ({error.strerror})"
            raise OtaflError("--out", str(self.folder), rule) from None

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """Context of a computation: the folder lists the runs, and goes if an error leaves it without any."""
        with made(self.folder), made(self.shared.folder, "--store"):
            try:
                with atomic_file(self.runs / MANIFEST) as path:
                    path.write_text(self._manifest, "utf-8")
                for name in self.study.names if self.recomputes else ():
                    self.store.drop(name)
                for path in self.runs.glob("*/*.failed"):
                    if path.stem not in self.study.names:  # as after a change of the user's model
                        path.unlink()
                yield
            except Exception:
                self.clear()
                raise

    def finish(self, data: "xr.Dataset") -> "xr.Dataset":
        """Save the result of the study as NAME.nc, unless all runs failed; remove the note on progress."""
        from otafl.results import result_file

        (self.runs / progress_file.FILE).unlink(missing_ok=True)
        return data if (data["outcome"] == "failed").all() else result_file.save(data, self.result)

    def clear(self) -> None:
        """Remove the folder of runs if no run has a result or a checkpoint."""
        if not any(self.runs.glob("*/*.run")) and not any(self.runs.glob("*/*.state")):
            shutil.rmtree(self.runs, ignore_errors=True)

    def fail(self, name: str, why: str) -> str:
        """Save the reason why a run could not be computed; return words on where it is, to end a message with."""
        try:
            return f"; {self.store.fail(name, why)}"
        except OSError as error:
            return f"; why cannot be kept in {self.runs} ({error.strerror})"

    def lend(self) -> None:
        """Copy runs of the folder to the shared store, where it has none or shorter ones."""
        try:
            for name in self.study.names if self.shares else ():
                self.shared.complete(name, self.store, self.wanted)
        except OSError as error:
            rule = f"must be a folder that can be written ({error.strerror})"
            raise OtaflError("--store", str(self.shared.folder), rule) from None

    def keep(self, names: list[str]) -> None:
        """Copy runs from the shared store to the folder; a run that cannot be written is remarked upon."""
        for name in names if self.shares else ():
            try:
                self.store.take(name, self.shared)
            except OSError as error:
                warnings.warn(f"{name}.run cannot be kept in {self.runs} ({error.strerror})", Remark, stacklevel=2)
