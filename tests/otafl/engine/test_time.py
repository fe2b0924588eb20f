"""Time in seconds, counted by hand: slots, computation, broadcast, and rounds that end by a deadline."""

from itertools import islice
from typing import Any

import numpy as np
import pytest

import otafl
from otafl.engine import duration
from otafl.engine.coherence_blocks import segments
from otafl.engine.costs import Ledger
from otafl.engine.draws import Draws
from otafl.engine.group import Group
from otafl.engine.participation import Participants
from tests.otafl.small import SMALL, dotted, group_of
from tests.rounding import assert_close

SLOT_S = 2e-3
FLAT: dict[str, Any] = SMALL | {
    "method": "D-FADMM",
    "federation.workers": 4,
    "channel.fading": "none",
    "channel.snr_db": 10.0,
    "uplink.subcarriers": 2,
    "uplink.slot_s": SLOT_S,
    "run.iterations": 6,
    "run.seeds": 2,
}
"""4 elements of 4 workers on 2 subcarriers without fading: 2 slots over the air."""
BY_CLOCK = {
    "local.compute_s": "by_clock",
    "energy.cycles_per_sample": 1e6,
    "energy.clock_hz": 1e9,
    "energy.clock_spread": 0.8,
}
RATE = 2 * np.log2(1 + 10 * 15e3 * SLOT_S)
"""Bits of a slot on both subcarriers, of one symbol each."""
DIGITAL_SLOTS = np.ceil(4 * 4 * 32 / RATE)
ITERATIONS = np.arange(1, 7)


def run(**keys):
    return otafl.run("quickstart", FLAT | dotted(keys))


def group(seed: int = 0, **keys) -> Group:
    return group_of("quickstart", FLAT | dotted(keys), [seed])


def seconds(data) -> np.ndarray:
    return data["time"].squeeze().values


def u(seed: int, spread: float = 0.8) -> np.ndarray:
    return duration.clock_shares(group(**BY_CLOCK | {"energy__clock_spread": spread}).settings, seed)


@pytest.mark.parametrize(("method", "slots"), [("A-FADMM", 2), ("D-FADMM", DIGITAL_SLOTS)])
@pytest.mark.parametrize("compute_s", [0.0, 0.25])
def test_an_iteration_is_its_slots_and_its_computation(method, slots, compute_s):
    data = run(method=method, local__compute_s=compute_s)
    np.testing.assert_allclose(seconds(data), np.tile(ITERATIONS * (slots * SLOT_S + compute_s), (2, 1)), rtol=1e-12)
    np.testing.assert_array_equal(data["time_slots"].squeeze(), np.tile(ITERATIONS * slots, (2, 1)))
    assert data["time"].attrs == {"units": "s", "long_name": "Time"}


def test_pilots_and_reports_take_their_slots():
    """Analog: 3 pilots of 4 workers in turn at the start, 12 slots, then estimates of two numbers on 2 subcarriers for
    each, ⌈4·256/RATE⌉ slots, and with every upload a report of 64 bits of each, ⌈4·64/RATE⌉ slots. Digital: 3 slots of
    pilots at once."""
    keys = {"channel__pilots": 3, "channel__pilot_snr_db": 300.0}
    report, told = np.ceil(4 * 64 / RATE), np.ceil(4 * 256 / RATE)
    data = run(method="A-FADMM", **keys, uplink__charge_side_information=True)
    np.testing.assert_allclose(seconds(data)[0], (ITERATIONS * (2 + report) + 12 + told) * SLOT_S, rtol=1e-12)
    np.testing.assert_allclose(seconds(run(**keys))[0], (ITERATIONS * DIGITAL_SLOTS + 3) * SLOT_S, rtol=1e-12)


def test_pilots_take_time_in_every_block_also_beside_a_charged_broadcast():
    keys = {"channel__fading": "rayleigh", "channel__pilots": 3, "channel__coherence_iterations": 2.0}
    data = run(method="A-FADMM", **keys)
    sounded = np.repeat([1, 2, 3], 2) * 12
    np.testing.assert_allclose(seconds(data)[0], (2 * ITERATIONS + sounded) * SLOT_S, rtol=1e-12)
    charged = run(method="A-FADMM", **keys, uplink__charge_downlink=True)
    heard = np.diff(seconds(charged)[0] / SLOT_S - 2 * ITERATIONS - sounded, prepend=0)
    np.testing.assert_allclose(heard, np.repeat(np.maximum(heard[::2].round(), 1), 2), atol=1e-9)


def test_a_charged_broadcast_takes_time_and_no_slots_of_the_uplink():
    """To all, at their common rate, 4·64 bits on both subcarriers."""
    for method, slots in (("A-FADMM", 2), ("D-FADMM", DIGITAL_SLOTS)):
        charged, free = run(method=method, uplink__charge_downlink=True), run(method=method)
        heard = np.ceil(4 * 64 / RATE)
        np.testing.assert_allclose(seconds(charged)[0], ITERATIONS * (slots + heard) * SLOT_S, rtol=1e-12)
        for name in ("loss", "time_slots", "channel_uses", "energy"):
            assert_close(charged[name], free[name], name=name)


def test_the_energy_of_a_charged_broadcast_is_that_of_the_same_one():
    """To all workers: idle ones may be the weakest."""
    keys = {"method": "A-FADMM", "channel__fading": "rayleigh", "federation__participation": 0.25}
    charged = run(**keys, energy__whole=True, uplink__charge_downlink=True)["energy_downlink"].diff("iteration")
    free = run(**keys, energy__whole=True)["energy_downlink"].diff("iteration")
    assert (charged >= free * (1 - 1e-12)).all()
    assert (charged > free * 1.01).any()


def test_an_analog_broadcast_takes_as_many_slots_as_an_upload():
    data = run(method="A-FADMM", uplink__downlink="analog", uplink__charge_downlink=True)
    np.testing.assert_allclose(seconds(data)[0], ITERATIONS * 4 * SLOT_S, rtol=1e-12)


@pytest.mark.parametrize("snr_db", [0.0, np.inf])
def test_the_weakest_of_all_workers_decides_on_the_broadcast(snr_db):
    """Idle workers listen, too. Without noise a broadcast takes one slot."""
    made = group(
        method="A-FADMM",
        channel__fading="rayleigh",
        channel__snr_db=snr_db,
        uplink__charge_downlink=True,
        federation__participation=0.5,
    )
    ledger, gains = Ledger(made), np.abs(made.air.alone(0, 2)[0]) ** 2
    weakest = int(np.log2(1 + 30 * gains).sum(axis=-1).argmin())
    others = np.delete(np.arange(4), weakest)[:2]
    row = ledger.enter(0, Participants(others, np.zeros(2, np.int32), True))[0, :, 0]
    slots = np.ceil(4 * 64 / np.log2(1 + 30 * gains[weakest]).sum()) if np.isfinite(snr_db) else 1
    assert row[ledger.entered.index("time")] == pytest.approx((row[0] + slots) * SLOT_S)


def test_clocks_are_uniform_and_a_worker_s_own():
    settings = group(**BY_CLOCK).settings
    drawn = np.concatenate([duration.clock_shares(settings, seed) for seed in range(400)])
    assert (drawn.min(), drawn.max()) == (pytest.approx(0.2, abs=0.01), pytest.approx(1.0, abs=0.01))
    assert drawn.mean() == pytest.approx(0.6, abs=5 * 0.8 / np.sqrt(12 * 1600))
    np.testing.assert_array_equal(u(3, spread=0.0), np.ones(4))
    more = duration.clock_shares(group(**BY_CLOCK, federation__workers=7).settings, 0)
    np.testing.assert_array_equal(more[:4], u(0))


def test_by_clock_a_round_waits_for_its_slowest_participant():
    """300 samples of 4 workers: 75·1e6/(1e9·u_n) seconds each, under each seed its own clocks; κ·C·f_n² a sample."""
    data = run(**BY_CLOCK, energy__whole=True)
    for seed in range(2):
        slowest = 75 * 1e6 / (1e9 * u(seed).min())
        np.testing.assert_allclose(seconds(data)[seed], ITERATIONS * (DIGITAL_SLOTS * SLOT_S + slowest), rtol=1e-12)
        joules = 75 * 1e-28 * 1e6 * np.sum((1e9 * u(seed)) ** 2)
        np.testing.assert_allclose(data["energy_computation"].squeeze()[seed], ITERATIONS * joules, rtol=1e-12)
    assert (data["total_energy"] > data["energy_computation"]).all()
    made = group(**BY_CLOCK)
    row = Ledger(made).enter(0, Participants(np.array([1, 3]), np.zeros(2, np.int32), True))[0, :, 0]
    assert row[-1] == pytest.approx(row[0] * SLOT_S + 75 * 1e6 / (1e9 * u(0)[[1, 3]].min()))


def test_the_channel_s_clock_is_the_same_one():
    """Blocks by the time of each upload's start, and ends that add up to ``time``."""
    keys = BY_CLOCK | {"federation__participation": 0.5, "uplink__charge_downlink": True}
    made = group(**keys, channel__fading="rayleigh", channel__coherence_s=0.3)
    draws = Draws(made)
    now = 0.0
    for part in islice(segments(20, 1.0, 1), 20):
        done = draws.done(part)
        computed = 75 * 1e6 / (1e9 * u(0)[done.who[0].workers].min())
        assert done.part.block == int((now + computed) / 0.3)
        now += done.costs[0, -1, 0]
        assert draws.ledger.clock.now_s == pytest.approx(now, rel=1e-12)
        assert done.costs[0, -1, 0] > computed + done.costs[0, 0, 0] * SLOT_S
    assert done.part.block > 5


def late(data) -> list[int]:
    return np.diff(data["late_workers"].squeeze().values[0], prepend=0).astype(int).tolist()


def test_late_analog_workers_are_left_out_and_counted():
    """An upload lasts 2 slots for all, so those are late whose own computation ends less than that before."""
    ends = 75 * 1e6 / (1e9 * u(0)) + 2 * SLOT_S
    second = np.sort(ends)[1]
    data = run(method="A-FADMM", **BY_CLOCK, federation__deadline_s=second, run__seeds=1, run__seed=0)
    np.testing.assert_array_equal(data["late_workers"].squeeze(), 2 * ITERATIONS)
    np.testing.assert_allclose(data["time"].squeeze(), ITERATIONS * second, rtol=1e-12)
    np.testing.assert_array_equal(data["uplink_elements"].squeeze(), ITERATIONS * 2 * 4)
    assert data["late_workers"].attrs == {"units": "worker", "long_name": "Late workers"}


def test_a_deadline_that_all_meet_changes_nothing():
    kept, plain = run(method="A-FADMM", federation__deadline_s=2 * SLOT_S), run(method="A-FADMM")
    assert (kept["late_workers"] == 0).all()
    for name in ("time", "time_slots", "channel_uses", "uplink_elements"):
        np.testing.assert_array_equal(kept[name], plain[name])
    np.testing.assert_allclose(kept["loss"], plain["loss"], rtol=1e-9)


@pytest.mark.parametrize("method", ["A-FADMM", "D-FADMM"])
def test_if_all_are_late_the_fastest_one_stays(method):
    data = run(method=method, **BY_CLOCK, federation__deadline_s=SLOT_S)
    np.testing.assert_array_equal(data["late_workers"].squeeze(), np.tile(3 * ITERATIONS, (2, 1)))
    alone = 2 if method == "A-FADMM" else np.ceil(4 * 32 / RATE)
    for seed in range(2):
        fastest = 75 * 1e6 / (1e9 * u(seed).max())
        np.testing.assert_allclose(seconds(data)[seed], ITERATIONS * (alone * SLOT_S + fastest), rtol=1e-12)


def test_late_digital_workers_go_by_their_own_slots_and_leave_their_band_to_the_others():
    """The latest one is left out until nobody is late; by hand, with gains of the block."""
    keys = {"channel__fading": "rayleigh", "uplink__subcarriers": 4, "channel__coherence_iterations": 1.0}
    deadline = 20 * SLOT_S
    made = group(**keys, federation__deadline_s=deadline, local__compute_s=2 * SLOT_S)
    draws, counted = Draws(made), set()
    for part in segments(40, 1.0, 1):
        gains = np.abs(made.air.alone(part.block, 4)[0]) ** 2
        kept, drawn = [0, 1, 2, 3], draws.done(part)
        while len(kept) > 1:
            share = 4 / len(kept)
            slots = []
            for place, worker in enumerate(kept):
                low, high = place * share, (place + 1) * share
                own = [max(0.0, min(high, k + 1) - max(low, k)) for k in range(4)]
                slots.append(np.ceil(4 * 32 / np.dot(own, np.log2(1 + 300 * gains[worker]))))
            if 2 + max(slots) <= 20:
                break
            kept.pop(int(np.argmax(slots)))
        assert drawn.who[0].workers.tolist() == kept
        assert drawn.who[0].late == 4 - len(kept) == drawn.costs[0, -1, 0]
        assert len(kept) == 1 or drawn.costs[0, 0, 0] <= 18
        counted.add(len(kept))
    assert len(counted) > 1


def test_a_deadline_and_outage_leave_out_workers_one_after_the_other():
    data = run(**BY_CLOCK, uplink__outage=0.25, federation__deadline_s=SLOT_S)
    np.testing.assert_array_equal(data["late_workers"].squeeze(), np.tile(2 * ITERATIONS, (2, 1)))


def test_late_workers_of_networks_do_not_train():
    keys = {"method": "FedAvg@analog", "federation.workers": 6, "run.iterations": 3, "run.seeds": 1, "local.epochs": 1}
    keys |= BY_CLOCK | {"federation.participation": 0.67}
    made = group_of("digits_quickstart", keys | {"federation.deadline_s": 0.6, "uplink.subcarriers": 10**4})
    draws = Draws(made)
    done = [draws.done(part) for part in segments(3, 1.0, 1)]
    *_, sent, seconds, missed = np.concatenate([part.costs for part in done])[..., 0].T
    assert [len(part.who[0].workers) for part in done] == (4 - missed).tolist()
    np.testing.assert_allclose(sent, made.elements * (4 - missed))
    assert 0 < missed.sum() < 12
    assert (seconds <= 0.6).all()


def test_a_run_by_clock_goes_on_from_where_it_stood(tmp_path, monkeypatch):
    keys = BY_CLOCK | {"federation__deadline_s": 0.3, "channel__coherence_s": 0.5, "channel__fading": "rayleigh"}
    whole = run(**keys, run__iterations=9)
    monkeypatch.setenv("OTAFL_STORE_DIR", str(tmp_path))
    run(**keys, run__iterations=5)
    longer = run(**keys, run__iterations=9)
    for name in ("loss", "time", "late_workers", "time_slots"):
        np.testing.assert_array_equal(longer[name], whole[name])
