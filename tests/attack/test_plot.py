"""Files that are no results, or no longer: ``otafl plot`` draws them or says in one line what is wrong."""

import functools
import os
from collections.abc import Callable

import h5py
import numpy as np
import pytest
import xarray as xr

import otafl

Change = Callable[[xr.Dataset], xr.Dataset]
KEYS = {"run.seeds": 2, "run.iterations": 4, "federation.workers": 3, "channel.snr_db": [10.0, 20.0]}


@pytest.fixture(scope="module")
def result() -> xr.Dataset:
    return otafl.run("quickstart", KEYS | {"method": ["D-GD", "A-GD"]})


def bare(data: xr.Dataset) -> xr.Dataset:
    return data.drop_attrs().assign_attrs(data.attrs)


def toml(text: str, instead: str) -> Change:
    return lambda data: data.assign_attrs(scenario=data.attrs["scenario"].replace(text, instead))


def typed(name: str, kind: type) -> Change:
    return lambda data: data.assign({name: data[name].fillna(0).astype(kind)})


def labelled(name: str, values: object) -> Change:
    return lambda data: data.assign_coords({name: values})


def without(name: str) -> Change:
    return lambda data: data.drop_vars(name)


def empty(name: str) -> Change:
    return lambda data: data.isel({name: slice(0)})


def changed(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Change:
    return lambda data: data.assign({name: (data[name].dims, change(data[name].values))})


def told(name: str, **attributes: object) -> Change:
    return lambda data: data.assign({name: data[name].assign_attrs(attributes)})


def timed(compute_time: object) -> Change:
    return lambda data: data.assign(compute_time=(data.outcome.dims, np.full(data.outcome.shape, compute_time)))


def stated(**attributes: object) -> Change:
    return lambda data: data.assign_attrs(attributes)


def gap(values: np.ndarray) -> np.ndarray:
    """Costs of which the second reading is missing, and the third is less than the first."""
    return np.concatenate([values[..., :1], np.nan * values[..., :1], 0.5 * values[..., :1], values[..., 3:]], axis=-1)


def assigned(**variables: Change) -> Change:
    """Variables in place of others, each made of the result."""
    return lambda data: data.assign({name: make(data) for name, make in variables.items()})


SPOILT = [
    (lambda data: data.drop_attrs(deep=False), "no attribute name"),
    (lambda data: data.drop_vars(list(data.data_vars)), "no variable loss"),
    (lambda data: xr.Dataset(), "no attribute"),
    *((stated(scenario=text), "must be a TOML file") for text in ("x = = 1", 3, [1, 2])),
    (toml("metrics = []", "metrics = [[1]]"), "run.metrics"),
    (toml("metrics = []", 'metrics = "energy"'), "run.metrics"),
    (toml('y = "loss"', 'y = "test_accuracy"'), "no variable test_accuracy"),
    (toml('kind = "curve"', 'kind = "at_budget"'), "plot.budgets"),
    *((without(name), f"no variable {name}") for name in ("loss", "outcome", "time_slots", "energy")),
    *((without(name), f"no coordinate {name}") for name in ("seed", "snr_db")),
    *((empty(name), f"no {name}") for name in ("seed", "iteration", "scheme", "snr_db")),
    (lambda data: data.isel(seed=0, drop=True), "seed and iteration"),
    (lambda data: data.isel(iteration=0, drop=True), "seed and iteration"),
    (lambda data: data.transpose(), "seed and iteration"),
    (assigned(loss=lambda data: data.loss.isel(scheme=0)), "dimensions"),
    (assigned(loss=lambda data: data.loss.expand_dims(extra=[1, 2], axis=2)), "dimensions"),
    (assigned(time_slots=lambda data: data.time_slots.isel(seed=0)), "dimensions"),
    (assigned(outcome=lambda data: data.outcome.expand_dims(iteration=data.iteration)), "dimensions"),
    (assigned(other=lambda data: ("place", np.zeros(3))), "has the dimension place, which its loss lacks"),
    (assigned(compute_time=lambda data: 3.0), "compute_time has the dimensions"),
    *((typed("loss", kind), "loss is of type") for kind in (str, bool, complex)),
    (typed("time_slots", str), "time_slots is of type"),
    (assigned(outcome=lambda data: xr.zeros_like(data.outcome, dtype=int)), "outcome is of type"),
    (labelled("iteration", list("abcd")), "iteration is of type"),
    (labelled("snr_db", [1j, 2]), "snr_db is of type"),
    (labelled("snr_db", np.array(["2020-01-01", "2020-01-02"], "datetime64[ns]")), "snr_db is of type"),
    (labelled("seed", [0, 0]), "seed has the same value twice"),
    (labelled("scheme", ["A-GD", "A-GD"]), "scheme has the same value twice"),
    (labelled("snr_db", [10, 10.0]), "snr_db has the same value twice"),
    (labelled("snr_db", [10, np.nan]), "snr_db is NaN in places"),
    (labelled("seed", [0, np.nan]), "seed is NaN in places"),
    (labelled("seed", [-1, 0]), "seed is negative in places"),
    *((labelled("seed", [0, seed]), "seed is not a whole number in places") for seed in (0.5, np.inf)),
    (labelled("iteration", [1, 1.5, 2, 3]), "iteration is not a whole number in places"),
    (labelled("iteration", [1, 3, 2, 4]), "iteration does not rise"),
    (labelled("iteration", [-1, 0, 1, 2]), "iteration is negative in places"),
    (changed("energy", np.negative), "energy is not within 0 to inf"),
    (changed("energy", lambda values: values[..., ::-1]), "energy falls in places"),
    (changed("time_slots", gap), "time_slots falls in places"),
    (assigned(test_accuracy=lambda data: xr.full_like(data.loss, 1.5)), "test_accuracy is not within 0 to 1"),
    (told("energy", units="mJ"), "energy is in mJ, and not in J"),
    (told("energy", units=np.arange(2)), "energy is in [0 1], and not in J"),
    (timed("x"), "compute_time is of type"),
    *((timed(time_s), "compute_time is negative or infinite") for time_s in (np.inf, -1.0)),
    (
        assigned(outcome=lambda data: xr.full_like(data.outcome, "won")),
        "outcome is won, and not one of completed, diverged, stopped, failed",
    ),
]


def all_of(*changes: Change) -> Change:
    return lambda data: functools.reduce(lambda changed, change: change(changed), changes, data)


ODD = {
    **{f"losses of {loss}": changed("loss", lambda v, x=loss: 0 * v + x) for loss in (np.nan, np.inf, 1e300, -1.0)},
    "infinite slots": changed("time_slots", lambda values: np.full_like(values, np.inf)),
    "no slots": changed("time_slots", np.zeros_like),
    "markup and formulas": all_of(
        labelled("scheme", ["a[/b]", "$x$"]),
        labelled("snr_db", ["a$b", "\\frac$"]),
        told("loss", long_name="$\\frac$"),
        lambda data: data.rename(snr_db="$\\x"),
    ),
    "long and odd texts": all_of(
        labelled("scheme", ["a" * 10**5, "$\\frac{" * 10**4]), told("loss", long_name="a\1\n")
    ),
    "arrays in place of texts": all_of(
        told("loss", linear=np.arange(2), rises=np.arange(2)), stated(title=np.arange(2))
    ),
    "a name without letters": told("loss", long_name=""),
    "a name that is a number": told("loss", long_name=0.5),
    "no units": bare,
    "costs to a target": toml('kind = "curve"', 'kind = "to_target"'),
}


@pytest.mark.parametrize(("spoilt", "part"), SPOILT, ids=[part for _, part in SPOILT])
def test_other_files(tmp_path, refused, result, spoilt, part):
    spoilt(result).to_netcdf(tmp_path / "x.nc", engine="h5netcdf")
    assert part in refused("plot", "x.nc")


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.filterwarnings("ignore")
def test_odd_results_are_drawn(tmp_path, call, result, odd):
    odd(result).to_netcdf(tmp_path / "x.nc", engine="h5netcdf")
    answer = call("plot", "x.nc")
    assert (answer.code, answer.stderr) == (0, "")
    assert {path.suffix for path in tmp_path.iterdir()} == {".nc", ".png", ".pdf"}
    assert call("report", "x.nc").code == 0
    assert call("table", "x.nc").code == 0


def external(file: h5py.Group, other: str) -> None:
    file.create_dataset("loss", (2, 2, 2, 4), "f8", external=[(other, 0, 256)])


def virtual(file: h5py.Group, other: str) -> None:
    layout = h5py.VirtualLayout((2, 2, 2, 4), "f8")
    layout[:] = h5py.VirtualSource(other, "energy", (2, 2, 2, 4))
    file.create_virtual_dataset("loss", layout)


def linked(file: h5py.Group, other: str) -> None:
    file["loss"] = h5py.ExternalLink(other, "/energy")


def around(file: h5py.Group, other: str) -> None:
    file["loss"] = h5py.SoftLink("/loss")


def below(file: h5py.Group, other: str) -> None:
    linked(file.create_group("loss"), other)


@pytest.mark.parametrize("place", [external, virtual, linked, around, below])
def test_files_that_lead_to_others(tmp_path, refused, result, place):
    """Else a report that is passed on would show what lies on its writer's disk."""
    for name in ("x.nc", "y.nc"):
        result.to_netcdf(tmp_path / name, engine="h5netcdf")
    with h5py.File(tmp_path / "x.nc", "r+") as file:
        del file["loss"]
        place(file, str(tmp_path / "y.nc"))
    for command in ("plot", "table", "report"):
        assert "it refers to other files" in refused(command, "x.nc")


def test_small_files_of_huge_values(tmp_path, refused, result):
    result.to_netcdf(tmp_path / "x.nc", engine="h5netcdf")
    with h5py.File(tmp_path / "x.nc", "r+") as file:
        scale = file.create_dataset("other", (10**12,), "i1", chunks=(10**6,))
        scale.make_scale("other")
    assert "its values take 3,725.29 GiB" in refused("plot", "x.nc")


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.999])
def test_files_cut_short(tmp_path, refused, result, share):
    content = bytes(result.to_netcdf(engine="h5netcdf"))
    (tmp_path / "x.nc").write_bytes(content[: int(share * len(content))])
    assert "must be a netCDF file" in refused("plot", "x.nc")


@pytest.mark.parametrize("start", [0, 8, 40, 90, 300])
def test_files_with_damaged_bytes(tmp_path, refused, result, start):
    """In what HDF5 says of the file itself."""
    content = bytearray(result.to_netcdf(engine="h5netcdf"))
    content[start : start + 200] = np.random.default_rng(start).bytes(200)
    (tmp_path / "x.nc").write_bytes(content)
    refused("plot", "x.nc")


@pytest.mark.parametrize("content", [b"", b"\x89HDF\r\n\x1a\n", b"CDF\x01" + bytes(28), bytes(5000)])
def test_files_of_other_kinds(tmp_path, refused, content):
    (tmp_path / "x.nc").write_bytes(content)
    assert "must be a netCDF file" in refused("plot", "x.nc")


@pytest.mark.filterwarnings("ignore")
def test_a_file_does_not_turn_a_loss_into_an_accuracy(tmp_path, call, result):
    """Which of its values is the better one is known of a variable of otafl, whatever a file says of it."""
    tables = []
    for number, rises in enumerate((0, 1)):
        told("loss", rises=rises)(result).to_netcdf(tmp_path / f"{number}.nc", engine="h5netcdf")
        tables.append(call("table", f"{number}.nc", "--target", "1e9").stdout)
    assert tables[0] == tables[1]


@pytest.mark.parametrize(("command", "suffix"), [("table", ""), ("report", ""), ("plot", ".png")])
@pytest.mark.filterwarnings("ignore")
def test_pipes_and_devices_stay_what_they_are(refused, tmp_path, result, command, suffix):
    """Else root would have a file in the place of /dev/null."""
    result.to_netcdf(tmp_path / "x.nc", engine="h5netcdf")
    os.mkfifo(tmp_path / f"out{suffix}")
    form = ["--format", "csv"] if command == "table" else []
    assert "cannot be written (not a file)" in refused(command, "x.nc", "--out", "out", *form)
    assert (tmp_path / f"out{suffix}").is_fifo()
