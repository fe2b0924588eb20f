"""Files that are written whole or not at all."""

import contextlib
import glob
import os
import threading
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path next to a target path, and rename its file to the target at the end; a context manager.

    An error removes the temporary file and leaves the target as it was. The folder is made if it is missing. Temporary
    files of processes that have ended are removed.

    Arguments:
        path: path of the target, which may exist.

    Raises:
        OSError: the disk is full, or there is no permission.
    """
    temporary = path.with_name(f".{path.name}.{threading.get_ident()}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for found in filter(left_over, path.parent.glob(f".{glob.escape(path.name)}.*")):
            found.unlink(missing_ok=True)
        yield temporary
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(OSError, ValueError):
            temporary.unlink()


def left_over(path: Path) -> bool:
    """Return True if a path is named like a temporary file of ``replacing``, by a process that has ended.

    Arguments:
        path: path of any file; only its name is read.
    """
    process = path.suffix.removeprefix(".")
    return path.name.startswith(".") and process.isdecimal() and not _runs(int(process))


def _runs(process: int) -> bool:
    """Return True if a process runs; no signal is sent."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True
