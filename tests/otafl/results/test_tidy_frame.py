"""Results as long frames."""

import numpy as np
import pytest

import otafl
from tests.otafl.small import SMALL

KEYS = SMALL | {"run.seeds": 2, "run.iterations": 4, "federation.workers": 3, "method": ["A-FADMM", "A-GD"]}


def test_every_recorded_iteration_of_a_run_is_a_row():
    keys = KEYS | {"channel.snr_db": [0.0, 20.0]}
    data = otafl.run("quickstart", keys)
    frame = otafl.tidy(data)
    assert list(frame)[:6] == ["scheme", "method", "snr_db", "seed", "iteration", "time_slots"]
    assert len(frame) == data["loss"].size
    for row in frame.sample(5, random_state=0).itertuples():
        at = {name: getattr(row, name) for name in ("scheme", "snr_db", "seed", "iteration")}
        assert row.energy == data["energy"].sel(at).item()
        assert row.outcome == "completed"


def test_what_a_scheme_lacks_is_nan_and_loses_no_row():
    frame = otafl.tidy(otafl.run("quickstart", KEYS))
    assert frame["primal_residual"].isna().equals(frame["scheme"] == "A-GD")


def test_iterations_behind_the_end_of_a_run_have_no_row():
    data = otafl.run("quickstart", KEYS | {"method": "A-FADMM", "run.max_channel_uses": 10.0})
    frame = otafl.tidy(data)
    assert len(frame) == int(data["loss"].notnull().sum()) < data["loss"].size
    assert set(frame["scheme"]) == {"A-FADMM"}


def test_a_part_of_a_result_is_a_frame_too():
    part = otafl.run("quickstart", KEYS).sel(scheme="A-GD", seed=0)
    frame = otafl.tidy(part)
    assert list(frame)[:3] == ["scheme", "method", "seed"]
    np.testing.assert_array_equal(frame["loss"], part["loss"])


@pytest.mark.parametrize("value", [None, "x.nc", 3])
def test_only_datasets_are_results(value):
    with pytest.raises(otafl.OtaflError, match=r"result = .*: must be a dataset"):
        otafl.tidy(value)
