"""Files of results: names and units. Files that are none are in tests/attack."""

import numpy as np
import pytest

import otafl
from otafl.errors import OtaflError
from otafl.results import result_file
from otafl.results.table import table

SMALL = {"run.seeds": 1, "run.iterations": 3, "federation.workers": 4, "method": "D-GD"}


@pytest.fixture(scope="module")
def result():
    return otafl.run("quickstart", SMALL)


def test_folder_in_the_way_of_a_result(tmp_path):
    (tmp_path / "quickstart.nc" / "in the way").mkdir(parents=True)
    with pytest.raises(OtaflError, match="cannot be written"):
        otafl.run("quickstart", SMALL, out=tmp_path, overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["quickstart.nc", "quickstart.runs"]


def test_swept_coordinates_have_units_and_numpy_values_are_numbers():
    data = otafl.run("quickstart", {**SMALL, "uplink.slot_s": [1e-3, 2e-3], "cell.radius_m": [20.0, 30.0]})
    assert data["slot_s"].attrs["units"] == "s"
    assert data["radius_m"].attrs == {"units": "m", "long_name": "Cell radius"}
    data = otafl.run("quickstart", {**SMALL, "federation.workers": np.arange(3, 5), "channel.snr_db": np.float64(3.0)})
    assert list(data["workers"].values) == [3, 4]


def test_names_tell_results_apart(result, tmp_path):
    for path in ("a/x.nc", "a/y.nc", "b/x.nc"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        result_file.save(result, tmp_path / path)
    first, beside, elsewhere = (result_file.load(tmp_path / path) for path in ("a/x.nc", "a/y.nc", "b/x.nc"))
    assert result_file.names([first, elsewhere.assign_attrs(name="other")]) == ["quickstart", "other"]
    assert result_file.names([first, elsewhere]) == ["a/quickstart", "b/quickstart"]
    assert result_file.names([first, beside, elsewhere]) == ["a/x", "a/y", "b/x"]
    assert result_file.names([first, first]) == ["1/quickstart", "2/quickstart"]
    assert len({row[0][0] for row in table(first, beside).rows}) == 2
