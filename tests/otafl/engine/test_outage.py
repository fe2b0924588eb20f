"""Digital uploads that do not wait for the slowest workers."""

import numpy as np
import pytest

from otafl.engine.costs import Ledger
from tests.otafl.small import costs_of, group_of, settings_of

BASE = {"method": "D-FADMM", "problem.dataset": "diabetes", "federation.workers": 10, "uplink.subcarriers": 20}


def test_outage_charges_those_who_upload_and_does_not_wait_for_the_others():
    waits, leaves = (costs_of(group_of("quickstart", BASE | {"uplink.outage": out}), 30)[..., 0].T for out in (0, 0.3))
    (slots, _, _, elements), (fewer_slots, _, _, fewer_elements) = waits, leaves
    assert (fewer_slots < slots).all()
    assert (fewer_elements == 0.7 * elements).all()


def test_the_slowest_are_left_out_and_every_worker_as_often():
    """Over many channels of like workers, each in 3 of 10, to within 5 standard deviations."""
    made, blocks = group_of("quickstart", BASE | {"uplink.outage": 0.3}), 400
    ledger = Ledger(made)
    chosen = [ledger.fastest(block, np.arange(10), 7) for block in range(blocks)]
    counts = blocks - np.bincount(np.concatenate(chosen), minlength=10)
    np.testing.assert_allclose(counts / blocks, 0.3, atol=5 * np.sqrt(0.21 / blocks))
    own = made.air.alone(0, 20)[0].reshape(10, 10, 2)[np.arange(10), np.arange(10)]
    rates = np.log2(1 + 15 * ledger.snr[0] * np.abs(own) ** 2).sum(axis=-1)
    assert set(chosen[0]) == set(np.argsort(-rates)[:7])


@pytest.mark.parametrize(("share", "left"), [(0.29, 71), (0.57, 43), (0.3, 70), (0.009, 100)])
def test_a_share_is_of_whole_workers(share, left):
    keys = BASE | {"federation.workers": 100, "uplink.subcarriers": 100, "uplink.outage": share}
    assert settings_of("quickstart", keys).participants == left
