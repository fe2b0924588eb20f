"""The channels of a study: what knowing them costs, what antennas bring, and limits in which nothing changes."""

import contextlib
from typing import Any

import numpy as np
import pytest

import otafl
from otafl.channels import antennas
from otafl.engine.costs import Ledger
from otafl.engine.draws import Draws
from otafl.engine.group import Group
from otafl.engine.participation import Participants
from otafl.engine.run_spec import RunSpec
from otafl.store.identity import run_name
from tests.otafl.small import dotted, group_of

WORKERS = 5
SMALL = {"run.seeds": 2, "run.iterations": 25, "federation.workers": WORKERS, "channel.snr_db": 20.0}
LEARNING = {
    "run.seeds": 1,
    "run.iterations": 6,
    "federation.workers": WORKERS,
    "local.steps": 3,
}
FADINGS, BRIEF = ("none", "rayleigh", "rician", "jakes", "tdl"), ("rician", "tdl")
FOUND = ("cdl", "umi", "uma", "rma", "raytraced")
IMPERFECT: list[dict[str, Any]] = [
    {"channel__pilots": 1},
    {"channel__phase_error_rad": 0.1},
    {"channel__timing_error_s": 1e-5},
    {"channel__coherence_s": 2e-3},
    {"cell__antennas": 2, "uplink__combiner": "principal"},
    {"cell__antennas": 2, "uplink__combiner": "max_min"},
    {"cell__worker_antennas": 2},
    {"cell__radius_m": 250.0},
    {"uplink__charge_side_information": True},
    {"uplink__peak_backoff_db": 3.0},
]
ANALOG = ["A-SFADMM", "FedAvg@analog", "SCAFFOLD@analog", "SCAFFOLD@digital"]


def regression(**keys):
    return otafl.run("quickstart", SMALL | dotted(keys))


def learning(**keys):
    return otafl.run("digits_quickstart", LEARNING | dotted(keys))


@pytest.fixture(scope="module")
def plain():
    return regression(method="A-FADMM")


def group(**keys):
    return group_of("quickstart", SMALL | dotted(keys), range(2))


@pytest.mark.parametrize(
    "fading", [name if name in BRIEF else pytest.param(name, marks=pytest.mark.slow) for name in FADINGS]
)
def test_every_model_runs_over_every_method_and_uplink(fading):
    keys = {"channel__fading": fading, "channel__snr_db": np.inf, "run__iterations": 200}
    loss = regression(method=["A-FADMM", "D-FADMM", "A-GD"], **keys)["loss"]
    first, last = (loss.isel(iteration=part).mean("iteration") for part in (slice(5), slice(-5, None)))
    assert (last < 0.5 * first).all()


@pytest.mark.slow
@pytest.mark.parametrize("fading", [*FOUND, "jakes", "rician", "tdl"])
def test_every_model_that_takes_long_runs_over_the_four_methods_too(fading):
    keys = {"channel__fading": fading} | ({"cell__most_loss_db": 200.0} if fading in FOUND[1:] else {})
    assert np.isfinite(regression(method=["A-FADMM", "D-FADMM"], **keys)["loss"]).all()
    assert np.isfinite(learning(method=ANALOG, **keys)["loss"]).all()


@pytest.mark.slow
@pytest.mark.parametrize("keys", IMPERFECT)
def test_every_imperfection_and_antenna_runs_over_the_four_methods(keys):
    assert np.isfinite(regression(method="A-FADMM", **keys)["loss"]).all()
    assert np.isfinite(learning(method=ANALOG[:3], **keys)["loss"]).all()


@pytest.mark.parametrize(
    "small",
    [
        {"channel__pilots": 1, "channel__pilot_snr_db": 200.0},
        {"channel__phase_error_rad": 1e-7},
        {"channel__timing_error_s": 1e-14},
        {"uplink__peak_backoff_db": 13.0},
        {"channel__fading": "rician", "channel__rician_k_db": -200.0},
    ],
)
def test_results_are_continuous_in_imperfections(small, plain):
    np.testing.assert_allclose(plain["loss"], regression(method="A-FADMM", **small)["loss"], rtol=1e-4)


WORSE = {
    "channel.pilots": [1000, 1],
    "channel.phase_error_rad": [0.01, 0.3],
    "channel.timing_error_s": [1e-8, 2e-6, 1e-5],
    "uplink.peak_backoff_db": [6.0, 0.0],
}


@pytest.mark.parametrize(("key", "values"), WORSE.items())
def test_more_of_an_imperfection_is_worse(key, values):
    """A-FADMM's floor without noise, three times as high at least with each step."""
    keys = {"method": "A-FADMM", "channel.snr_db": np.inf, "run.iterations": 100, key: values}
    floor = otafl.run("quickstart", SMALL | keys)["loss"].isel(iteration=slice(50, None)).mean(("seed", "iteration"))
    assert (floor[1:].values > 3 * floor[:-1].values).all()


def test_pilots_of_analog_uploads_take_turns():
    """2 pilots of 5 workers on 10 subcarriers, one worker after the other: 10 slots, 100 uses, 20 dB over N0 each."""
    ledger, who = Ledger(group(method="A-GD", channel__pilots=2)), Participants(np.arange(WORKERS), np.zeros(5), True)
    first, second = ledger.enter(0, who, 2)
    np.testing.assert_allclose(first - second, np.array([[10.0], [100.0], [100 * 1e-7], [0.0]]).repeat(2, axis=1))
    plain = Ledger(group(method="A-GD")).enter(0, who)[0]
    np.testing.assert_array_equal(second, plain)
    charged = regression(method="A-GD", channel__pilots=2)["channel_uses"] - regression(method="A-GD")["channel_uses"]
    np.testing.assert_array_equal(charged.isel(seed=0), 100 * (np.arange(25) // 10 + 1))


# Without fading, at 20 dB: a subcarrier carries log2(1 + 1500) = 10.6 bits in a slot, and each worker has 2 of them.
FIRST = {"cell__antennas": 2, "uplink__combiner": "first"}
REPORTS: list[tuple[dict[str, Any], int, int, int]] = [
    ({"method": "A-GD"}, 10, 1, 4),
    ({"method": "A-GD"} | FIRST, 10, 1, 3),
    ({"method": "A-FADMM"}, 10 * 64, 31, 4),
]


@pytest.mark.parametrize(("keys", "bits", "slots", "each"), REPORTS)
def test_side_information_by_hand(keys, bits, slots, each):
    """64 bits for α in each upload, 4 slots, or 3 to two antennas; in a new block a bit, or 64 for |h|², of each of 10
    subcarriers, and no more with antennas that are not heard."""
    assert slots == np.ceil(bits / (2 * np.log2(1501)))
    made = group(**keys, channel__fading="none", uplink__charge_side_information=True)
    ledger, who = Ledger(made), Participants(np.arange(WORKERS), np.zeros(WORKERS), True)
    first, second = ledger.enter(0, who, 2)
    plain = Ledger(group(**keys, channel__fading="none")).enter(0, who)[0]
    slot_j = 10 * 100 * 15e3 * 1e-9 * 1e-3
    report = np.array([1.0, 10.0, slot_j, 0.0])[:, None].repeat(2, axis=1)
    np.testing.assert_allclose(second - plain, each * report)
    np.testing.assert_allclose(first - second, slots * report)
    np.testing.assert_allclose(ledger.used, (first + second)[1])


def test_a_combiner_is_told_all_gains_at_all_antennas():
    """2·M·64 bits of each of 10 subcarriers."""
    made = group(method="A-GD", cell__antennas=2, uplink__combiner="principal", uplink__charge_side_information=True)
    senders = Ledger(made)._senders(0, np.array([0]), np.arange(WORKERS))
    told, expected = made.uplink.csi_report_cost(senders), made.uplink._report(2 * 2 * 64 * 10, senders)
    np.testing.assert_array_equal(told, expected)


def test_pilots_tell_what_would_be_told():
    keys = {"method": "A-FADMM", "channel__fading": "none", "channel__pilots": 1}
    who = Participants(np.arange(WORKERS), np.zeros(WORKERS), True)
    made = [group(**keys, uplink__charge_side_information=on) for on in (True, False)]
    charged, free = (Ledger(one).enter(0, who, 2) for one in made)
    np.testing.assert_allclose((charged - free)[0], (charged - free)[1])


def test_pilots_of_digital_uploads_are_sent_at_once():
    """2 pilots on each subcarrier, of its worker: 2 slots and 20 uses a block, and uploads that take longer."""
    made = group(method="D-FADMM", channel__pilots=2)
    ledger, who = Ledger(made), Participants(np.arange(WORKERS), np.zeros(WORKERS), True)
    first, second = ledger.enter(0, who, 2)
    np.testing.assert_allclose(first - second, np.array([[2.0], [20.0], [20 * 1e-7], [0.0]]).repeat(2, axis=1))
    (again,) = ledger.enter(0, who)
    np.testing.assert_array_equal(again, second)
    plain = Ledger(group(method="D-FADMM")).enter(0, who)[0]
    assert (second[0] >= plain[0]).all()


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


def test_an_interrupted_study_charges_no_pilot_twice(tmp_path):
    """Continued from a checkpoint in the middle of a block, it costs what it does in one go."""
    keys = {"method": "A-FADMM", "channel__pilots": 2, "channel__coherence_iterations": 40}
    whole = regression(**keys, run__iterations=60)
    otafl.run("quickstart", SMALL | dotted(keys), out=tmp_path)
    more = SMALL | dotted(keys) | {"run.iterations": 60}
    longer = otafl.run("quickstart", more, out=tmp_path)
    np.testing.assert_array_equal(whole["channel_uses"], longer["channel_uses"])


@pytest.mark.parametrize("count", [2, 8])
def test_digital_uploads_use_all_antennas_of_the_server(count):
    """The rate is that of ‖h‖²."""
    made = group(method="D-FADMM", cell__antennas=count, uplink__subcarriers=WORKERS)
    heard = made.air.alone(3, WORKERS)
    h = np.stack([one.gains(3, WORKERS) for one in made.air.fading])
    np.testing.assert_allclose(heard, antennas.amplitude(h))
    own = heard[:, np.arange(WORKERS), np.arange(WORKERS)]
    bits = np.log2(1 + 100 * 15 * own**2)
    who = Participants(np.arange(WORKERS), np.zeros(WORKERS), True)
    np.testing.assert_array_equal(Ledger(made).enter(3, who)[0][0], np.ceil(made.uplink.bits / bits).max(axis=1))


def test_one_slot_on_subcarriers_that_fade_together_is_the_least_band_that_suffices():
    made = group(method="D-FADMM", channel__fading="tdl", uplink__subcarriers="one_slot")
    who = Participants(np.arange(WORKERS), np.zeros(WORKERS), True)
    uses = Ledger(made).enter(2, who)[0][1]

    def slowest(run, each):
        gains = made.air.alone(2, each * WORKERS)[run]
        own = [gains[worker, worker * each : (worker + 1) * each] for worker in range(WORKERS)]
        return min(np.log2(1 + 100 * 15 * np.abs(part) ** 2).sum() for part in own)

    for run in range(2):
        each = int(uses[run]) // WORKERS
        assert slowest(run, each) >= made.uplink.bits > slowest(run, each - 1)


@pytest.mark.parametrize("side", [{"cell__antennas": 4}, {"cell__worker_antennas": 4, "algorithm__rho": 0.125}])
def test_antennas_lower_the_floor(side):
    """Those of workers at the same penalty ρ‖h‖², whose mean is 4 times that of one antenna."""
    keys = {"method": "A-FADMM", "run__iterations": 300}
    floor = [regression(**keys | more)["loss"].isel(iteration=slice(100, None)).mean() for more in ({}, side)]
    assert floor[1] < 0.6 * floor[0]


def test_blind_workers_do_the_better_the_more_antennas_the_server_has():
    """Noise-free, the gap of A-GD to that of workers who know their channels."""
    known = regression(method="A-GD", channel__snr_db=np.inf)["loss"].isel(iteration=-1)
    gaps = [
        abs(
            regression(method="A-GD", channel__snr_db=np.inf, cell__antennas=count, uplink__combiner="sum")["loss"][
                ..., -1
            ]
            - known
        ).mean()
        for count in (4, 64, 1024)
    ]
    assert gaps[0] > 1.5 * gaps[1] > 1.5**2 * gaps[2]


def test_what_schemes_have_in_common_under_a_seed():
    """Fading, and noise where uploads are as long and drawn in one precision, as docs/explanation/results.md says."""
    exact, other = (group(method=name) for name in ("A-FADMM", "A-GD"))
    ((_, settings),) = otafl.load("quickstart", SMALL | {"method": "FedAvg", "uplink.kind": "analog"}).points()
    trained = Group([RunSpec(settings, 0)])
    for one in (other, trained):
        np.testing.assert_array_equal(one.air.alone(3, 5)[0], exact.air.alone(3, 5)[0])
    first, second, third = (Draws(one).noise("noise", 4, (1, 6))[..., 0] for one in (exact, other, trained))
    np.testing.assert_array_equal(first, second)
    assert not np.isclose(first, third).any()


@pytest.mark.parametrize("symbols", [1, 4])
def test_delays_are_measured_by_the_symbols_of_the_grid(symbols):
    made = group(method="A-FADMM", channel__timing_error_s=1e-4, uplink__symbols_per_slot=symbols)
    assert made.air.imperfections.symbol_s == made.uplink.grid.window_s
    assert made.uplink.grid.window_s == pytest.approx(1e-3 / symbols - 0.07 / 15e3)


REFUSED = {
    "channel.timing_error_s = 0.001: must be below the length of a symbol": {"channel.timing_error_s": 1e-3},
    "cell.worker_antennas = 2: contradicts cell.antennas = 2": {"cell.antennas": 2, "cell.worker_antennas": 2},
    "leaves workers without knowledge of their channels, by which A-FADMM": {
        "cell.antennas": 2,
        "uplink.combiner": "sum",
    },
    "contradicts channel.pilots = 1, which supposes that workers know their channels": {
        "method": "A-GD",
        "cell.antennas": 2,
        "uplink.combiner": "sum",
        "channel.pilots": 1,
    },
    "does not read it": {"uplink.combiner": "principal"},
    "whose two parts would leak": {"channel.pilots": 2, "uplink.elements_per_symbol": 2},
    "which divides by gains": {"channel.phase_error_rad": 0.1, "uplink.downlink": "analog"},
    "must be from 0 to 1": {"channel.fading": "tdl", "channel.delay_spread_s": -1.0},
    "cell.antennas = 0: must be greater than or equal to 1": {"cell.antennas": 0},
    "must be 'A', 'B', 'C', 'D' or 'E'": {"channel.fading": "tdl", "channel.tdl_model": "F"},
    "channel.pilots = -1": {"channel.pilots": -1},
    "the slowest workers would be known without pilots": {
        "method": "FedAvg",
        "uplink.kind": "digital",
        "channel.pilots": 1,
        "uplink.outage": 0.2,
    },
    "whose workers are all in the same direction": {"channel.fading": "cdl", "cell.antennas": 4},
    "which nobody knows and which differ here": {
        "method": "A-GD",
        "cell.antennas": 4,
        "uplink.combiner": "sum",
        "cell.radius_m": 100.0,
    },
}


@pytest.mark.parametrize(("said", "keys"), REFUSED.items())
def test_what_contradicts_itself_is_refused(said, keys):
    with pytest.raises(otafl.OtaflError) as refusal:
        otafl.run("quickstart", SMALL | {"method": "A-FADMM"} | keys)
    assert said in str(refusal.value)


IN_CELL = {"cell__radius_m": 200.0, "cell__shadowing_db": 4.0}


@pytest.mark.parametrize("fading", FADINGS)
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
    budget = {"cell__radius_m": 200.0, "cell__snr_at": "link_budget", "channel__fading": "none"}
    scenario = dotted(budget)
    loaded = otafl.load("quickstart", {"federation.workers": WORKERS, "method": "D-FADMM"} | scenario)
    ((_, settings),) = loaded.points()
    made = Group([RunSpec(settings, seed) for seed in range(2)])
    received = 23 + np.stack([drop.gain_db for drop in made.air.drops]) - 10 * np.log10(10 / WORKERS)
    snr = 10 ** ((received + 169 - 10 * np.log10(15e3)) / 10)
    who = Participants(np.arange(WORKERS), np.zeros(WORKERS), True)
    slots = np.ceil(made.uplink.bits / (10 / WORKERS * np.log2(1 + 15 * snr)))
    cost = Ledger(made).enter(0, who)[0]
    np.testing.assert_array_equal(cost[0], slots.max(axis=1))
    np.testing.assert_allclose(cost[2], slots.sum(axis=1) * 10**-0.7 * 1e-3)


def test_the_link_budget_is_the_same_link_as_its_snr_at_the_median():
    """But for energies, which are those that workers radiate."""
    keys = {"method": "A-GD", "cell__radius_m": 200.0, "uplink__power_reference": "total"}
    budget = regression_at(cell__snr_at="link_budget", **{key: keys[key] for key in ("method", "cell__radius_m")})
    median = 23 + 169 - 10 * np.log10(15e3) - 30 - 15 * np.log10((10**2 + 200**2) / 2)
    same = regression_at(cell__snr_at="median", channel__snr_db=median, **keys)
    np.testing.assert_allclose(budget["loss"], same["loss"], rtol=1e-9)
    assert (budget["energy"] > 0).all()


def regression_at(**keys):
    small = {key: value for key, value in SMALL.items() if key != "channel.snr_db"}
    return otafl.run("quickstart", small | dotted(keys))


def test_a_sector_of_3gpp_and_a_file(tmp_path, monkeypatch):
    """A file's digest is part of a run's name."""
    pytest.importorskip("sionna.phy")
    keys = {"method": "D-FADMM", "channel__fading": "umi", "cell__most_loss_db": 100.0}
    assert np.isfinite(regression(**keys)["time_slots"]).all()
    monkeypatch.chdir(tmp_path)
    names = set()
    for scale in (1.0, 2.0):
        np.savez("h.npz", h=scale * np.ones((3, WORKERS, 1, 10), complex))
        ((_, settings),) = otafl.load(
            "quickstart", SMALL | {"channel.fading": "file", "channel.file": "h.npz", "method": "A-FADMM"}
        ).points()
        names.add(run_name(settings, 0))
    assert len(names) == 2
    assert np.isfinite(regression(method="A-FADMM", channel__fading="file", channel__file="h.npz")["loss"]).all()


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"channel.fading": "file", "channel.file": "nope.npz"}, "there is no such file"),
        ({"channel.fading": "umi", "cell.radius_m": 100.0}, "which places workers"),
        ({"channel.fading": "raytraced", "channel.scene_server": "1,2"}, "must be three numbers of metres"),
        ({"cell.radius_m": 5.0}, "cell.inner_radius_m = 10.0: must be below cell.radius_m = 5"),
        (
            {"cell.radius_m": 50.0, "cell.sector_deg": 90.0, "cell.neighbours": 2},
            "cell.sector_deg = 90.0: contradicts cell.neighbours, whose workers are all around",
        ),
        ({"cell.radius_m": 200.0, "cell.most_loss_db": 40.0}, "must be larger, as hardly any place has coverage"),
        ({"cell.most_loss_db": 100.0}, "does not read it"),
        ({"cell.radius_m": 200.0, "cell.snr_at": "link_budget", "channel.snr_db": 3.0}, "follows from the link budget"),
    ],
)
def test_a_cell_that_is_none_is_refused(keys, said, tmp_path):
    with pytest.raises(otafl.OtaflError, match=said):
        otafl.run("quickstart", SMALL | {"method": "A-FADMM"} | keys, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_estimates_in_a_cell_know_how_weak_each_worker_is():
    """The variance of errors is β/(1 + E·β) at each place, by many blocks."""
    made = group(method="D-FADMM", channel__pilots=1, channel__pilot_snr_db=10.0, **IN_CELL)
    beta = 10 ** ((made.air.drops[0].gain_db + 30 + 30 * np.log10(200)) / 10)
    np.testing.assert_allclose(made.air.errors[0, :, 0], beta / (1 + 10 * beta))
    errors = [made.air.alone(block, 50)[0] - made.air.fading[0].gains(block, 50)[:, 0] for block in range(60)]
    found = np.mean(np.abs(errors) ** 2, axis=(0, 2))
    np.testing.assert_allclose(found, made.air.errors[0, :, 0], rtol=5 / np.sqrt(3000))


def test_pilots_cost_what_the_noise_of_each_run_asks_for():
    """At two noise densities in one group the energy of pilots is ten times as large at ten times the noise."""
    scenario = otafl.load(
        "quickstart", SMALL | {"method": "A-GD", "channel.pilots": 2, "uplink.noise_psd_w_per_hz": [1e-9, 1e-8]}
    )
    made = Group([RunSpec(settings, 0) for _, settings in scenario.points()])
    who = Participants(np.arange(WORKERS), np.zeros(WORKERS), True)
    first, second = Ledger(made).enter(0, who, 2)
    np.testing.assert_allclose((first - second)[2], 100 * 100 * np.array([1e-9, 1e-8]))


def test_each_antenna_of_a_worker_has_pilots_of_its_own():
    who = Participants(np.arange(WORKERS), np.zeros(WORKERS), True)
    rows = [
        Ledger(group(method="D-FADMM", channel__pilots=2, cell__worker_antennas=n)).enter(0, who, 2) for n in (1, 3)
    ]
    one, three = ((first - second)[:, 0] for first, second in rows)
    np.testing.assert_allclose(three, 3 * one)


def test_a_file_that_is_narrower_than_the_band_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez("h.npz", h=np.ones((3, WORKERS, 1, 2), complex))
    with pytest.raises(otafl.OtaflError, match="has 2 subcarriers, but 10 are in use"):
        regression(method="A-FADMM", channel__fading="file", channel__file="h.npz")


@pytest.mark.parametrize(("downlink", "fits"), [("analog", True), ("digital", False)])
def test_digital_broadcasts_alone_need_a_file_of_the_whole_band(downlink, fits, tmp_path, monkeypatch):
    """Uploads and analog broadcasts of 10 elements have 10 subcarriers of 64."""
    monkeypatch.chdir(tmp_path)
    np.savez("h.npz", h=np.ones((3, WORKERS, 1, 10), complex))
    keys = {"channel__fading": "file", "channel__file": "h.npz", "energy__whole": True, "uplink__downlink": downlink}
    who = Participants(np.arange(WORKERS), np.zeros(WORKERS), True)
    refused = pytest.raises(otafl.OtaflError, match="has 10 subcarriers, but 64 are in use")
    with contextlib.nullcontext() if fits else refused:
        Ledger(group(method="A-FADMM", uplink__subcarriers=64, **keys)).enter(0, who, 1)


def test_a_link_budget_of_no_ring_is_refused():
    with pytest.raises(otafl.OtaflError, match=r"cell.inner_radius_m = 10.0: must be below cell.radius_m = 5"):
        otafl.load("quickstart", {"cell.radius_m": 5.0, "cell.snr_at": "link_budget"})
