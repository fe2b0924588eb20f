"""Results: datasets that say what they hold and where it came from, saved whole or not at all."""

import contextlib
import os
import platform
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from otafl.atomic import replacing
from otafl.errors import OtaflError, Remark
from otafl.results.result_schema import require_dataset, require_drawable, require_result
from otafl.scenario import stored_scenario
from otafl.scenario.axis_quantities import quantity
from otafl.scenario.scenario import Scenario
from otafl.scenario.stored_scenario import About, parse_stored, removed_keys, renamed_dimensions
from otafl.scenario.variants import lineage
from otafl.variables import COSTS, VARIABLES, Variable

VERSIONED = ("otafl", "numpy", "tensorflow")
PROVENANCE = ("git_revision", "python_version", *(f"{name}_version" for name in VERSIONED))
"""Attributes of a result that say what has computed it."""
REQUIRED = ("loss", "outcome", *(name for name, cost in COSTS.items() if cost.heading and name in VARIABLES))
"""What every result holds: all that its summary reads."""


def annotated(data: xr.Dataset, scenario: Scenario) -> xr.Dataset:
    """A dataset with units, names, the method and its provenance."""
    if "scheme" not in data.coords:
        data = data.assign_coords(scheme=scenario.settings.method)
    data = with_methods(data)
    for name, variable in data.variables.items():
        shown = quantity(str(name))
        named = scenario.settings.classifies and isinstance(shown, Variable) and shown.classification_name
        variable.attrs.update(units=shown.unit, long_name=named or shown.long_name)
    study = {"title": scenario.title, "name": scenario.name, "scenario_file": scenario.file}
    return data.assign_attrs(**study, scenario=scenario.to_toml(), **provenance())


def with_methods(data: xr.Dataset) -> xr.Dataset:
    """A result by whose methods one can select, too: a scheme is a method in its variant."""
    if "method" in data.coords and "scheme" not in data.coords:  # as before schemes had variants
        data = data.rename(method="scheme")
    names = [lineage(str(name))[0] for name in np.atleast_1d(data["scheme"].values)]
    if not data["scheme"].dims:
        return data.assign_coords(method=names[0])
    found = data.drop_vars("method", errors="ignore").assign_coords(method=("scheme", names)).set_xindex("method")
    found["method"].attrs.update(data["scheme"].attrs)
    return found


def provenance() -> dict[str, str]:
    """Versions of what computes, and the git revision where the source is a checkout."""
    versions = map(metadata.version, VERSIONED)
    return dict(zip(PROVENANCE, (_git_revision(), platform.python_version(), *versions), strict=True))


def _git_revision() -> str:
    source = Path(__file__).parents[2]
    if not (source / ".git").exists():
        return "none"
    command = ["git", "-C", str(source), "describe", "--always", "--dirty", "--abbrev=40"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "none"


def save(data: xr.Dataset, path: str | Path) -> xr.Dataset:
    """Write a result.

    Raises:
        OtaflError: it is none, or the file cannot be written.
    """
    require_dataset(data)
    packed = {str(key): {"zlib": True} for key, values in data.data_vars.items() if values.dtype.kind == "f"}
    content = data.to_netcdf(engine="h5netcdf", encoding=packed)  # in memory: HDF5 may end the process on a full disk
    with atomic_file(Path(path)) as temporary:
        temporary.write_bytes(content)
    return data


@contextlib.contextmanager
def made(folder: Path, key: str = "--out") -> Iterator[None]:
    """A context in which a folder is there that files can be written to; if it was made in vain, it goes.

    Raises:
        OtaflError: it cannot be written; names the key.
    """
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
    """A temporary path as of ``atomic.replacing``, whose file is on the disk once it has its name.

    Raises:
        OtaflError: the file cannot be written.
    """
    try:
        with replacing(path) as temporary:
            yield temporary
            with temporary.open("rb") as written:
                os.fsync(written.fileno())
    except (OSError, ValueError) as error:
        rule = f"cannot be written ({getattr(error, 'strerror', None) or error})"
        raise OtaflError("output file", str(path), rule) from None


def load(path: str | Path) -> xr.Dataset:
    """Load a result, also one of an earlier version; a remark names keys of its scenario that are no more.

    Raises:
        OtaflError: no such file, or not a result of otafl.
    """
    if not isinstance(path, str | os.PathLike):
        raise OtaflError("result", path, "must be a path to a netCDF file")
    if not os.path.isfile(path):
        raise OtaflError("result", str(path), "no such file")
    data = _read(Path(path))
    require_result(data, REQUIRED, str(path))
    require_drawable(data, about(data), str(path))
    text = str(data.attrs["scenario"])
    for key in removed_keys(text):
        warnings.warn(f"{path}: {key} is no key of this version; it is left out", Remark, stacklevel=2)
    for old, (new, values) in renamed_dimensions(text).items():
        if old in data.dims:
            data = data.rename({old: new}).assign_coords({new: _of_today(data[old], new, values)})
    return with_methods(data)


def _of_today(coordinate: xr.DataArray, name: str, values: Mapping[Any, Any]) -> tuple:
    """A coordinate under another name, with the values of today where they have other names, too."""
    shown = quantity(name)
    kept = [values.get(value, value) for value in coordinate.values.tolist()]
    return name, kept, {"units": shown.unit, "long_name": shown.long_name}


def _read(path: Path) -> xr.Dataset:
    """The content of a file; objects that read a damaged one complain once more as they go, unheard."""
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        return xr.load_dataset(path, engine="h5netcdf")
    except Exception as error:  # whatever a damaged file makes its reader raise
        why = str(error)
    finally:
        sys.unraisablehook = hook
    raise OtaflError("result", str(path), f"must be a netCDF file written by otafl run; {why}")


def about(data: Any) -> About:
    """Subject of the figure and the summary of a result.

    Raises:
        OtaflError: its scenario does not say.
    """
    return stored_scenario.about(_attribute(data, "scenario"))


def _attribute(data: Any, name: str) -> str:
    require_dataset(data)
    if name not in data.attrs:
        raise OtaflError("result", name, "must be an attribute of it, as of what otafl.run returns; there is none")
    return str(data.attrs[name])


def scenario_of(data: xr.Dataset, plugins: Sequence[str] = ()) -> Scenario:
    """The scenario that a result was run from; of the user's own modules those are imported that ``plugins`` names.

    Raises:
        OtaflError: it is none of this version, or needs other modules.
    """
    name = _attribute(data, "name")
    return parse_stored(name, _attribute(data, "scenario"), str(data.attrs.get("scenario_file", name)), plugins)
