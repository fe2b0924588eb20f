"""The ledger against costs counted by hand; codes and allocations by closed forms on flat channels, and limits."""

import numpy as np
import pytest

import otafl
from otafl.channels.codes import Normal, dispersion, nr
from otafl.engine.account import Account
from otafl.engine.costs import COSTS, SLOTS, USES, Ledger
from otafl.engine.group import Group
from otafl.engine.participation import Participants, everybody
from otafl.errors import OtaflError
from tests.otafl.engine.test_curves import run
from tests.otafl.small import costs_of, dotted, group_of, settings_of

SYNTHETIC = {"problem.dataset": "synthetic", "problem.samples": 60, "problem.dimension": 5}
ENERGY = 2
FOUR = SYNTHETIC | {"federation.workers": 4, "uplink.subcarriers": 2, "channel.fading": "none", "channel.snr_db": 10.0}


def four(method: str = "A-FADMM", **keys) -> Group:
    """Runs of 4 workers and 5 elements on 2 subcarriers without fading."""
    return group_of("quickstart", FOUR | {"method": method} | dotted(keys))


def six(**keys) -> Group:
    """A run of 6 workers that send 5 elements of 32 bits each."""
    return group_of("quickstart", SYNTHETIC | {"federation.workers": 6, "method": "D-FADMM"} | dotted(keys), [2])


def cost_of_one(group: Group, block: int) -> np.ndarray:
    """Slots, uses, energy and elements of one upload by all workers of a group of one run."""
    return Ledger(group).enter(block, everybody(group.settings))[0, :, 0]


READINGS = [(1, 1.0, 1.0), (14, 14.0, 14.0), ("as_printed", 15.0, 1.0)]
"""``uplink.symbols_per_slot``, the symbols that carry bits in a slot of a subcarrier, and the uses that it counts."""


@pytest.mark.parametrize(("symbols", "carry", "count"), READINGS)
@pytest.mark.parametrize("reference", ["subcarrier", "total"])
@pytest.mark.parametrize("subcarriers", [1, 3, 40])
def test_digital_ledger_against_slot_by_slot_transmission(subcarriers, reference, symbols, carry, count):
    """Workers send slot by slot on their interval of the band until all bits are through. Each symbol has the energy
    P·T/q, P of a subcarrier or shared by all of a worker's, against N0."""
    keys = {"uplink__subcarriers": subcarriers, "uplink__symbols_per_slot": symbols}
    group = six(**keys, uplink__power_reference=reference, channel__snr_db=3.0)
    power = 10**0.3 * 15e3 * 1e-9 / (subcarriers / 6 if reference == "total" else 1)
    ratio = power * 1e-3 / carry / 1e-9
    slots, uses, energy, elements = cost_of_one(group, block=4)

    gains = np.abs(group.air.alone(4, subcarriers)[0]) ** 2
    expected_slots, expected_uses = 0, 0.0
    for worker in range(6):
        low, high = worker * subcarriers / 6, (worker + 1) * subcarriers / 6
        overlap = [max(0.0, min(high, k + 1) - max(low, k)) for k in range(subcarriers)]
        sent, worker_slots = 0.0, 0
        while sent < 32 * 5:
            worker_slots += 1
            for k in range(subcarriers):
                sent += overlap[k] * carry * np.log2(1 + ratio * gains[worker, k])
        expected_slots = max(expected_slots, worker_slots)
        expected_uses += worker_slots * subcarriers / 6
    assert elements == 6 * 5
    assert slots == expected_slots
    assert uses == pytest.approx(count * expected_uses)
    assert energy == pytest.approx(expected_uses * power * 1e-3)


@pytest.mark.parametrize(("symbols", "carry", "count"), READINGS)
def test_one_slot_uploads_against_one_subcarrier_after_the_other(symbols, carry, count):
    group = six(uplink__subcarriers="one_slot", uplink__symbols_per_slot=symbols, channel__snr_db=0.0)
    slots, uses, energy, _ = cost_of_one(group, block=0)
    slowest = 0
    for gains in np.abs(group.air.alone(0, 64)[0]) ** 2:
        sent, taken = 0.0, 0
        while sent < 32 * 5:
            sent += carry * np.log2(1 + 15 / carry * gains[taken])
            taken += 1
        slowest = max(slowest, taken)
    assert (slots, uses) == (1, count * 6 * slowest)
    assert energy == pytest.approx(6 * slowest * 15e3 * 1e-9 * 1e-3)


@pytest.mark.parametrize("method", ["A-FADMM", "D-FADMM"])
def test_one_symbol_a_slot_is_the_printed_reading_of_slots_of_one_symbol(method):
    """Two routes: W·T = 15 times the energy on one symbol, or slots 15 times as short at 15 times the power."""
    one = run({"method": method, "channel.snr_db": 3.0})
    short = {"uplink.slot_s": 1 / 15e3, "uplink.symbols_per_slot": "as_printed"}
    other = run({"method": method, "channel.snr_db": 3.0 + 10 * np.log10(15)} | short)
    for name in ("loss", "time_slots", "channel_uses", "energy"):
        np.testing.assert_allclose(one[name], other[name], rtol=1e-6)


@pytest.mark.parametrize("pilots", [0, 2])
@pytest.mark.parametrize("fading", ["rayleigh", "tdl"])
def test_an_upload_that_takes_more_than_the_limit_ends_the_run(fading, pilots):
    """Where an upload of one slot would need more subcarriers than there are uses left, they are not counted out."""
    keys = {"method": "D-FADMM", "channel.fading": fading, "channel.snr_db": -20.0, "uplink.subcarriers": "one_slot"}
    keys |= {"channel.pilots": pilots} if pilots else {}
    limited = run(keys | {"run.max_channel_uses": 900.0})
    assert limited["loss"].isnull().all()
    assert (limited["outcome"] == "completed").all()


def some(*workers: int, uploads: bool = True) -> Participants:
    return Participants(np.array(workers), np.zeros(len(workers), np.int32), uploads)


def test_participants_of_every_iteration_are_charged():
    """Analog: ⌈5/2⌉ slots and 5 uses whoever speaks, elements by who does; nothing without upload."""
    group = four()
    ledger = Ledger(group)
    entries = [
        ledger.enter(0, some(0, 1, 2, 3), times=2),
        ledger.enter(0, some(1, 3)),
        ledger.enter(1, some(2), times=1),
        ledger.enter(1, some(0, 1, 2, 3, uploads=False)),
    ]
    costs = Account(group).add(np.concatenate(entries), np.array([[1.0], [2.0], [4.0], [8.0], [0.0]]))
    np.testing.assert_array_equal(costs["time_slots"][:, 0], [3, 6, 9, 12, 12])
    np.testing.assert_array_equal(costs["channel_uses"][:, 0], [5, 10, 15, 20, 20])
    np.testing.assert_array_equal(costs["uplink_elements"][:, 0], [20, 40, 50, 55, 55])
    np.testing.assert_array_equal(costs["energy"][:, 0], [1, 3, 7, 15, 15])


def test_digital_participants_share_the_band():
    """Without fading a use carries log2(1 + 15·SNR) bits: the fewer send, the sooner all are through."""
    ledger = Ledger(four("D-FADMM"))
    costs = np.concatenate([ledger.enter(0, who)[..., 0] for who in (some(0, 1, 2, 3), some(0, 2), some(3))])
    bits_per_slot = 2 * np.log2(151)
    slots = np.array([np.ceil(160 * number / bits_per_slot) for number in (4, 2, 1)])
    np.testing.assert_array_equal(costs[:, SLOTS], slots)
    np.testing.assert_allclose(costs[:, USES], 2 * slots)
    np.testing.assert_allclose(costs[:, ENERGY], 2 * slots * 10 * 15e3 * 1e-9 * 1e-3)


def test_finished_runs_are_charged_no_more():
    """Of two SNRs the lower one uses up its channel uses first; the other goes on, and what is beyond is NaN."""
    keys = {"run__max_channel_uses": 40.0, "uplink__symbols_per_slot": "as_printed"}
    group = four("D-FADMM", channel__snr_db=[0.0, 20.0], **keys)
    uses = [2 * np.ceil(4 * 160 / (30 * np.log2(1 + 10 ** (db / 10)))) for db in (0, 20)]
    assert uses == [44, 8]
    ledger, finished, entries = Ledger(group), [], []
    for _ in range(6):
        finished.append(ledger.finished.tolist())
        entries.append(ledger.enter(0, some(0, 1, 2, 3)))
    assert finished == [[False, False]] + [[True, False]] * 4 + [[True, True]]
    costs = Account(group).add(np.concatenate(entries), np.zeros((6, 2)))
    assert np.isnan(costs["channel_uses"][:, 0]).all()
    np.testing.assert_array_equal(costs["channel_uses"][:, 1], [8, 16, 24, 32, 40, np.nan])
    assert all(np.array_equal(np.isnan(curve), np.isnan(costs["channel_uses"])) for curve in costs.values())


FLAT = {"method": "D-FADMM", "channel.fading": "none", "channel.snr_db": 10.0, "run.seeds": 1, "run.iterations": 3}
CAPACITY = np.log2(1 + 10.0 * 15)
"""Bits of the one symbol that a subcarrier carries in a slot."""


def first(**keys):
    costs = costs_of(group_of("quickstart", FLAT | dotted(keys)), 1)
    return dict(zip(COSTS.values(), costs[0, : len(COSTS), 0], strict=True))


@pytest.mark.parametrize("error", [1e-5, 1e-1])
def test_slots_of_codewords_on_a_flat_channel(error):
    """b = n·C - √(nV)·Q⁻¹(ε) solved for the symbols n of a worker's S/N subcarriers, and 1/(1 - ε) times that in uses
    and energy; the upload ends with the last of N workers."""
    point = settings_of("quickstart", FLAT)
    share = int(point.uplink.subcarriers) / point.federation.workers
    bits = 32 * 10
    code, spread = Normal(error), dispersion(np.array(CAPACITY))
    once = np.ceil(code.length(bits, np.array(share * CAPACITY), share * spread))
    last, slots = np.sum(1 - (1 - error ** np.arange(100.0)) ** point.federation.workers), once / (1 - error)
    costs = first(uplink__code="normal", uplink__block_error=error)
    assert costs["time_slots"] == pytest.approx(once * last)
    assert costs["channel_uses"] == pytest.approx(slots * point.uplink.subcarriers)
    assert costs["energy"] == pytest.approx(slots * int(point.uplink.subcarriers) * 10 * 15e3 * 1e-9 * 1e-3)


def test_who_shares_the_band_better_ends_sooner():
    keys = {"channel__fading": "rayleigh", "channel__snr_db": 0.0}
    slots = {kind: first(uplink__allocation=kind, **keys)["time_slots"] for kind in ("equal", "min_makespan")}
    assert slots["min_makespan"] < 0.7 * slots["equal"]


def test_a_codeword_through_several_blocks_is_that_of_one_where_nothing_changes():
    """Jakes fading at a speed of nothing, on a clock of blocks that are shorter than an upload."""
    keys = {"channel__fading": "jakes", "channel__speed_m_s": 0.0, "uplink__code": "normal"}
    assert first(**keys)["time_slots"] == first(**keys, channel__coherence_s=5e-3)["time_slots"]


def test_without_noise_an_estimation_error_is_all_that_limits_a_rate():
    """log2(1 + |ĥ|²/σ²): what the rate comes to as the SNR grows, the pilots' own SNR left as it is."""
    keys = {"channel__fading": "rayleigh", "channel__pilots": 2}
    assert first(**keys, channel__snr_db=np.inf)["time_slots"] == first(**keys, channel__snr_db=200.0)["time_slots"]


def test_schemes_of_nr_are_slower_than_capacity_and_refused_below_their_tables():
    """Slots are b over S/N subcarriers of their goodput; at -2 dB a symbol, not at -2.1."""
    pytest.importorskip("sionna.sys", reason="sionna cannot be imported")
    low = {"channel__snr_db": 0.0, "uplink__code": "nr", "uplink__block_error": 0.1}
    slots = np.ceil(32 * 10 / (0.5 * nr.goodput(np.log2(1 + np.array(15.0)), 0.1)))
    assert first(**low)["time_slots"] == pytest.approx(slots)
    assert first(channel__snr_db=0.0)["time_slots"] < 0.9 * slots
    lowest = nr.LEAST_DB - 10 * np.log10(15)
    otafl.load("quickstart", FLAT | {"uplink.code": "nr", "channel.snr_db": lowest + 1e-6})
    with pytest.raises(OtaflError, match=r"needs symbols with an SNR of at least -2 dB, .* gives -2\.1 dB"):
        otafl.load("quickstart", FLAT | {"uplink.code": "nr", "channel.snr_db": lowest - 0.1})
