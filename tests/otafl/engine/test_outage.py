"""Digital uploads that do not wait for the slowest workers."""

import numpy as np
import pytest

import otafl
from otafl.engine.costs import Ledger
from otafl.engine.group import Group
from otafl.engine.run_spec import RunSpec
from otafl.errors import OtaflError
from tests.otafl.small import dotted
from tests.rounding import assert_close

BASE = {
    "method": "D-FADMM",
    "problem.dataset": "diabetes",
    "federation.workers": 10,
    "uplink.subcarriers": 20,
    "run.iterations": 30,
    "run.seeds": 3,
}


def run(**keys):
    return otafl.run("quickstart", BASE | dotted(keys))


def test_no_outage_is_waiting_for_all():
    """Also where the share is of less than one worker."""
    assert_close(run(uplink__outage=0.05)["loss"].squeeze(), run()["loss"].squeeze())


def test_outage_charges_those_who_upload_and_does_not_wait_for_the_others():
    waits, leaves = run(), run(uplink__outage=0.3)
    assert (leaves["time_slots"] < waits["time_slots"]).all()
    last = {"iteration": -1}
    assert (leaves["uplink_elements"].isel(last) == 0.7 * waits["uplink_elements"].isel(last)).all()


@pytest.mark.slow
def test_the_slowest_are_those_whose_own_slots_are_most():
    """What is left ends no later than the slowest that was left out would have."""
    keys = {"federation__workers": 4, "uplink__subcarriers": 4, "run__iterations": 1, "run__seeds": 20}
    waits, leaves = run(**keys), run(**keys, uplink__outage=0.25)
    assert (leaves["time_slots"] <= waits["time_slots"]).all()
    assert (leaves["time_slots"] < waits["time_slots"]).any()


def test_every_worker_is_left_out_as_often():
    """Over many channels of like workers, each in 3 of 10, to within 5 standard deviations."""
    group = Group(
        [RunSpec(settings, 0) for _, settings in otafl.load("quickstart", BASE | {"uplink.outage": 0.3}).points()]
    )
    ledger, blocks = Ledger(group), 400
    chosen = np.concatenate([ledger.fastest(block, np.arange(10), 7) for block in range(blocks)])
    counts = blocks - np.bincount(chosen, minlength=10)
    np.testing.assert_allclose(counts / blocks, 0.3, atol=5 * np.sqrt(0.21 / blocks))


def test_who_is_left_out_depends_on_nothing_beside_a_run():
    swept = run(uplink__outage=0.3, channel__snr_db=[-10.0, 40.0])
    for snr in (-10.0, 40.0):
        alone = run(uplink__outage=0.3, channel__snr_db=snr)
        assert_close(swept["loss"].sel(snr_db=snr).squeeze(), alone["loss"].squeeze())


@pytest.mark.parametrize(("share", "left"), [(0.29, 71), (0.57, 43), (0.3, 70)])
def test_a_share_is_of_whole_workers(share, left):
    keys = BASE | {"federation.workers": 100, "uplink.subcarriers": 100, "uplink.outage": share}
    assert otafl.load("quickstart", keys).settings.participants == left


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"uplink.outage": 1.0}, "less than 1"),
        ({"uplink.outage": -0.1}, "greater than or equal to 0"),
        ({"uplink.outage": 0.2, "method": "D-GD"}, "must be 0: with D-GD all workers take part"),
        ({"uplink.outage": 0.2, "method": "A-FADMM"}, "does not read it"),
        ({"uplink.outage": 0.2, "uplink.subcarriers": "one_slot"}, "contradicts uplink.subcarriers"),
        ({"uplink.outage": 0.99}, "leaves none of 10 workers"),
    ],
)
def test_outage_that_cannot_be_is_refused(keys, said):
    with pytest.raises(OtaflError, match=said):
        otafl.load("quickstart", BASE | keys)
