"""Files that are written whole or not at all, and texts that end."""

import contextlib
import errno
import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from otafl.errors import OtaflError


def read_text(path: Path, errors: str = "strict") -> str:
    _require_end(path)
    return path.read_text("utf-8", errors)


def _require_end(path: Path) -> None:
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "not a file", str(path))


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path next to a target path, and rename its file to the target at the end; a context manager.

    An error removes the temporary file and leaves the target as it was. A missing folder is made. Left-over files go.
    """
    _require_end(path)
    temporary = path.with_name(f".{path.name}.{threading.get_ident()}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beginning = f".{path.name}."
        for name in (name for name in os.listdir(path.parent) if name.startswith(beginning)):
            if left_over(path.with_name(name)):
                path.with_name(name).unlink(missing_ok=True)
        yield temporary
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(OSError, ValueError):
            temporary.unlink()


@contextlib.contextmanager
def made(folder: Path, key: str = "--out") -> Iterator[None]:
    """Context in which a folder exists, made with its parents; those that stay empty are removed at the end."""
    try:
        missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except (OSError, ValueError) as error:
        rule = f"must be a folder that can be written ({getattr(error, 'strerror', error)})"
        raise OtaflError(key, str(folder), rule) from None
    try:
        yield
    finally:
        for parent in missing:
            with contextlib.suppress(OSError):
                parent.rmdir()


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path, synced to the disk before it replaces another as a whole; an error removes it."""
    try:
        with replacing(path) as temporary:
            yield temporary
            with temporary.open("rb") as written:
                os.fsync(written.fileno())
    except (OSError, ValueError) as error:
        rule = f"cannot be written ({getattr(error, 'strerror', None) or error})"
        raise OtaflError("output file", str(path), rule) from None


def left_over(path: Path) -> bool:
    """Return True if a path is named like a temporary file of ``replacing``, by a process that has ended."""
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
