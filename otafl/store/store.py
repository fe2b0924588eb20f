"""Folder of runs that processes share: results, checkpoints, and locks of the runs that are being computed."""

import contextlib
import errno
import os
import shutil
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import platformdirs
from filelock import FileLock, Timeout

from otafl.engine.checkpoint import Checkpoint, Position
from otafl.errors import OtaflError, Remark
from otafl.settings.run import Run
from otafl.store import array_file
from otafl.store.array_file import Arrays, Info
from otafl.store.result import Result, merged, restored
from otafl.system.whole_files import left_over, read_text, replacing

VARIABLE = "OTAFL_STORE_DIR"
"""Environment variable with the store's folder."""
KINDS = ("run", "state", "model", "failed")
"""Suffixes of a run's files: its result, its checkpoint, one without workers, and why it could not be computed."""
ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""Error numbers of a path at which there is no file."""
Made = TypeVar("Made")


class Store:
    """Folder of results, checkpoints and locks of runs, by name; ``only_read`` keeps even damaged files."""

    def __init__(self, folder: Path, only_read: bool = False) -> None:
        self.folder, self.only_read = folder, only_read

    def path(self, name: str, kind: str = "run") -> Path:
        return self.folder / name[:2] / f"{name}.{kind}"

    def result(self, name: str) -> Result | None:
        return self._read(self.path(name), restored)

    def result_of(self, name: str, run: Run) -> Result | None:
        """Read the result of a run up to a number of iterations, from that of an equal or longer run."""
        result = self.result(name)
        return result.of(run) if result else None

    def save(self, name: str, result: Result) -> None:
        """Save a run's result, merged with an earlier one of fewer or more iterations."""
        before = self.result(name)
        whole = merged(before, result) if before else result
        arrays = {"iteration": whole.iterations, **whole.values}
        array_file.write(self.path(name), arrays, whole.info | {"outcome": whole.outcome})

    def take(self, name: str, other: "Store") -> None:
        """Link a run's result from another store, or copy it if the system does not allow links."""
        path, source = self.path(name), other.path(name)
        self.path(name, "failed").unlink(missing_ok=True)
        if not (path.exists() and path.samefile(source)):
            with replacing(path) as temporary:
                try:
                    os.link(source, temporary)
                except OSError:
                    shutil.copyfile(source, temporary)

    def complete(self, name: str, other: "Store", run: Run) -> None:
        """Take a run's result from another store, if it has one, unless this store has all wanted iterations."""
        if not other.path(name).exists():
            return
        if not self.path(name).exists():
            self.take(name, other)
        elif not self.result_of(name, run) and (more := other.result(name)):
            self.save(name, more)

    def fail(self, name: str, why: str) -> Path:
        path = self.path(name, "failed")
        with replacing(path) as temporary:
            temporary.write_text(why, "utf-8", "backslashreplace")
        return path

    def failure(self, name: str) -> str:
        """Return the reason why a run could not be computed; empty if it was computed, or was not tried."""
        try:
            return read_text(self.path(name, "failed"), "replace")
        except OSError:
            return ""

    def drop(self, name: str) -> None:
        """Remove the result, the checkpoint and the note on a failure of a run."""
        for kind in KINDS:
            self.path(name, kind).unlink(missing_ok=True)

    def begun(self, name: str) -> bool:
        return self.path(name).exists() or self.path(name, "state").exists()

    def start(self, name: str, kind: str = "state") -> int:
        """Return the number of iterations up to a run's checkpoint; 0: there is none."""
        try:
            return int(array_file.info(self.path(name, kind)).get("start", 0))
        except (OSError, array_file.Damaged):
            return 0

    def checkpoint(self, name: str, kind: str = "state") -> Checkpoint | None:
        """Read a run's checkpoint, from which it goes on; or that of kind "model", which has the server alone."""
        return self._read(self.path(name, kind), _checkpoint)

    def save_checkpoint(self, name: str, checkpoint: Checkpoint, kind: str = "state") -> None:
        arrays = {f"position.{field}": part for field, part in checkpoint.position._asdict().items()}
        arrays |= {f"table.{name}": rows for name, rows in checkpoint.table.items()}
        arrays |= {"iterations": checkpoint.iterations, "totals": checkpoint.totals}
        arrays |= {f"state.{k}": leaf for k, leaf in enumerate(checkpoint.state)}
        info = {"table": list(checkpoint.table), "leaves": len(checkpoint.state)}
        info |= {"start": checkpoint.start, "seconds": checkpoint.seconds}
        array_file.write(self.path(name, kind), arrays, info)

    @contextlib.contextmanager
    def held(self, names: list[str]) -> Iterator[set[str]]:
        """Lock runs in a context, or until the process ends; yield the names of those that no other has locked."""
        with contextlib.ExitStack() as stack:
            try:
                held = {name for name in names if self._hold(name, stack)}
            except OSError as error:
                rule = f"must be a folder in which files can be locked ({error.strerror})"
                raise OtaflError("store", str(self.folder), rule) from None
            yield held

    def in_use(self, name: str) -> bool:
        """Return True if some process has locked a run, as it computes it; no file is made."""
        path = self.path(name, "lock")
        try:
            with contextlib.ExitStack() as stack:
                return path.exists() and not self._hold(name, stack)
        except OSError:
            return False

    def _hold(self, name: str, stack: contextlib.ExitStack) -> bool:
        path = self.path(name, "lock")
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            stack.enter_context(FileLock(path, blocking=False))
        except Timeout:
            return False
        return True

    def _read(self, path: Path, make: Callable[[Arrays, Info], Made]) -> Made | None:
        try:
            return array_file.read(path, make)
        except array_file.Damaged as error:
            warnings.warn(f"{error}; it does not count", Remark, stacklevel=4)
            if not self.only_read:
                path.unlink(missing_ok=True)
        except OSError as error:
            rule = f"cannot be read ({error.strerror})"
            if error.errno not in ABSENT and not self.only_read:
                raise OtaflError("store", str(path), f"{rule}; remove it, or take another folder") from None
            if error.errno not in ABSENT:
                warnings.warn(f"{path} {rule}; it does not count", Remark, stacklevel=4)
        return None

    def pruned(self, days: float) -> tuple[int, int]:
        """Remove files older than a number of days, but not of locked runs; return their number and their size [B]."""
        before, removed = time.time() - days * 86_400, list(map(_remove, self._left_over()))
        for name in {path.stem for path in self._all()}:
            with self.held([name]) as free:
                old = [path for path in self._files(name) if path.stat().st_mtime < before] if free else []
                removed += map(_remove, old)
                if free and not self._files(name):
                    self.path(name, "lock").unlink()
        return len(removed), sum(removed)

    def _files(self, name: str) -> list[Path]:
        return [path for kind in KINDS if (path := self.path(name, kind)).is_file()]

    def _all(self) -> list[Path]:
        return [path for kind in KINDS for path in self.folder.glob(f"*/[!.]*.{kind}") if path.is_file()]

    def _left_over(self) -> list[Path]:
        return [path for kind in KINDS for path in self.folder.glob(f"*/.*.{kind}.*") if left_over(path)]

    @property
    def size(self) -> tuple[int, int]:
        """Number of files of the store, without locks, and their size [B]."""
        sizes = [path.stat().st_size for path in (*self._all(), *self._left_over())]
        return len(sizes), sum(sizes)


def _checkpoint(arrays: Arrays, info: Info) -> Checkpoint:
    place = Position(**{key[9:]: part for key, part in arrays.items() if key.startswith("position.")})
    table = {name: arrays[f"table.{name}"] for name in info["table"]}
    state = [arrays[f"state.{k}"] for k in range(info["leaves"])]
    return Checkpoint(place, arrays["iterations"], table, arrays["totals"], state, info.get("seconds", 0.0))


def _remove(path: Path) -> int:
    size = path.stat().st_size
    path.unlink()
    return size


def default_folder() -> Path:
    """Return the folder of the user's store, OTAFL_STORE_DIR, or else otafl/runs in the user's cache folder."""
    given = os.environ.get(VARIABLE)
    return Path(given).expanduser().absolute() if given else platformdirs.user_cache_path("otafl") / "runs"
