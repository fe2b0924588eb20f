"""What goes together: runs that differ in numbers alone, where nothing of the machine is left over."""

import numpy as np
import pytest

import otafl
from otafl.engine.group import Group
from otafl.engine.run_spec import RunSpec, group_key

REGRESSION = ["A-FADMM", "D-FADMM", "A-GD"]
NETWORKS = ["A-SFADMM", "D-SFADMM", "FedAvg"]


def key(method: str, seed: int = 0, **keys) -> str:
    """The group of a run of quickstart, or of digits where networks are trained."""
    name = "quickstart" if method in REGRESSION else "digits_quickstart"
    overrides = {"method": method} | {key.replace("__", "."): value for key, value in keys.items()}
    _, settings = next(otafl.load(name, overrides).points())
    return group_key(RunSpec(settings, seed))


NUMBERS = [
    ("A-FADMM", {"algorithm__rho": 2.0}),
    ("A-FADMM", {"channel__snr_db": 0.0}),
    ("A-FADMM", {"uplink__noise_psd_w_per_hz": 1e-6}),
    ("A-FADMM", {"uplink__power_budget": "per_upload"}),
    ("A-GD", {"local__learning_rate": 1e-3}),
    ("D-FADMM", {"algorithm__rho": 2.0, "channel__snr_db": 0.0}),
    ("D-SFADMM", {"channel__snr_db": 0.0}),
    ("FedAvg", {"channel__snr_db": 0.0}),
]
FORMS = [
    ("A-FADMM", {"federation__workers": 19}),
    ("A-FADMM", {"channel__coherence_iterations": 5.0}),
    ("A-FADMM", {"uplink__subcarriers": 9}),
    ("A-FADMM", {"uplink__downlink": "analog"}),
    ("A-FADMM", {"run__iterations": 3}),
    ("D-FADMM", {"algorithm__consensus": "channel_weighted"}),
    ("A-SFADMM", {"channel__snr_db": 0.0}),
    ("A-SFADMM", {"algorithm__rho": 2.0}),
    ("D-SFADMM", {"local__learning_rate": 0.02}),
    ("FedAvg", {"uplink__kind": "analog"}),
]


@pytest.mark.parametrize(("method", "keys"), NUMBERS)
def test_runs_that_differ_in_numbers_go_together(method, keys):
    assert key(method) == key(method, **keys)


@pytest.mark.parametrize(("method", "keys"), FORMS)
def test_runs_of_another_form_do_not(method, keys):
    assert key(method) != key(method, **keys)


@pytest.mark.parametrize("method", REGRESSION + NETWORKS)
def test_seeds_go_together_where_nothing_is_trained(method):
    assert (key(method) == key(method, seed=1)) == (method in REGRESSION)


def test_seeds_that_draw_participants_do_not_go_together():
    assert key("A-FADMM", federation__participation=0.5) != key("A-FADMM", 1, federation__participation=0.5)


def test_seeds_that_draw_numbers_of_samples_do_not_go_together():
    """Time and energy of computation are those of a seed's own numbers of samples, whatever runs beside it."""
    drawn = {"federation__partition": "power_law"}
    assert key("A-FADMM", **drawn) != key("A-FADMM", 1, **drawn)


def test_channel_of_a_group_has_its_seeds_last():
    _, settings = next(otafl.load("quickstart", {"method": "A-FADMM", "federation.workers": 7}).points())
    both, one = Group([RunSpec(settings, 3), RunSpec(settings, 8)]), Group([RunSpec(settings, 8)])
    assert both.channel(2).gain.shape == (7, 10, 2)
    np.testing.assert_array_equal(both.channel(2).gain[..., 1], one.channel(2).gain[..., 0])
    np.testing.assert_array_equal(both.channel(2, [1, 4]).gain, both.channel(2).gain[[1, 4]])
    assert not np.array_equal(both.channel(2).gain, both.channel(3).gain)
