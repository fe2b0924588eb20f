"""The share of elements that workers in deep fades do not send, against its closed form and by hand."""

import numpy as np
import pytest

import otafl
from otafl.channels.effective_channel import Effective
from tests.otafl.small import SMALL

KEYS = SMALL | {"federation.workers": 40, "run.iterations": 200, "run.seeds": 2, "channel.coherence_iterations": 1.0}
NETWORK = {"method": "FedAvg@analog", "run.seeds": 1, "run.iterations": 40, "federation.workers": 40, "local.steps": 1}


def share(data) -> tuple[float, float]:
    values = data["truncated_share"].values
    return float(np.nanmean(values)), float(np.nanstd(values) / np.sqrt(np.isfinite(values).sum()))


@pytest.mark.parametrize("threshold", [0.3, 1.0])
def test_over_rayleigh_fading_it_is_exponential(threshold):
    """P(|h|² < ε²) = 1 − exp(−ε²), whoever takes part, in one program and round by round."""
    keys = {"uplink.inversion_threshold": threshold, "channel.coherence_iterations": 1.0}
    for data in (
        otafl.run("quickstart", KEYS | keys | {"method": "A-GD"}),
        otafl.run("digits_quickstart", NETWORK | keys | {"uplink.scheme": "BAA", "federation.participation": 0.5}),
    ):
        mean, error = share(data)
        assert abs(mean - (1 - np.exp(-(threshold**2)))) < 4 * error


def test_elements_count_by_the_subcarrier_that_they_ride_and_participants_alone():
    """Of five elements on two subcarriers three ride the first."""
    power = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0]])[..., None]
    np.testing.assert_allclose(Effective(power, None, power, None).silent_share(5)[:, 0], [0.6, 0.4, 0.0])


def test_schemes_that_send_all_have_none_and_rounds_without_an_upload_neither():
    data = otafl.run("quickstart", KEYS | {"method": ["A-GD", "D-GD", "A-FADMM"], "run.iterations": 3})
    assert data["truncated_share"].isnull().all(["seed", "iteration"]).values.tolist() == [False, True, True]
    keys = NETWORK | {"method": "FedPD@analog", "run.iterations": 8, "algorithm.communication_probability": 0.5}
    data = otafl.run("digits_quickstart", keys)
    assert (data["truncated_share"].isnull() == data["worker_power"].isnull()).all()
    assert data["truncated_share"].isnull().any()
