"""Files that are written whole or not at all."""

import contextlib
import glob
import os
import threading
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside ``path`` that takes its name on success and is removed otherwise.

    The folder is made where it is no more; what processes that are no more have left there is removed.

    Raises:
        OSError: there is no room, or no permission.
    """
    temporary = path.with_name(f".{path.name}.{threading.get_ident()}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path)
        yield temporary
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(OSError, ValueError):
            temporary.unlink()


def left_over(path: Path) -> bool:
    """Whether a path is the temporary one of a process that is no more."""
    process = path.suffix.removeprefix(".")
    return path.name.startswith(".") and process.isdecimal() and not _runs(int(process))


def _sweep(path: Path) -> None:
    """Remove the temporary files of dead processes for a path."""
    for found in path.parent.glob(f".{glob.escape(path.name)}.*"):
        if left_over(found):
            found.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    """Whether a process runs; no signal is sent."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
