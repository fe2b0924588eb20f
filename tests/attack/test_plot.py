"""Files that are no results, or no longer: ``otafl plot`` draws them or says in one line what is wrong."""

import functools
import os
from collections.abc import Callable
from operator import methodcaller

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


assigned = functools.partial(methodcaller, "assign")
labelled = functools.partial(methodcaller, "assign_coords")


def toml(text: str, instead: str) -> Change:
    return lambda data: data.assign_attrs(scenario=data.attrs["scenario"].replace(text, instead))


def changed(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Change:
    return lambda data: data.assign({name: (data[name].dims, change(data[name].values))})


def told(name: str, **attributes: object) -> Change:
    return lambda data: data.assign({name: data[name].assign_attrs(attributes)})


SPOILT = [
    (lambda data: xr.Dataset(), "no attribute"),
    *((methodcaller("assign_attrs", scenario=text), "must be a TOML file") for text in ("x = = 1", 3)),
    (toml("metrics = []", "metrics = [[1]]"), "run.metrics"),
    (toml('y = "loss"', 'y = "test_accuracy"'), "no variable test_accuracy"),
    *((methodcaller("drop_vars", name), f"no variable {name}") for name in ("loss", "outcome", "energy")),
    *((methodcaller("drop_vars", name), f"no coordinate {name}") for name in ("seed", "snr_db")),
    *((methodcaller("isel", {name: slice(0)}), f"no {name}") for name in ("seed", "iteration", "snr_db")),
    (methodcaller("isel", seed=0, drop=True), "seed and iteration"),
    (assigned(loss=lambda data: data.loss.isel(scheme=0)), "dimensions"),
    (assigned(outcome=lambda data: data.outcome.expand_dims(iteration=data.iteration)), "dimensions"),
    (assigned(other=lambda data: ("place", np.zeros(3))), "has the dimension place, which its loss lacks"),
    (assigned(compute_time=lambda data: 3.0), "compute_time has the dimensions"),
    *((changed("loss", lambda v, kind=kind: v.astype(kind)), "loss is of type") for kind in (str, complex)),
    (labelled(iteration=list("abcd")), "iteration is of type"),
    (labelled(snr_db=np.array(["2020-01-01", "2020-01-02"], "datetime64[ns]")), "snr_db is of type"),
    (labelled(seed=[0, 0]), "seed has the same value twice"),
    (labelled(snr_db=[10, np.nan]), "snr_db is NaN in places"),
    (labelled(seed=[-1, 0]), "seed is negative in places"),
    *((labelled(seed=[0, seed]), "seed is not a whole number in places") for seed in (0.5, np.inf)),
    (labelled(iteration=[1, 3, 2, 4]), "iteration does not rise"),
    (changed("energy", np.negative), "energy is not within 0 to inf"),
    (changed("time_slots", lambda values: values[..., ::-1]), "time_slots falls in places"),
    (assigned(test_accuracy=lambda data: xr.full_like(data.loss, 1.5)), "test_accuracy is not within 0 to 1"),
    (told("energy", units="mJ"), "energy is in mJ, and not in J"),
    (
        assigned(outcome=lambda data: xr.full_like(data.outcome, "won")),
        "outcome is won, and not one of completed, at_target, diverged, stopped, failed",
    ),
]


WORDS = """
--plot.kind at_budget|plot.budgets = (): must list at least one
--plot.kind to_target --plot.cost loss|must be 'iteration'
--plot.y accuracy|must be a variable of the result
--plot.y-limits 1 0|the lower one first
--plot.y-limts 0 1|perhaps you meant --plot.y-limits
--plot.panels rho|must be a swept dimension
--plot.reached once|must be 'held' or 'first'
--plot.labels FedAvg|must be NAME=TEXT
--plot.kind to_target --plot.panels snr_db|plot.kind = 'to_target': needs a swept key besides scheme and panels
"""


@pytest.mark.parametrize("line", WORDS.strip().splitlines())
def test_figures_that_cannot_be(refused, tmp_path, result, line):
    words, said = line.split("|")
    result.to_netcdf(tmp_path / "x.nc", engine="h5netcdf")
    assert said in refused("plot", "x.nc", *words.split())


def all_of(*changes: Change) -> Change:
    return lambda data: functools.reduce(lambda changed, change: change(changed), changes, data)


ODD = {
    "infinite slots": changed("time_slots", lambda values: np.full_like(values, np.inf)),
    "markup and formulas": all_of(
        labelled(scheme=["a[/b]", "$x$"]),
        labelled(snr_db=["a$b", "\\frac$"]),
        told("loss", long_name="$\\frac$"),
        methodcaller("rename", snr_db="$\\x"),
    ),
    "long and odd texts": all_of(labelled(scheme=["a" * 10**4, "$\\frac{" * 10**3]), told("loss", long_name="a\1\n")),
    "costs to a target": toml('kind = "curve"', 'kind = "to_target"'),
    **{f"losses of {loss}": changed("loss", lambda v, x=loss: 0 * v + x) for loss in (np.nan, np.inf, 1e300, -1.0)},
}


@pytest.mark.parametrize(("spoilt", "part"), SPOILT, ids=[part for _, part in SPOILT])
def test_other_files(tmp_path, refused, result, spoilt, part):
    spoilt(result).to_netcdf(tmp_path / "x.nc", engine="h5netcdf")
    assert part in refused("plot", "x.nc")


@pytest.mark.daily(2)
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


@pytest.mark.parametrize("place", [external, virtual, linked, around])
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


@pytest.mark.parametrize("content", [0.001, 0.5, 0.999, b"", b"\x89HDF\r\n\x1a\n", b"CDF\x01" + bytes(28)])
def test_files_cut_short_and_of_other_kinds(tmp_path, refused, result, content):
    if isinstance(content, float):
        whole = bytes(result.to_netcdf(engine="h5netcdf"))
        content = whole[: int(content * len(whole))]
    (tmp_path / "x.nc").write_bytes(content)
    assert "must be a netCDF file" in refused("plot", "x.nc")


@pytest.mark.parametrize("start", [0, 40, 300])
def test_files_with_damaged_bytes(tmp_path, refused, result, start):
    content = bytearray(result.to_netcdf(engine="h5netcdf"))
    content[start : start + 200] = np.random.default_rng(start).bytes(200)
    (tmp_path / "x.nc").write_bytes(content)
    refused("plot", "x.nc")


@pytest.mark.parametrize(("command", "suffix"), [("report", ""), ("plot", ".png")])
@pytest.mark.filterwarnings("ignore")
def test_pipes_and_devices_stay_what_they_are(refused, tmp_path, result, command, suffix):
    """Else root would have a file in the place of /dev/null."""
    result.to_netcdf(tmp_path / "x.nc", engine="h5netcdf")
    os.mkfifo(tmp_path / f"out{suffix}")
    assert "cannot be written (not a file)" in refused(command, "x.nc", "--out", "out")
    assert (tmp_path / f"out{suffix}").is_fifo()
