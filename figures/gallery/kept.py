"""Kept results: those of studies that take minutes to an hour, in small archives for each folder of figures."""

import itertools
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import xarray as xr

from otafl.results import result_file
from otafl.scenario import library
from otafl.system.whole_files import atomic_file

PROJECT = Path(__file__).parents[1]
"""Folder of the project's figures."""
NUMBERS = "numbers.json"
"""File of an archive with the versions of the numbers of its results: where one is corrected, they are not valid."""
FULL = 260_000
"""Bytes from which an archive takes no further result."""


def archive(name: str, figures: Path = PROJECT) -> Path:
    """Return the path of the archive of a study's result, or of one that has room for it.

    That is ``figures/SUBJECT/computed/1.zip``, or 2.zip and so on.

    Arguments:
        name: name of the study.
        figures: folder of figures.
    """
    entry = library.entries().get(name)
    folder = figures / (entry.subject if entry else "") / "computed"
    paths = list(itertools.takewhile(Path.exists, (folder / f"{number}.zip" for number in itertools.count(1))))
    unused = folder / f"{len(paths) + 1}.zip"
    holding = (path for path in paths if name in names(path))
    return next(holding, None) or next((path for path in paths if path.stat().st_size < FULL), unused)


def archives() -> Iterator[Path]:
    """Yield the paths of the project's archives."""
    yield from sorted(PROJECT.glob("*/computed/*.zip"))


def names(path: Path) -> set[str]:
    """Return the names of the results of an archive; there are none where there is no such file."""
    if not path.exists():
        return set()
    with ZipFile(path) as whole:
        return {Path(name).stem for name in whole.namelist()} - {Path(NUMBERS).stem}


def load(path: Path, name: str) -> xr.Dataset:
    """Load a result from an archive.

    Arguments:
        path: path of the archive.
        name: name of the study.
    """
    with ZipFile(path) as whole, tempfile.TemporaryDirectory() as folder:
        return result_file.load(whole.extract(f"{name}.nc", folder))


def versions(path: Path) -> dict[str, dict[str, int]]:
    """Return the versions of the numbers of an archive's results, by name."""
    return json.loads(_contents(path, NUMBERS).get(NUMBERS, b"{}"))


def keep(path: Path, result: Path, numbers: dict[str, int]) -> None:
    """Put a result into an archive, in the place of a former one.

    Arguments:
        path: path of the archive.
        result: path of the result.
        numbers: versions of its numbers.
    """
    noted = versions(path) | {result.stem: numbers}
    content = {result.name: result.read_bytes(), NUMBERS: json.dumps(noted, indent=1, sort_keys=True).encode()}
    with atomic_file(path) as temporary, ZipFile(temporary, "w") as whole:
        for member, data in sorted((_contents(path) | content).items()):
            whole.writestr(ZipInfo(member), data, ZIP_DEFLATED, 9)  # of 1980, so that equal content is an equal file


def _contents(path: Path, ending: str = "") -> dict[str, bytes]:
    if not path.exists():
        return {}
    with ZipFile(path) as whole:
        return {name: whole.read(name) for name in whole.namelist() if name.endswith(ending)}
