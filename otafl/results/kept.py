"""Notes on files that commands have written, by all that the files follow from, so that none is made again."""

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from otafl.channels import cache
from otafl.channels.file_digests import digest
from otafl.system.whole_files import replacing

FOLDER, MOST = "answers", 4_096
"""Folder of the notes below that of kept programs, and the largest number of notes; the oldest are removed first."""
FORMATS = ("png", "pdf")
"""Suffixes of the files of a figure."""
CODE = (".py", ".css")
"""Suffixes of the files of code on which output depends."""


def figure_paths(stem: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Return the paths of a figure's files.

    Arguments:
        stem: their path without suffix.
        formats: their suffixes, without a dot.
    """
    return [stem.parent / f"{stem.name}.{suffix}" for suffix in formats]


def digests(paths: Sequence[Path]) -> list[str]:
    """Return the digests of the present contents of files, empty for one that is missing."""
    return [digest(path) for path in paths]


def name(told: Any, sources: Sequence[Path]) -> str:
    """Return the name of a note: a digest of all that files follow from; empty if code changed or a source is missing.

    Arguments:
        told: values that JSON can hold.
        sources: files that are read.
    """
    found = digests(sources)
    text = json.dumps([*BEGUN, _settings(), told, found], sort_keys=True, default=str)
    unchanged = (_code(), _libraries()) == BEGUN
    return hashlib.sha256(text.encode()).hexdigest()[:32] if all(found) and unchanged else ""


def read(name: str) -> Any:
    """Return the values of a note; None if there is none, or it is damaged."""
    folder = cache.folder(FOLDER)
    try:
        checksum, _, text = (folder / name).read_text("utf-8").partition("\n") if folder and name else ("", "", "")
    except (OSError, ValueError):
        return None
    return json.loads(text) if text and checksum == _checksum(text) else None


def write(name: str, values: Any) -> None:
    """Keep a note with values that JSON can hold; a folder that cannot be written keeps none."""
    folder, text = cache.folder(FOLDER), json.dumps(values)
    if folder and name:
        with contextlib.suppress(OSError):
            with replacing(folder / name) as temporary:
                temporary.write_text(f"{_checksum(text)}\n{text}", "utf-8")
            for path in sorted(folder.iterdir(), key=os.path.getmtime)[:-MOST]:
                path.unlink(missing_ok=True)


def made(told: Any, sources: Sequence[Path], paths: Sequence[Path], make: Callable[[], bool]) -> None:
    """Make files, unless they are as an earlier command has made them from the same.

    Arguments:
        told: values that the files follow from, beside the sources.
        sources: files that are read.
        paths: files that are made.
        make: function that makes them, and returns True if nothing else has to be said on them.
    """
    before = name(told, sources)
    if read(before) != digests(paths) and make() and name(told, sources) == before:
        write(before, digests(paths))


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _code() -> list[Any]:
    """Return the state of each file of otafl's code: path, size, inode and times, which do not recur after a change."""
    otafl = Path(__file__).parents[1]
    return sorted(_states([str(otafl), str(Path(cache.__file__).parent)]))


def _states(folders: list[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """Yield the path and state of each file of code in folders and their subfolders."""
    for folder in folders:
        with os.scandir(folder) as entries:
            found = list(entries)
        yield from _states([entry.path for entry in found if entry.is_dir() and not entry.name.startswith("__")])
        for entry in found:
            if entry.name.endswith(CODE) and entry.is_file():
                state = entry.stat()
                yield entry.path, state.st_size, state.st_ino, state.st_mtime_ns, state.st_ctime_ns


def _libraries() -> list[str]:
    """Return the version of Python, and names with versions of all that is installed beside NumPy."""
    return [sys.version, *sorted(entry for entry in os.listdir(Path(np.__file__).parents[1]) if "-info" in entry)]


def _settings() -> list[str]:
    """Return the digests of the files in which users change matplotlib's defaults."""
    named = [Path(os.environ[variable]) for variable in ("MATPLOTLIBRC", "MPLCONFIGDIR") if os.environ.get(variable)]
    home = Path(os.path.expanduser("~"))
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    folders = [*named, config / "matplotlib", home / ".matplotlib"]
    return digests([*named, *(folder / "matplotlibrc" for folder in folders)])


BEGUN = _code(), _libraries()
"""State of code and libraries when this process began."""
