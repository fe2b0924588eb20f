"""Files of data: their search in the folder that OTAFL_DATA_DIR names, the reading of archives, embedded tables."""

import gzip
import importlib.util
import os
import zipfile
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import numpy as np

from otafl.channels import file_digests
from otafl.errors import OtaflError
from otafl.system import memory

FILE = "problem.dataset file"
"""Key in messages about a file."""


def data_file(*names: str) -> Path | None:
    """Return the path of the first of some data files in OTAFL_DATA_DIR; None where that variable is not set.

    Arguments:
        names: names of the files, any of which will do, the preferred one first.

    Raises:
        OtaflError: the variable is set, and none of the files is there.
    """
    return _first(os.path.isfile, names)


def data_folder(name: str) -> Path | None:
    """Return the path of a folder in OTAFL_DATA_DIR; None where that variable is not set.

    Arguments:
        name: name of the folder.

    Raises:
        OtaflError: the variable is set, and the folder is not there.
    """
    return _first(os.path.isdir, (name,))


def _first(is_there: Callable[[Path], bool], names: Sequence[str]) -> Path | None:
    folder = os.environ.get("OTAFL_DATA_DIR")
    if not folder:
        return None
    if found := [Path(folder) / name for name in names if is_there(Path(folder) / name)]:
        return found[0]
    raise OtaflError("OTAFL_DATA_DIR", folder, f"must be a folder that holds {' or '.join(names)}")


def embedded(name: str, delimiter: str | None = None, skip: int = 0) -> np.ndarray:
    """Return a table of numbers from scikit-learn's package, without importing scikit-learn, which takes a second.

    Arguments:
        name: of the table; one that ends in .gz is compressed.
        delimiter: between two numbers of a row; None: blanks.
        skip: lines before the first row.

    Returns:
        The numbers. Shape [rows, columns], or [rows] where there is one column.
    """
    found = importlib.util.find_spec("sklearn")
    (package,) = found.submodule_search_locations if found and found.submodule_search_locations else ("sklearn",)
    opened = gzip.open if name.endswith(".gz") else open
    with opened(Path(package) / "datasets" / "data" / name, "rt") as file:
        return np.loadtxt(file, delimiter=delimiter, skiprows=skip)


def archive(path: str | Path, names: Collection[str] = ()) -> dict[str, np.ndarray]:
    """Return a dictionary of the arrays of a .npz file, of any shape and type, without reading pickled objects.

    Arguments:
        path: path of the file.
        names: names of the arrays; empty: all.

    Raises:
        OtaflError: the file is missing, damaged, lacks an array, or would not fit into memory.
    """
    try:
        with zipfile.ZipFile(path) as packed:
            size = 2 * sum(entry.file_size for entry in packed.infolist())
        memory.require([memory.Demand(FILE, str(path), size, "takes {size} of memory")], memory.available())
        with np.load(path, allow_pickle=False) as file:
            return {name: np.asarray(file[name]) for name in names or file.files}
    except OtaflError:
        raise
    except Exception as error:  # whatever a damaged archive makes its reader raise
        rule = "must be a complete .npz file" + (f" with the arrays {', '.join(names)}" if names else "")
        raise OtaflError(FILE, str(path), f"{rule}; {str(error) or type(error).__name__}") from None


def require(path: str | Path, digest: str) -> None:
    """Refuse a file of data that has changed since its digest was taken.

    Arguments:
        path: path of the file.
        digest: its earlier SHA-256 digest, hexadecimal.

    Raises:
        OtaflError: the file has another digest now.
    """
    if file_digests.digest(path) != digest:
        raise OtaflError(FILE, str(path), "has changed while it was read")
