"""Choice of participants: numbers, probabilities, streams, by channel, without the slowest, few of many."""

from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otafl.engine import participation
from otafl.engine.costs import SLOTS, USES, Ledger
from otafl.engine.draws import Draws
from otafl.engine.group import Group
from tests.otafl.engine.test_checkpoint import goes_on
from tests.otafl.small import costs_of, dotted, group_of, settings_of
from tests.rounding import assert_close

COUNTS = np.arange(1, 21) * 10


def rounds(number: int, seed: int = 0, **keys) -> list[participation.Participants]:
    settings = settings_of("digits_quickstart", {"method": "FedADMM-Gong"} | dotted(keys))
    return list(islice(participation.Participation(settings, COUNTS, seed), number))


PROBABILITIES = [0.05, 0.15, 0.3, 0.5, 1.0]


@pytest.mark.parametrize(
    ("keys", "size", "expected"),
    [
        ({"federation__participation": 0.2}, 4, np.full(20, 0.2)),
        ({"federation__participation": 0.05, "federation__sampling": "weighted"}, 1, COUNTS / COUNTS.sum()),
        ({"federation__workers": 5, "federation__probabilities": PROBABILITIES}, 2, np.array(PROBABILITIES)),
    ],
    ids=["uniform", "by samples", "by hand"],
)
def test_workers_take_part_with_their_probabilities(keys, size, expected):
    """In a proper scheme of Wang et al., definition 4, too; as many in every round, each once."""
    drawn = rounds(6000, **keys)
    assert {len(set(who.workers)) for who in drawn} == {len(who.workers) for who in drawn} == {size}
    shares = np.bincount(np.concatenate([who.workers for who in drawn])) / 6000
    assert (np.abs(shares - expected) <= 5 * np.sqrt(expected * (1 - expected) / 6000)).all()


@given(st.lists(st.floats(0.05, 1.0), min_size=3, max_size=12), st.integers(0, 10**6))
def test_systematic_draws_have_a_fixed_size(weights, seed):
    total = max(1, round(sum(weights)))
    probabilities = np.minimum(1.0, np.array(weights) / sum(weights) * total)
    if abs(probabilities.sum() - round(probabilities.sum())) > 1e-9:
        return
    drawn = participation.systematic(probabilities, np.random.default_rng(seed))
    assert len(set(drawn)) == len(drawn) == round(probabilities.sum())
    assert np.all(np.diff(drawn) > 0)


def test_uneven_work_is_uniform_over_epochs():
    drawn = rounds(1000, local__epochs=5, local__work="uniform")
    epochs = np.bincount(np.concatenate([who.epochs for who in drawn]))[1:] / 20_000
    np.testing.assert_allclose(epochs, 0.2, atol=5 * np.sqrt(0.2 * 0.8 / 20_000))
    assert all((who.epochs == 5).all() for who in rounds(3, local__epochs=5))


def test_fedpd_uploads_with_its_probability():
    drawn = rounds(4000, method="FedPD", algorithm__communication_probability=0.3)
    assert np.mean([who.uploads for who in drawn]) == pytest.approx(0.3, abs=0.04)
    assert all(who.uploads for who in rounds(20))


def test_participants_do_not_depend_on_work_or_method():
    """Streams by purpose: the same workers under one seed, whatever they do."""
    share = {"federation__participation": 0.2}
    one = rounds(5, **share)
    other = rounds(5, **share, method="FedProx", local__work="uniform", algorithm__rho=0.1)
    assert all(np.array_equal(a.workers, b.workers) for a, b in zip(one, other, strict=True))
    assert not all(np.array_equal(a.workers, b.workers) for a, b in zip(one, rounds(5, seed=1, **share), strict=True))


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
    """All workers upload in the 4 iterations of a block, of which the first costs one report of the channel more."""
    slots = costs(method="FedAvg@digital", channel__coherence_iterations=4)[0].reshape(3, 4)
    assert (slots[:, 0] > slots[:, 1]).all()
    np.testing.assert_array_equal(slots[:, 1:], slots[:, 1:2] * np.ones(3))


def test_pilots_of_all_tell_in_place_of_reports():
    """On each of the subcarriers in use, one pilot of each of 8 workers where 2 take part."""
    (_, chosen), (_, plain) = (costs(channel__coherence_iterations=4, channel__pilots=pilots) for pilots in (1, 0))
    np.testing.assert_allclose(chosen[[0, 4, 8]] - plain[1], 8 * group().uplink.in_use)
    np.testing.assert_allclose(chosen[[1, 5, 9]], plain[1])


MANY = {"method": "FedAvg", "federation.workers": 1200, "federation.participation": 0.005, "local.steps": 2}
MANY |= {"run.seeds": 1, "run.iterations": 3, "uplink.subcarriers": 16}
SOME = np.array([3, 700, 1199])
ALL = [
    {"federation.participation": 0.2},
    {"federation.workers": 1000},
    {"federation.sampling": "channel"},
    {"channel.pilots": 2},
    {"uplink.kind": "analog", "channel.phase_error_rad": 0.1},
    {"uplink.subcarriers": "one_slot"},
    {"uplink.kind": "analog", "uplink.charge_downlink": True},
]


def test_all_numbers_are_drawn_where_they_are_needed():
    few = [settings_of("digits_quickstart", MANY | keys) for keys in ({}, {"uplink.kind": "analog"}, *ALL)]
    assert [settings.few_at_a_time for settings in few] == [True] * 2 + [False] * 7


@pytest.mark.parametrize("cell", [{}, {"cell.radius_m": 300.0}, {"cell.antennas": 3}], ids=["one", "cell", "antennas"])
@pytest.mark.parametrize("fading", ["rayleigh", "jakes"])
def test_gains_of_participants_are_those_among_all_workers(fading, cell):
    air = group_of("digits_quickstart", MANY | {"channel.fading": fading, "uplink.kind": "analog"} | cell, [2]).air
    assert_close(air.alone(1, 4, workers=SOME), air.alone(1, 4)[:, SOME])
    if "cell.antennas" in cell:
        return
    few, everybody = air.shared([0, 1], 4, SOME), air.shared([0, 1], 4)
    assert_close(few.h, everybody.h[:, SOME])
    assert_close(few.mean, everybody.mean[:, SOME])


@pytest.mark.slow
def test_runs_go_on_from_checkpoints():
    work = {"local.steps": None, "local.epochs": 3, "local.work": "uniform", "local.batch_size": 1}
    goes_on(lambda: group_of("digits_quickstart", MANY | work), chunks=1)
