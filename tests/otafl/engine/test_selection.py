"""Workers that take part because of their channels: who they are, and what it costs to know."""

from typing import Any

import numpy as np

from otafl.engine.costs import SLOTS, USES
from otafl.engine.draws import Draws
from otafl.engine.group import Group
from tests.otafl.small import costs_of, dotted, group_of

SMALL: dict[str, Any] = {"method": "FedAvg@analog", "federation.workers": 8, "federation.participation": 0.25}
SMALL |= {"local.steps": 2, "run.seeds": 1, "run.iterations": 12, "federation.sampling": "channel"}


def group(**keys) -> Group:
    return group_of("digits_quickstart", SMALL | dotted(keys))


def test_the_strongest_take_part_in_every_block():
    made, seen = group(channel__coherence_iterations=2), set()
    ledger = Draws(made).ledger
    for block in range(5):
        who = ledger.strongest(block)
        mean = np.mean(np.abs(made.air.alone(block, made.uplink.in_use)[0]) ** 2, axis=-1)
        assert set(who) == set(np.argsort(-mean)[:2])
        seen |= set(who.tolist())
    assert len(seen) > 2


def costs(**keys) -> tuple[np.ndarray, np.ndarray]:
    """Slots and channel uses of 12 iterations."""
    rows = costs_of(group(**keys), 12)
    return rows[:, SLOTS, 0], rows[:, USES, 0]


def test_all_tell_their_gains_in_every_block():
    """Blocks of 4 iterations: what the first of each costs more is a report of 32 bits from each of 8 workers."""
    keys = {"channel__coherence_iterations": 4, "channel__fading": "rayleigh"}
    (chosen, _), (drawn, _) = costs(**keys), costs(**keys, federation__sampling="uniform")
    more = chosen - drawn
    assert (more[[0, 4, 8]] >= 1).all()
    assert not np.delete(more, [0, 4, 8]).any()


def test_digital_workers_tell_once_in_a_block_too():
    """The same ones upload in all 4 iterations of a block, so that the first costs a report more than the others."""
    slots = costs(method="FedAvg@digital", channel__coherence_iterations=4)[0].reshape(3, 4)
    assert (slots[:, 0] > slots[:, 1]).all()
    np.testing.assert_array_equal(slots[:, 1:], slots[:, 1:2] * np.ones(3))


def test_pilots_of_all_tell_in_place_of_reports():
    """On each of the subcarriers in use, one pilot of each of 8 workers where 2 take part."""
    (_, chosen), (_, plain) = (costs(channel__coherence_iterations=4, channel__pilots=pilots) for pilots in (1, 0))
    np.testing.assert_allclose(chosen[[0, 4, 8]] - plain[1], 8 * group().uplink.in_use)
    np.testing.assert_allclose(chosen[[1, 5, 9]], plain[1])
