"""Runs behind a reconfigurable surface: limits, what is charged, and budgets."""

from typing import Any

import numpy as np
import pytest

import otafl
from otafl.channels.combiners import COMBINERS
from otafl.engine.costs import Ledger
from otafl.engine.participation import Participants
from tests.otafl.small import dotted, group_of
from tests.rounding import SINGLE, assert_close

WORKERS, SPACING_HZ = 6, 15e3
KEYS: dict[str, Any] = {
    "method": "FedAvg@analog",
    "run.seeds": 2,
    "run.iterations": 4,
    "federation.workers": WORKERS,
    "local.steps": 2,
    "channel.snr_db": -10.0,
    "cell.radius_m": 100.0,
    "cell.inner_radius_m": 50.0,
    "cell.path_loss_exponent": 3.76,
    "cell.antennas": 3,
    "uplink.subcarriers": 2,
    "uplink.precoder": "channel_inversion",
}


def run(**keys):
    return otafl.run("digits_quickstart", KEYS | dotted(keys))


def group(**keys):
    known = {key: value for key, value in KEYS.items() if key != "local.steps"}
    return group_of("quickstart", known | {"method": "A-GD"} | dotted(keys), range(2))


@pytest.fixture(scope="module")
def behind():
    return run(cell__surface_elements=[0, 4])


def test_a_run_behind_no_element_is_the_plain_one(behind):
    plain, none = run(), behind.sel(surface_elements=0, drop=True)
    for name in ("loss", "test_accuracy", "energy", "worker_power"):
        assert_close(none[name], plain[name], SINGLE, name)


def test_a_surface_without_power_over_it_is_the_plain_channel():
    """With a path loss exponent of 10 on either hop, and in the limit of it."""
    far = group(cell__surface_elements=4, cell__surface_exponent=10.0, cell__surface_distance_m=1e9).air
    np.testing.assert_allclose(far.shared([0, 3], 2).h, group().air.shared([0, 3], 2).h, rtol=1e-12)


def test_phases_suit_the_combiner_of_the_run():
    made = group(cell__surface_elements=8, uplink__combiner="principal")
    assert made.air.combiner == COMBINERS["principal"]()
    assert all(one.combiner == made.air.combiner for one in made.air.fading)


def test_no_worker_exceeds_its_budget(behind):
    """P of a subcarrier, all of it for the worker that needs most."""
    power = behind["worker_power"].sel(surface_elements=4)
    np.testing.assert_allclose(power, 0.1 * SPACING_HZ * 1e-9, rtol=1e-5)


def test_pilots_tell_every_path():
    """K + 1 times the pilots of a plain channel, in slots, uses and energy."""
    who, cost = Participants(np.arange(WORKERS), np.zeros(WORKERS), True), {}
    for elements, pilots in ((0, 0), (0, 2), (7, 0), (7, 2)):
        keys = {"channel__pilots": pilots} | ({"channel__estimator": "least_squares"} if pilots else {})
        cost[elements, pilots] = Ledger(group(cell__surface_elements=elements, **keys)).enter(0, who, 1)[0]
    np.testing.assert_allclose(cost[7, 2] - cost[7, 0], 8 * (cost[0, 2] - cost[0, 0]))
