"""Files of data: their search in the folder that OTAFL_DATA_DIR names, the reading of archives, embedded tables."""

import gzip
import importlib.util
import os
import zipfile
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np

from otafl.channels import file_digests
from otafl.errors import OtaflError
from otafl.system import memory

FILE = "problem.dataset file"


def data_file(*names: str, is_there: Callable[[Path], bool] = os.path.isfile) -> Path | None:
    """Return the path of the first of some files, or folders, in OTAFL_DATA_DIR; None where that is not set."""
    folder = os.environ.get("OTAFL_DATA_DIR")
    if not folder:
        return None
    for path in (Path(folder).expanduser() / name for name in names):
        if is_there(path):
            return path
    raise OtaflError("OTAFL_DATA_DIR", folder, f"must be a folder that holds {' or '.join(names)}")


def embedded(name: str, delimiter: str | None = None, skip: int = 0) -> np.ndarray:
    """Return a table of numbers from scikit-learn's package, without importing scikit-learn, which takes a second."""
    spec = importlib.util.find_spec("sklearn")
    (package,) = (spec and spec.submodule_search_locations) or ("sklearn",)
    opened = gzip.open if name.endswith(".gz") else open
    with opened(Path(package) / "datasets" / "data" / name, "rt") as file:
        return np.loadtxt(file, delimiter=delimiter, skiprows=skip)


def archive(path: str | Path, names: Collection[str] = ()) -> dict[str, np.ndarray]:
    """Return a dictionary of the arrays of a .npz file, of any shape and type, without reading pickled objects."""
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
    """Refuse a file of data that has changed since its digest was taken."""
    if file_digests.digest(path) != digest:
        raise OtaflError(FILE, str(path), "has changed while it was read")
