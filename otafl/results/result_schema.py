"""Schema of a result: the variables, dimensions and types that its summary and its figure read."""

from collections.abc import Collection, Iterator
from typing import TypeVar

import numpy as np
import xarray as xr

from otafl.engine.outcome import OUTCOMES
from otafl.errors import OtaflError
from otafl.metrics.result_variables import CURVES, ITERATION, impossible
from otafl.scenario.stored_scenario import About

COMPUTE_TIME = "compute_time"
"""Variable with the computing time of each run [s], in results that have it."""
LAST = ("seed", "iteration")
"""Last dimensions of every result, behind those of the swept keys."""
NUMBERS, LABELS = "iuf", "iufbUO"
"""Kinds of NumPy types of curves and of coordinates."""
Curves = TypeVar("Curves", xr.Dataset, xr.DataArray)
"""A result, or readings of one, over swept keys and seed."""


def require_dataset(data: object) -> None:
    if not isinstance(data, xr.Dataset):
        raise OtaflError("result", data, "must be a dataset, as otafl.run returns it, or load of a file")


def require_values(data: xr.Dataset) -> None:
    """Refuse a result without values, as a selection may be, and a value that is no dataset."""
    require_dataset(data)
    for name in data.sizes:
        if not data.sizes[name]:
            raise OtaflError("result", str(data.attrs.get("name", "")), f"must have values, but has no {name}")


def require_seeds(data: xr.Dataset) -> None:
    """Refuse a result without the dimensions of seeds and iterations, as a selection of one of them is."""
    require_values(data)
    for name in LAST:
        if name not in data.dims:
            rule = f"must be a dimension of the result: select one with a list, as in isel({name}=[0])"
            raise OtaflError("result", name, rule)


def require_result(data: xr.Dataset, variables: Collection[str], path: str) -> None:
    """Refuse the dataset in a file that is no result of ``otafl run``, with some variables; names its first fault."""
    for fault in _faults(data, variables):
        raise OtaflError("result", path, f"must be a netCDF file written by otafl run; it is another one: {fault}")


def require_drawable(data: xr.Dataset, about: About, path: str) -> None:
    """Refuse the result in a file without the variables of its own figure and target."""
    plot = about.plot
    for name in sorted({plot.x, plot.y, plot.cost, about.target[0]} - {"iteration", *data.data_vars}):
        raise OtaflError("result", path, f"must hold what its figure shows; it has no variable {name}")


def _faults(data: xr.Dataset, variables: Collection[str]) -> Iterator[str]:
    yield from (f"it has no attribute {name}" for name in ("name", "scenario") if name not in data.attrs)
    yield from (f"it has no variable {name}" for name in variables if name not in data.data_vars)
    dims = data["loss"].dims
    if dims[-2:] != LAST:
        yield "its loss does not end in the dimensions seed and iteration"
    yield from (f"it has no {name}" for name in dims if not data.sizes[name])
    yield from (f"it has no coordinate {name}" for name in dims if name not in data.coords)
    yield from _odd(data)
    yield from (f"it has the dimension {name}, which its loss lacks" for name in data.dims if name not in dims)
    yield from (f"{name} {rule}" for name in dims for rule in _odd_coordinate(str(name), data[name].values.tolist()))
    curves = [name for name in CURVES if name in data]
    yield from (f"{name} {rule}" for name in curves for rule in impossible(name, data[name].values))
    units = {name: (str(data[name].attrs.get("units", CURVES[name].unit)), CURVES[name].unit) for name in curves}
    yield from (f"{name} is in {given}, and not in {unit}" for name, (given, unit) in units.items() if given != unit)
    if COMPUTE_TIME in data and ((times := data[COMPUTE_TIME].values) < 0).any() | np.isinf(times).any():
        yield f"{COMPUTE_TIME} is negative or infinite in places"
    if strange := {*map(str, data["outcome"].values.flat)}.difference(OUTCOMES):
        yield f"outcome is {min(strange)}, and not one of {', '.join(OUTCOMES)}"


def _odd(data: xr.Dataset) -> Iterator[str]:
    """Yield each variable of another form than a result's."""
    dims = data["loss"].dims
    for name in filter(data.variables.__contains__, (*CURVES, "outcome", COMPUTE_TIME, *dims)):
        forms = {"outcome": (dims[:-1], "UO"), COMPUTE_TIME: (dims[:-1], NUMBERS)}
        forms |= {dim: ((dim,), NUMBERS if dim in LAST else LABELS) for dim in dims}
        shape, kinds = forms.get(name, (dims, NUMBERS))
        if data[name].dims != shape:
            yield f"{name} has the dimensions {', '.join(map(str, data[name].dims))}"
        if data[name].dtype.kind not in kinds:
            yield f"{name} is of type {data[name].dtype}"


def _odd_coordinate(name: str, values: list) -> Iterator[str]:
    """Yield what is wrong with the values of a dimension, each of which stands for something else."""
    if any(value != value for value in values):
        yield "is NaN in places"
    if len(set(values)) < len(values):
        yield "has the same value twice"
    if name in LAST and any(value % 1 for value in values):
        yield "is not a whole number in places"
    if name in LAST and min(values) < 0:
        yield "is negative in places"
    if name == ITERATION.name and values != sorted(values):
        yield "does not rise"
