"""Files that are no results, or no longer: ``otafl plot`` draws them or says in one line what is wrong."""

import os
from collections.abc import Callable

import h5py
import numpy as np
import pytest
import xarray as xr

import otafl

KEYS = {"run.seeds": 2, "run.iterations": 4, "federation.workers": 3, "channel.snr_db": [10.0, 20.0]}


@pytest.fixture(scope="module")
def result() -> xr.Dataset:
    return otafl.run("quickstart", KEYS | {"method": ["D-GD", "A-GD"]})


def bare(data: xr.Dataset) -> xr.Dataset:
    return data.drop_attrs().assign_attrs(data.attrs)


def toml(text: str, instead: str) -> dict:
    return {"case": lambda data: data.assign_attrs(scenario=data.attrs["scenario"].replace(text, instead))}


def typed(name: str, kind: type) -> dict:
    return {"case": lambda data: data.assign({name: data[name].fillna(0).astype(kind)})}


def labelled(name: str, values: object) -> dict:
    return {"case": lambda data: data.assign_coords({name: values})}


def without(name: str) -> dict:
    return {"case": lambda data: data.drop_vars(name)}


def empty(name: str) -> dict:
    return {"case": lambda data: data.isel({name: slice(0)})}


def changed(name: str, change: Callable[[np.ndarray], np.ndarray]) -> dict:
    return {"case": lambda data: data.assign({name: (data[name].dims, change(data[name].values))})}


def told(name: str, **attributes: object) -> dict:
    return {"case": lambda data: data.assign({name: data[name].assign_attrs(attributes)})}


def timed(times: Callable[[tuple[int, ...]], np.ndarray]) -> dict:
    return {"case": lambda data: data.assign(compute_time=(data.outcome.dims, times(data.outcome.shape)))}


def gap(values: np.ndarray) -> np.ndarray:
    """Costs of which the second reading is missing, and the third is less than the first."""
    return np.concatenate([values[..., :1], np.nan * values[..., :1], 0.5 * values[..., :1], values[..., 3:]], axis=-1)


SPOILT = {
    "no attributes": ({"case": lambda data: data.drop_attrs(deep=False)}, "no attribute name"),
    "no variables": ({"case": lambda data: data.drop_vars(list(data.data_vars))}, "no variable loss"),
    "nothing": ({"case": lambda data: xr.Dataset()}, "no attribute"),
    "no scenario": ({"case": lambda data: data.assign_attrs(scenario="x = = 1")}, "must be a TOML file"),
    "scenario that is a number": ({"case": lambda data: data.assign_attrs(scenario=3)}, "must be a TOML file"),
    "scenario of arrays": ({"case": lambda data: data.assign_attrs(scenario=[1, 2])}, "must be a TOML file"),
    "metrics that are lists": (toml("metrics = []", "metrics = [[1]]"), "run.metrics"),
    "metrics that are no list": (toml("metrics = []", 'metrics = "energy"'), "run.metrics"),
    "figure of others": (toml('y = "loss"', 'y = "test_accuracy"'), "no variable test_accuracy"),
    "figure without budgets": (toml('kind = "curve"', 'kind = "at_budget"'), "plot.budgets"),
    "no loss": (without("loss"), "no variable loss"),
    "no outcome": (without("outcome"), "no variable outcome"),
    "no slots": (without("time_slots"), "no variable time_slots"),
    "no energy": (without("energy"), "no variable energy"),
    "no seed": ({"case": lambda data: data.isel(seed=0, drop=True)}, "seed and iteration"),
    "no iteration": ({"case": lambda data: data.isel(iteration=0, drop=True)}, "seed and iteration"),
    "transposed": ({"case": lambda data: data.transpose()}, "seed and iteration"),
    "loss of another shape": ({"case": lambda data: data.assign(loss=data.loss.isel(scheme=0))}, "dimensions"),
    "loss with another dimension": (
        {"case": lambda data: data.assign(loss=data.loss.expand_dims(extra=[1, 2], axis=2))},
        "dimensions",
    ),
    "slots without seeds": ({"case": lambda data: data.assign(time_slots=data.time_slots.isel(seed=0))}, "dimensions"),
    "outcome of iterations": (
        {"case": lambda data: data.assign(outcome=data.outcome.expand_dims(iteration=data.iteration))},
        "dimensions",
    ),
    "loss of text": (typed("loss", str), "loss is of type"),
    "loss of truths": (typed("loss", bool), "loss is of type"),
    "complex loss": (typed("loss", complex), "loss is of type"),
    "slots of text": (typed("time_slots", str), "time_slots is of type"),
    "outcome of numbers": (
        {"case": lambda data: data.assign(outcome=xr.zeros_like(data.outcome, dtype=int))},
        "outcome is of type",
    ),
    "iterations of text": (labelled("iteration", list("abcd")), "iteration is of type"),
    "complex SNR": (labelled("snr_db", [1j, 2]), "snr_db is of type"),
    "SNR of dates": (labelled("snr_db", np.array(["2020-01-01", "2020-01-02"], "datetime64[ns]")), "snr_db is of type"),
    "seeds without names": (without("seed"), "no coordinate seed"),
    "SNR without names": (without("snr_db"), "no coordinate snr_db"),
    "curves of another dimension": (
        {"case": lambda data: data.assign(other=("place", np.zeros(3)))},
        "has the dimension place, which its loss lacks",
    ),
    "a seed twice": (labelled("seed", [0, 0]), "seed has the same value twice"),
    "a scheme twice": (labelled("scheme", ["A-GD", "A-GD"]), "scheme has the same value twice"),
    "an SNR twice": (labelled("snr_db", [10, 10.0]), "snr_db has the same value twice"),
    "an SNR that is no number": (labelled("snr_db", [10, np.nan]), "snr_db is NaN in places"),
    "SNRs that are no numbers": (labelled("snr_db", [np.nan, np.nan]), "snr_db is NaN in places"),
    "seeds that are no numbers": (labelled("seed", [0, np.nan]), "seed is NaN in places"),
    "negative seeds": (labelled("seed", [-1, 0]), "seed is negative in places"),
    "iterations in disorder": (labelled("iteration", [1, 3, 2, 4]), "iteration does not rise"),
    "iterations before the first": (labelled("iteration", [-1, 0, 1, 2]), "iteration is negative in places"),
    "negative energies": (changed("energy", lambda one: -one), "energy is not within 0 to inf"),
    "energies that fall": (changed("energy", lambda one: one[..., ::-1]), "energy falls in places"),
    "slots that fall behind a gap": (changed("time_slots", gap), "time_slots falls in places"),
    "an accuracy above 1": (
        {"case": lambda data: data.assign(test_accuracy=xr.full_like(data.loss, 1.5))},
        "test_accuracy is not within 0 to 1",
    ),
    "half a seed": (labelled("seed", [0, 0.5]), "seed is not a whole number in places"),
    "a seed without bound": (labelled("seed", [0, np.inf]), "seed is not a whole number in places"),
    "half an iteration": (labelled("iteration", [1, 1.5, 2, 3]), "iteration is not a whole number in places"),
    "energies in another unit": (told("energy", units="mJ"), "energy is in mJ, and not in J"),
    "units that are numbers": (told("energy", units=np.arange(2)), "energy is in [0 1], and not in J"),
    "computing times in words": (timed(lambda shape: np.full(shape, "x")), "compute_time is of type"),
    "infinite computing times": (timed(lambda shape: np.full(shape, np.inf)), "compute_time is negative or infinite"),
    "negative computing times": (timed(lambda shape: np.full(shape, -1.0)), "compute_time is negative or infinite"),
    "a computing time of all": (
        {"case": lambda data: data.assign(compute_time=3.0)},
        "compute_time has the dimensions",
    ),
    "unknown outcomes": (
        {"case": lambda data: data.assign(outcome=xr.full_like(data.outcome, "won"))},
        "outcome is won, and not one of completed, diverged, stopped, failed",
    ),
    "empty seeds": (empty("seed"), "no seed"),
    "empty iterations": (empty("iteration"), "no iteration"),
    "empty methods": (empty("scheme"), "no scheme"),
    "empty SNR": (empty("snr_db"), "no snr_db"),
}
ODD = {
    "losses that are no numbers": {"case": lambda data: data.assign(loss=xr.full_like(data.loss, np.nan))},
    "infinite losses": {"case": lambda data: data.assign(loss=xr.full_like(data.loss, np.inf))},
    "huge losses": {"case": lambda data: data.assign(loss=xr.full_like(data.loss, 1e300))},
    "negative losses": {"case": lambda data: data.assign(loss=-data.loss)},
    "infinite slots": changed("time_slots", lambda one: np.full_like(one, np.inf)),
    "no slots": changed("time_slots", np.zeros_like),
    "markup": labelled("scheme", ["a[/b]", "$x$"]),
    "formulas": labelled("snr_db", ["a$b", "\\frac$"]),
    "broken formulas": {"case": lambda data: data.assign(loss=data.loss.assign_attrs(long_name="$\\frac$"))},
    "characters that cannot be drawn": told("loss", long_name="a\1\n"),
    "long texts": labelled("scheme", ["a" * 10**5, "$\\frac{" * 10**4]),
    "marks that are arrays": told("loss", linear=np.arange(2), rises=np.arange(2)),
    "a title that is an array": {"case": lambda data: data.assign_attrs(title=np.arange(2))},
    "a name without letters": {"case": lambda data: data.assign(loss=data.loss.assign_attrs(long_name=""))},
    "a name that is a number": {"case": lambda data: data.assign(loss=data.loss.assign_attrs(long_name=0.5))},
    "formulas of a dimension": {"case": lambda data: data.rename(snr_db="$\\x")},
    "no units": {"case": bare},
    "costs to a target": toml('kind = "curve"', 'kind = "to_target"'),
}


@pytest.mark.parametrize(("spoilt", "part"), SPOILT.values(), ids=SPOILT)
def test_other_files(tmp_path, refused, result, spoilt, part):
    spoilt["case"](result).to_netcdf(tmp_path / "x.nc", engine="h5netcdf")
    assert part in refused("plot", "x.nc")


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.filterwarnings("ignore")
def test_odd_results_are_drawn(tmp_path, call, result, odd):
    odd["case"](result).to_netcdf(tmp_path / "x.nc", engine="h5netcdf")
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


@pytest.mark.parametrize("share", [0.0, 0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999])
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


@pytest.mark.parametrize("content", [b"", b"\x89HDF\r\n\x1a\n", b"CDF\x01" + bytes(28), b"x" * 1000, bytes(5000)])
def test_files_of_other_kinds(tmp_path, refused, content):
    (tmp_path / "x.nc").write_bytes(content)
    assert "must be a netCDF file" in refused("plot", "x.nc")


@pytest.mark.filterwarnings("ignore")
def test_a_file_does_not_turn_a_loss_into_an_accuracy(tmp_path, call, result):
    """Which of its values is the better one is known of a variable of otafl, whatever a file says of it."""
    tables = []
    for number, rises in enumerate((0, 1)):
        told("loss", rises=rises)["case"](result).to_netcdf(tmp_path / f"{number}.nc", engine="h5netcdf")
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
