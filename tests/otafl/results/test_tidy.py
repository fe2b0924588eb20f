"""Results as long frames."""

import numpy as np
import pytest

import otafl


def test_every_recorded_iteration_of_a_run_is_a_row(study):
    frame = otafl.tidy(study)
    assert list(frame)[:6] == ["scheme", "method", "snr_db", "seed", "iteration", "time_slots"]
    assert len(frame) == study["loss"].size
    for row in frame.sample(5, random_state=0).itertuples():
        at = {name: getattr(row, name) for name in ("scheme", "snr_db", "seed", "iteration")}
        assert row.energy == study["energy"].sel(at).item()
        assert row.outcome == "completed"


@pytest.mark.parametrize(("name", "lacks"), [("primal_residual", "FedAvg@analog"), ("aggregation_nmse", "D-FADMM")])
def test_what_a_scheme_lacks_is_nan_and_loses_no_row(study, name, lacks):
    frame = otafl.tidy(study)
    assert frame[name].isna().equals(frame["scheme"] == lacks)


def test_iterations_behind_the_end_of_a_run_have_no_row(study):
    ended = study.where(study["channel_uses"] < study["channel_uses"].max() / 2)
    frame = otafl.tidy(ended.assign(outcome=study["outcome"]))
    assert len(frame) == int(ended["loss"].notnull().sum()) < study["loss"].size


def test_a_part_of_a_result_is_a_frame_too(study):
    part = study.sel(scheme="D-FADMM", seed=0)
    frame = otafl.tidy(part)
    assert list(frame)[:4] == ["scheme", "method", "snr_db", "seed"]
    np.testing.assert_array_equal(frame["loss"], part["loss"].values.ravel())
