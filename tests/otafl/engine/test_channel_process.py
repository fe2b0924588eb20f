"""The channels of a study: what knowing them costs, what antennas bring, and limits in which nothing changes."""

import contextlib
from typing import Any

import numpy as np
import pytest

import otafl
from otafl.engine.costs import Ledger
from otafl.engine.participation import Participants
from otafl.store.identity import run_name
from tests.otafl.small import dotted, group_of

WORKERS = 5
SMALL = {"run.seeds": 2, "run.iterations": 25, "federation.workers": WORKERS, "channel.snr_db": 20.0}
EVERYBODY = Participants(np.arange(WORKERS), np.zeros(WORKERS), True)


def regression(**keys):
    return otafl.run("quickstart", SMALL | dotted(keys))


def group(**keys):
    return group_of("quickstart", SMALL | dotted(keys), range(2))


@pytest.mark.slow
def test_correlated_subcarriers_run_over_every_method_and_uplink():
    keys = {"channel__fading": "tdl", "channel__snr_db": np.inf, "run__iterations": 100}
    loss = regression(method=["A-FADMM", "D-FADMM", "A-GD"], **keys)["loss"]
    first, last = (loss.isel(iteration=part).mean("iteration") for part in (slice(5), slice(-5, None)))
    assert (last < 0.5 * first).all()


def test_pilots_of_analog_uploads_take_turns():
    """2 pilots of 5 workers on 10 subcarriers, one worker after the other: 10 slots, 100 uses, 20 dB over N0 each."""
    first, second = Ledger(group(method="A-GD", channel__pilots=2)).enter(0, EVERYBODY, 2)
    np.testing.assert_allclose(first - second, np.array([[10.0], [100.0], [100 * 1e-7], [0.0]]).repeat(2, axis=1))
    np.testing.assert_array_equal(second, Ledger(group(method="A-GD")).enter(0, EVERYBODY)[0])
    charged = regression(method="A-GD", channel__pilots=2)["channel_uses"] - regression(method="A-GD")["channel_uses"]
    np.testing.assert_array_equal(charged.isel(seed=0), 100 * (np.arange(25) // 10 + 1))


FIRST = {"cell__antennas": 2, "uplink__combiner": "first"}
P, KAPPA = "algorithm__weight_exponent", "algorithm__path_loss_compensation"
REPORTS: list[tuple[dict[str, Any], tuple, tuple, int]] = [
    ({"method": "A-GD"}, (10,), (10,), 4),
    ({"method": "A-GD"} | FIRST, (10,), (10,), 3),
    ({"method": "A-FADMM"}, (640,), (640,), 4),
    ({"method": "A-FADMM", P: 1.0}, (640,), (640,), 4),
    ({"method": "A-FADMM", P: 1.0, KAPPA: 0.5}, (640, 64), (640,), 4),
    ({"method": "A-FADMM", P: 0.0, KAPPA: 1.0}, (64,), (), 4),
    ({"method": "A-FADMM", P: 0.0}, (), (), 4),
]
"""Bits that each worker is told in the first block and in the next, and slots in which it is told α."""


@pytest.mark.parametrize(("keys", "first_bits", "next_bits", "each"), REPORTS)
def test_side_information_by_hand(keys, first_bits, next_bits, each):
    """64 bits for α in each upload, 4 slots, or 3 to two antennas; in a new block a bit, or 64 for |h|² where weights
    fade, of each of 10 subcarriers, and 64 for the mean gain once; no more with antennas that are not heard.

    Without fading, at 20 dB: a subcarrier carries log2(1 + 1500) = 10.6 bits in a slot, and each worker has 2 of them.
    """
    ledger = Ledger(group(**keys, channel__fading="none", uplink__charge_side_information=True))
    plain = Ledger(group(**keys, channel__fading="none")).enter(0, EVERYBODY)[0]
    slot_j = 10 * 100 * 15e3 * 1e-9 * 1e-3
    report = np.array([1.0, 10.0, slot_j, 0.0])[:, None].repeat(2, axis=1)
    used = 0
    for block, bits in enumerate((first_bits, next_bits)):
        first, second = ledger.enter(block, EVERYBODY, 2)
        np.testing.assert_allclose(second - plain, each * report)
        slots = np.sum(np.ceil(np.array(bits) / (2 * np.log2(1501))))
        np.testing.assert_allclose(first - second, slots * report, atol=1e-12)
        used += (first + second)[1]
        np.testing.assert_allclose(ledger.used, used)


@pytest.mark.parametrize("count", [1, 3])
def test_a_combiner_is_told_all_gains_at_all_antennas(count):
    """2·M·K·64 bits of each of 10 subcarriers for K antennas of a worker."""
    keys = {"method": "A-GD", "uplink__combiner": "principal", "uplink__charge_side_information": True}
    made = group(cell__antennas=2, cell__worker_antennas=count, **keys)
    senders = Ledger(made)._senders(0, np.array([0]), np.arange(WORKERS))
    told, expected = made.uplink.csi_report_cost(senders), made.uplink._report(2 * 2 * count * 64 * 10, senders)
    np.testing.assert_array_equal(told, expected)


def test_the_server_tells_workers_the_estimates_of_a_block():
    """A complex number of two times 64 bits for each of 10 subcarriers, radiated by the server."""
    keys = {"method": "A-FADMM", "channel__fading": "none", "channel__pilots": 1, "energy__whole": True}
    made, plain = (group(**keys, uplink__charge_side_information=on) for on in (True, False))
    more = Ledger(made).enter(0, EVERYBODY, 2) - Ledger(plain).enter(0, EVERYBODY, 2)
    told = made.uplink._report(10 * 2 * 64, Ledger(made)._senders(0, np.arange(2), np.arange(WORKERS), upload=False))
    by_name = dict(zip(Ledger(made).entered, more[0] - more[1], strict=True))
    np.testing.assert_allclose([by_name["slots"], by_name["uses"], by_name["downlink"]], told[:3])
    assert not by_name["energy"].any()
    assert not by_name["feedback"].any()


def test_those_alone_who_were_chosen_by_their_channel_are_told_it():
    """All send pilots, which takes as long whether estimates are told or not."""
    keys = {"method": "A-FADMM", "channel__fading": "none", "channel__pilots": 1, "federation__participation": 0.5}
    told = []
    for sampling in ("channel", "uniform"):
        costs = []
        for charged in (True, False):
            made = group(**keys, federation__sampling=sampling, uplink__charge_side_information=charged)
            costs.append(Ledger(made).enter(0, EVERYBODY.at(np.arange(2)))[0][0])
        told.append(costs[0] - costs[1])
    np.testing.assert_array_equal(*told)


def test_pilots_of_digital_uploads_are_sent_at_once():
    """2 pilots on each subcarrier, of its worker: 2 slots and 20 uses a block, and uploads that take longer."""
    made = group(method="D-FADMM", channel__pilots=2)
    ledger = Ledger(made)
    first, second = ledger.enter(0, EVERYBODY, 2)
    np.testing.assert_allclose(first - second, np.array([[2.0], [20.0], [20 * 1e-7], [0.0]]).repeat(2, axis=1))
    (again,) = ledger.enter(0, EVERYBODY)
    np.testing.assert_array_equal(again, second)
    assert (second[0] >= Ledger(group(method="D-FADMM")).enter(0, EVERYBODY)[0][0]).all()


def test_a_worker_sounds_the_channel_when_it_first_uploads_in_a_block():
    made = group(method="D-FADMM", channel__pilots=3)
    ledger = Ledger(made)
    some, others = (Participants(np.array(who), np.zeros(len(who)), True) for who in ([0, 1], [1, 2]))
    rows = [ledger.enter(0, one)[0] for one in (some, others, some)]
    again = [ledger.enter(0, one)[0] for one in (some, others)]
    np.testing.assert_allclose((rows[0] - again[0])[1], 3 * 10)
    np.testing.assert_allclose((rows[1] - again[1])[1], 3 * 5)
    np.testing.assert_array_equal(rows[2], again[0])
    assert (ledger.enter(1, some)[0][1] > 30).all()


@pytest.mark.parametrize("count", [1, 2])
def test_digital_uploads_use_all_antennas(count):
    """The rate is that of ‖h‖², or of the square of the largest singular value."""
    made = group(method="D-FADMM", cell__antennas=3, cell__worker_antennas=count, uplink__subcarriers=WORKERS)
    heard = made.air.alone(3, WORKERS)
    h = np.stack([one.gains(3, WORKERS) for one in made.air.fading])
    matrices = np.moveaxis(h.reshape(2, WORKERS, 3, count, WORKERS), -1, 2)
    np.testing.assert_allclose(heard, np.linalg.svd(matrices)[1][..., 0])
    own = heard[:, np.arange(WORKERS), np.arange(WORKERS)]
    bits = np.log2(1 + 100 * 15 * own**2)
    np.testing.assert_array_equal(Ledger(made).enter(3, EVERYBODY)[0][0], np.ceil(made.uplink.bits / bits).max(axis=1))


def test_one_slot_on_subcarriers_that_fade_together_is_the_least_band_that_suffices():
    made = group(method="D-FADMM", channel__fading="tdl", uplink__subcarriers="one_slot")
    uses = Ledger(made).enter(2, EVERYBODY)[0][1]

    def slowest(run, each):
        gains = made.air.alone(2, each * WORKERS)[run]
        own = [gains[worker, worker * each : (worker + 1) * each] for worker in range(WORKERS)]
        return min(np.log2(1 + 100 * 15 * np.abs(part) ** 2).sum() for part in own)

    for run in range(2):
        each = int(uses[run]) // WORKERS
        assert slowest(run, each) >= made.uplink.bits > slowest(run, each - 1)


@pytest.mark.parametrize("symbols", [1, 4])
def test_delays_are_measured_by_the_symbols_of_the_grid(symbols):
    made = group(method="A-FADMM", channel__timing_error_s=1e-4, uplink__symbols_per_slot=symbols)
    assert made.air.imperfections.symbol_s == made.uplink.grid.window_s
    assert made.uplink.grid.window_s == pytest.approx(1e-3 / symbols - 0.07 / 15e3)


IN_CELL = {"cell__radius_m": 200.0, "cell__shadowing_db": 4.0}


@pytest.mark.parametrize("fading", ["rayleigh", "rician", "jakes", "tdl"])
def test_workers_have_the_mean_gain_of_their_places(fading):
    """Over the one of the edge, where the SNR is what it is called; the same whatever fades."""
    made = group(method="A-FADMM", channel__fading=fading, **IN_CELL)
    plain = group(method="A-FADMM", channel__fading=fading)
    drop = made.air.drops[1]
    ratio = np.abs(made.air.alone(2, 4)[1] / plain.air.alone(2, 4)[1])
    over_edge = drop.gain_db + 30 + 30 * np.log10(200)
    np.testing.assert_allclose(20 * np.log10(ratio), over_edge[:, None].repeat(4, axis=1))
    np.testing.assert_array_equal(drop.places, group(method="D-FADMM", **IN_CELL).air.drops[1].places)


def test_a_link_budget_is_what_each_worker_has():
    """SNRs of digital workers by hand: 23 dBm over the subcarriers of each, path loss, and noise of -169 dBm/Hz."""
    keys = {"cell.radius_m": 200.0, "cell.snr_at": "link_budget", "channel.fading": "none", "method": "D-FADMM"}
    made = group_of("quickstart", keys | {"federation.workers": WORKERS}, range(2))
    received = 23 + np.stack([drop.gain_db for drop in made.air.drops]) - 10 * np.log10(10 / WORKERS)
    snr = 10 ** ((received + 169 - 10 * np.log10(15e3)) / 10)
    slots = np.ceil(made.uplink.bits / (10 / WORKERS * np.log2(1 + 15 * snr)))
    cost = Ledger(made).enter(0, EVERYBODY)[0]
    np.testing.assert_array_equal(cost[0], slots.max(axis=1))
    np.testing.assert_allclose(cost[2], slots.sum(axis=1) * 10**-0.7 * 1e-3)


def test_the_link_budget_is_the_same_link_as_its_snr_at_the_median():
    """But for energies, which are those that workers radiate."""
    keys = {"run.seeds": 2, "run.iterations": 25, "federation.workers": WORKERS, "method": "A-GD", "cell.radius_m": 200}
    budget = otafl.run("quickstart", keys | {"cell.snr_at": "link_budget"})
    median = 23 + 169 - 10 * np.log10(15e3) - 30 - 15 * np.log10((10**2 + 200**2) / 2)
    keys |= {"cell.snr_at": "median", "channel.snr_db": median, "uplink.power_reference": "total"}
    same = otafl.run("quickstart", keys)
    np.testing.assert_allclose(budget["loss"], same["loss"], rtol=1e-9)
    assert (budget["energy"] > 0).all()


@pytest.mark.slow
def test_a_sector_of_3gpp_and_a_file(tmp_path, monkeypatch):
    pytest.importorskip("sionna.phy")
    keys = {"method": "D-FADMM", "channel__fading": "umi", "cell__most_loss_db": 100.0}
    assert np.isfinite(regression(**keys)["time_slots"]).all()
    monkeypatch.chdir(tmp_path)
    names = set()
    for scale in (1.0, 2.0):
        np.savez("h.npz", h=scale * np.ones((3, WORKERS, 1, 10), complex))
        names.add(run_name(group(method="A-FADMM", channel__fading="file", channel__file="h.npz").settings, 0))
    assert len(names) == 2
    assert np.isfinite(regression(method="A-FADMM", channel__fading="file", channel__file="h.npz")["loss"]).all()


def test_estimates_in_a_cell_know_how_weak_each_worker_is():
    """The variance of errors is β/(1 + E·β) at each place, by many blocks."""
    made = group(method="D-FADMM", channel__pilots=1, channel__pilot_snr_db=10.0, **IN_CELL)
    beta = 10 ** ((made.air.drops[0].gain_db + 30 + 30 * np.log10(200)) / 10)
    np.testing.assert_allclose(made.air.errors[0, :, 0], beta / (1 + 10 * beta))
    errors = [made.air.alone(block, 50)[0] - made.air.fading[0].gains(block, 50)[:, 0] for block in range(60)]
    found = np.mean(np.abs(errors) ** 2, axis=(0, 2))
    np.testing.assert_allclose(found, made.air.errors[0, :, 0], rtol=5 / np.sqrt(3000))


@pytest.mark.parametrize("at_server", [1, 2])
def test_each_antenna_of_a_worker_has_pilots_of_its_own(at_server):
    keys = {"method": "D-FADMM", "channel__pilots": 2, "cell__antennas": at_server}
    groups = (group(cell__worker_antennas=n, **keys) for n in (1, 3))
    rows = (Ledger(made).enter(0, EVERYBODY, 2) for made in groups)
    one, three = ((first - second)[:, 0] for first, second in rows)
    np.testing.assert_allclose(three, 3 * one)


@pytest.mark.parametrize(("downlink", "fits"), [("analog", True), ("digital", False)])
def test_digital_broadcasts_alone_need_a_file_of_the_whole_band(downlink, fits, tmp_path, monkeypatch):
    """Uploads and analog broadcasts of 10 elements have 10 subcarriers of 64."""
    monkeypatch.chdir(tmp_path)
    np.savez("h.npz", h=np.ones((3, WORKERS, 1, 10), complex))
    keys = {"channel__fading": "file", "channel__file": "h.npz", "energy__whole": True, "uplink__downlink": downlink}
    refused = pytest.raises(otafl.OtaflError, match="has 10 subcarriers, but 64 are in use")
    with contextlib.nullcontext() if fits else refused:
        Ledger(group(method="A-FADMM", uplink__subcarriers=64, **keys)).enter(0, EVERYBODY, 1)
