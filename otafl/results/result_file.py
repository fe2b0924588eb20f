"""Files of results: datasets with units, names and provenance, saved whole or not at all."""

import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import h5py
import numpy as np
import xarray as xr

from otafl.errors import OtaflError, Remark
from otafl.metrics import Metric
from otafl.metrics.result_variables import VARIABLES, Variable
from otafl.results.analysis import MARKS
from otafl.results.provenance import provenance
from otafl.results.result_schema import require_dataset, require_drawable, require_result, require_values
from otafl.scenario import stored_scenario
from otafl.scenario.dotted_keys import quantity
from otafl.scenario.scenario import Scenario
from otafl.scenario.stored_scenario import About, parse_stored, removed_keys
from otafl.scenario.variants import lineage
from otafl.system import memory
from otafl.system.memory import COPIES, Demand
from otafl.system.whole_files import atomic_file

LEDGER = {name: cost for name, cost in VARIABLES.items() if cost.brought_by == "ledger"}
REQUIRED = ("loss", "outcome", *(name for name, cost in LEDGER.items() if cost.heading and not cost.beside))
"""Variables that every result has, as its summary reads them."""


def annotated(data: xr.Dataset, scenario: Scenario) -> xr.Dataset:
    """Return the dataset of a study with all that a result has beside its values."""
    if "scheme" not in data.coords:
        data = data.assign_coords(scheme=scenario.settings.method)
    data = with_methods(data)
    for name, variable in data.variables.items():
        shown = quantity(str(name))
        named = scenario.settings.classifies and isinstance(shown, Variable) and shown.classification_name
        marks = {mark: 1 for mark in MARKS if isinstance(shown, Metric) and getattr(shown, mark)}  # not known elsewhere
        variable.attrs.update(units=shown.unit, long_name=named or shown.long_name, **marks)
    study = {"title": scenario.title, "name": scenario.name, "scenario_file": scenario.file}
    return data.assign_attrs(**study, scenario=scenario.to_toml(), **provenance())


def with_methods(data: xr.Dataset) -> xr.Dataset:
    """Return a result with the coordinate ``method`` beside ``scheme``, a method with its label or its uplink."""
    if "method" in data.coords and "scheme" not in data.coords:  # as before schemes had variants
        data = data.rename(method="scheme")
    names = [lineage(str(name))[0] for name in np.atleast_1d(data["scheme"].values)]
    if not data["scheme"].dims:
        return data.assign_coords(method=names[0])
    return data.drop_vars("method", errors="ignore").assign_coords(method=("scheme", names, data["scheme"].attrs))


def save(data: xr.Dataset, path: str | Path) -> xr.Dataset:
    """Write a result to a netCDF file, whole or not at all, and return it."""
    require_dataset(data)
    packed = {str(key): {"zlib": True} for key, values in data.data_vars.items() if values.dtype.kind == "f"}
    # In memory, as HDF5 may end the process on a full disk; and copied, as a failed write keeps a view of its buffer,
    # which ends Python 3.12.1.
    content = bytes(data.to_netcdf(engine="h5netcdf", encoding=packed))
    with atomic_file(Path(path)) as temporary:
        temporary.write_bytes(content)
    data.encoding["source"] = str(Path(path).absolute())
    return data


def load(path: str | Path) -> xr.Dataset:
    """Load a result from a file, also one of an earlier version; a key that was removed since is remarked upon.

    Returns:
        Dataset over swept keys, seed and iteration.

    Raises:
        OtaflError: there is no such file, or it is no result of otafl.
    """
    if not isinstance(path, str | os.PathLike):
        raise OtaflError("result", path, "must be a path to a netCDF file")
    if not os.path.isfile(path):
        raise OtaflError("result", str(path), "no such file")
    data = _read(Path(path))
    require_result(data, REQUIRED, str(path))
    require_drawable(data, about(data), str(path))
    for key in removed_keys(str(data.attrs["scenario"])):
        warnings.warn(f"{path}: this version has no key {key}; it is left out", Remark, stacklevel=2)
    return with_methods(data)


def _read(path: Path) -> xr.Dataset:
    """Read a netCDF file; later complaints of objects that have read a damaged one are suppressed."""
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        _require_plain(path)
        return xr.load_dataset(path, engine="h5netcdf")
    except OtaflError:
        raise
    except Exception as error:  # whatever a damaged file makes its reader raise
        raise OtaflError("result", str(path), f"must be a netCDF file written by otafl run; {error}") from None
    finally:
        sys.unraisablehook = hook


def _require_plain(path: Path) -> None:
    """Refuse a file whose values lie in other files, which HDF5 would read, or do not fit into the free memory."""
    with h5py.File(path) as file:
        links = [file.get(name, getlink=True) for name in file]
        plain = all(isinstance(link, h5py.HardLink) for link in links)
        parts = [*file.values()] if plain else []
        arrays = [part for part in parts if isinstance(part, h5py.Dataset)]
        below = any(isinstance(part, h5py.Group) for part in parts)
        if not plain or below or any(part.external or part.is_virtual for part in arrays):
            rule = "must be a netCDF file written by otafl run; it refers to other files"
            raise OtaflError("result", str(path), rule)
        size = COPIES * sum(part.nbytes for part in arrays)
    memory.require([Demand("result", str(path), size, "its values take {size} of memory")], memory.available())


def about(data: xr.Dataset) -> About:
    """Return the keys of a result's figure, its target, and the keys that all of its runs share."""
    require_values(data)
    return stored_scenario.about(_attribute(data, "scenario"))


def _attribute(data: xr.Dataset, name: str) -> str:
    require_dataset(data)
    if name not in data.attrs:
        raise OtaflError("result", name, "must be an attribute of the result, as of one that otafl.run returns")
    return str(data.attrs[name])


def scenario_of(data: xr.Dataset, plugins: Sequence[str] = ()) -> Scenario:
    """Return the scenario of a result; plugins are modules to import, as those that it names are not.

    Raises:
        OtaflError: the scenario breaks a rule of this version, or needs modules that are not imported.
    """
    name = _attribute(data, "name")
    return parse_stored(name, _attribute(data, "scenario"), str(data.attrs.get("scenario_file", name)), plugins)


def names(results: Sequence[xr.Dataset]) -> list[str]:
    """Return the names of results, no two of them the same."""
    plain = [str(data.attrs["name"]) for data in results]
    numbered = [f"{place}/{name}" for place, name in enumerate(plain, 1)]
    paths = [Path(str(data.encoding.get("source", name))) for data, name in zip(results, numbered, strict=True)]
    in_folders = [f"{path.parent.name}/{name}" for path, name in zip(paths, plain, strict=True)]
    of_files = [f"{path.parent.name}/{path.stem}" for path in paths]
    return next(distinct for distinct in (plain, in_folders, of_files, numbered) if len({*distinct}) == len(distinct))
