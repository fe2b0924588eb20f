"""The whole energy of a run in closed forms, and seconds and joules of what each worker has really done."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import otafl
from otafl.engine import duration
from otafl.engine.account import Account
from otafl.engine.costs import Ledger
from otafl.engine.executors import executor
from otafl.engine.group import Group
from otafl.engine.participation import Participants, Participation
from otafl.engine.work_done import work_done
from tests.otafl.engine.test_checkpoint import in_pieces
from tests.otafl.small import dotted, group_of
from tests.rounding import assert_results_close

PARTS = ("data", "pilots", "feedback", "prefix", "downlink", "computation", "circuits", "amplifiers")
CONVEX = {"run.iterations": 12, "run.seeds": 2, "run.seed": 3, "energy.whole": True}


def run(**keys):
    return otafl.run("quickstart", CONVEX | dotted(keys))


def account(name: str = "quickstart", **keys) -> dict[str, np.ndarray]:
    """Sums of costs after each of two iterations, in which analog symbols take 1 J each."""
    made = group_of(name, {"energy.whole": True} | dotted(keys))
    who = next(Participation(made.settings, made.task.counts, 0))
    costs = Account(made).add(Ledger(made).enter(0, who, 2), np.ones((2, 1)))
    return {variable: values[:, 0] for variable, values in costs.items()}


@pytest.mark.daily(2)
@pytest.mark.parametrize("method", ["D-FADMM", "A-GD"])
@pytest.mark.parametrize("keys", [{}, {"channel__pilots": 2, "channel__coherence_iterations": 3.0}])
def test_parts_add_up_and_change_nothing_else(method, keys):
    charged = keys | ({} if method == "D-FADMM" else {"uplink__charge_side_information": True})
    whole, plain = run(method=method, **charged), run(method=method, **charged, energy__whole=False)
    assert_results_close(whole[list(plain)], plain)
    assert "total_energy" not in plain
    total = sum(whole[f"energy_{part}"] for part in PARTS)
    np.testing.assert_allclose(total, whole["total_energy"], rtol=1e-12)
    radiated = sum(whole[f"energy_{part}"] for part in PARTS[:3])
    np.testing.assert_allclose(radiated, whole["energy"], rtol=1e-12)
    sent = radiated + whole["energy_downlink"]
    prefix = 0.07 / (15 - 0.07)
    np.testing.assert_allclose(whole["energy_prefix"], prefix * sent, rtol=1e-12)
    np.testing.assert_allclose(whole["energy_amplifiers"], (1 / 0.35 - 1) * (1 + prefix) * sent, rtol=1e-12)


@pytest.mark.parametrize("method", ["A-GD", "D-FADMM"])
@pytest.mark.parametrize(("symbols", "share"), [(1, 0.07 / 14.93), (14, 0.98 / 14.02)])
def test_prefixes_are_charged_by_their_length_on_either_uplink(method, symbols, share):
    """A slot of 15/W, of which each symbol's takes 0.07/W."""
    whole = account(method=method, uplink__symbols_per_slot=symbols)
    np.testing.assert_allclose(whole["energy_prefix"], share * (whole["energy"] + whole["energy_downlink"]), rtol=1e-12)


def test_pilots_and_feedback_are_what_they_add_to_the_radiated_energy():
    plain = account(method="A-GD")
    pilots = account(method="A-GD", channel__pilots=2, channel__pilot_snr_db=300.0)
    told = account(method="A-GD", uplink__charge_side_information=True)
    assert (plain["energy_pilots"] == 0).all()
    assert (plain["energy_feedback"] == 0).all()
    np.testing.assert_allclose(told["energy"] - plain["energy"], told["energy_feedback"], rtol=1e-6)
    assert (told["energy_feedback"] > 0).all()
    np.testing.assert_allclose(pilots["energy_pilots"][0], 1e30 * 1e-9 * 2 * 20 * 10, rtol=1e-9)


def test_computation_is_that_of_every_sample():
    """κ·C·f² = 1 µJ: once in an exact solution, twice with twice the cycles, four times with twice the clock."""
    plain = account(method="A-GD")["energy_computation"]
    np.testing.assert_allclose(plain, [442e-6, 2 * 442e-6], rtol=1e-9)
    for key, factor in (("cycles_per_sample", 2e4), ("clock_hz", 2e9), ("switched_capacitance", 2e-28)):
        other = account(method="A-GD", **{f"energy__{key}": factor})["energy_computation"]
        np.testing.assert_allclose(other / plain, 4 if "clock" in key else 2, rtol=1e-9)


@pytest.mark.parametrize(("method", "slots"), [("A-FADMM", 1), ("D-FADMM", np.ceil(320 / (2 * np.log2(301))))])
def test_circuits_take_their_power_while_a_worker_computes_and_uploads(method, slots):
    """0.1 W of five workers for 20 ms and the slots of 10 elements, on the whole band or a fifth of it."""
    keys = {"channel__fading": "none", "channel__snr_db": 10 * np.log10(20), "federation__workers": 5}
    keys |= {"local__compute_s": 0.02, "uplink__subcarriers": 10, "method": method}
    off, on = account(**keys), account(**keys, energy__circuit_power_w=0.1)
    np.testing.assert_allclose(on["energy_circuits"], np.array([1, 2]) * 5 * 0.1 * (0.02 + slots * 1e-3), rtol=1e-12)
    assert (off["energy_circuits"] == 0).all()
    np.testing.assert_allclose(on["total_energy"] - off["total_energy"], on["energy_circuits"], rtol=1e-9)


def test_a_broadcast_over_one_constant_channel_goes_at_capacity():
    """b·d bits at log2(1 + SNR) bits a symbol of P·T."""
    keys = {"channel__fading": "none", "channel__snr_db": 3.0, "federation__workers": 4, "uplink__symbols_per_slot": 1}
    snr, elements = 10**0.3, 10
    power = snr * 15e3 * 1e-9
    one = 64 * elements / np.log2(1 + snr * 15) * power * 1e-3
    found = account(method="D-FADMM", uplink__subcarriers=10, **keys)["energy_downlink"]
    np.testing.assert_allclose(found, [one, 2 * one], rtol=1e-9)


CYCLES, CLOCK_HZ, CAPACITANCE = 1e6, 1e9, 1e-28
BASE = {
    "run.seeds": 1,
    "run.iterations": 4,
    "federation.workers": 5,
    "federation.partition": "power_law",
    "energy.whole": True,
    "energy.cycles_per_sample": CYCLES,
    "energy.clock_hz": CLOCK_HZ,
    "energy.clock_spread": 0.6,
    "local.compute_s": "by_clock",
    "energy.circuit_power_w": 2.0,
}
EARLY = {"method": "FedADMM-In@digital", "local.epochs": 4, "algorithm.strong_convexity": 2.0}
SOME = {"federation.participation": 0.6}
TIMED = {"channel.coherence_s": 0.5}


def group(keys: dict) -> Group:
    return group_of("digits_quickstart", BASE | keys)


def rounds(made: Group) -> list[tuple[np.ndarray, np.ndarray]]:
    """Numbers of the participants of each round, and the epochs that each has made."""
    found, computes = [], executor(made)
    with ThreadPoolExecutor(1) as pool:
        for drawn in computes.inputs():
            epochs = computes.advance(drawn.inputs, pool)["worker_epochs"][..., 0]
            workers = np.arange(made.workers) if made.resident else drawn.inputs[0]
            found += [(workers, row) for row in epochs]
    return found


def samples(made: Group, workers: np.ndarray, epochs: np.ndarray) -> np.ndarray:
    local, counts = made.settings.local, made.task.counts[workers]
    return np.where(epochs > 0, local.steps * local.batch_size, counts) if local.steps else epochs * counts


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    "keys",
    [
        EARLY | SOME,
        {"method": "FedProx@digital", "local.epochs": 3, "local.work": "uniform"},
        {"method": "A-SFADMM", "local.steps": 2, "channel.coherence_iterations": 2.0},
    ],
    ids=["early, some", "uniform", "flips"],
)
def test_seconds_and_joules_are_those_of_what_each_worker_has_done(keys):
    """A round lasts until its slowest participant has done, and each sample takes κCf_n²."""
    made, clocks = group(keys), CLOCK_HZ * duration.clock_shares(group(keys).settings, 0)
    done = [(workers, samples(made, workers, epochs)) for workers, epochs in rounds(made)]
    data = otafl.run("digits_quickstart", BASE | keys).squeeze()
    computed = np.array([(read * CYCLES / clocks[workers]).max() for workers, read in done])
    slots = np.diff(data["time_slots"], prepend=0) * made.settings.uplink.slot_s
    np.testing.assert_allclose(np.diff(data["time"], prepend=0), computed + slots, rtol=1e-9)
    joules = np.array([np.sum(read * CAPACITANCE * CYCLES * clocks[workers] ** 2) for workers, read in done])
    np.testing.assert_allclose(np.diff(data["energy_computation"], prepend=0), joules, rtol=1e-9)
    assert np.ptp(computed) > 0
    on_s = np.array([np.sum(read * CYCLES / clocks[workers]) for workers, read in done])
    uploading_s = np.diff(data["energy_circuits"], prepend=0) / 2 - on_s
    assert (uploading_s <= slots * [len(workers) for workers, _ in done] * (1 + 1e-9)).all()
    assert (uploading_s >= 1e-3 * (1 - 1e-6)).all()


@pytest.mark.parametrize("keys", [{"local.epochs": 3}, {"local.steps": 3}], ids=str)
def test_all_that_was_planned_costs_what_it_did_to_the_last_bit(keys):
    made = group({"method": "FedAvg@digital"} | keys)
    who = Participants(np.array([0, 2, 3]), np.full(3, keys.get("local.epochs", 0), np.int32), True)
    work = work_done(made, [who], np.full((2, 3, 1), 3.0))
    np.testing.assert_array_equal([work.saved_s, work.saved_on_s], 0)
    np.testing.assert_array_equal(work.passes, keys.get("local.epochs", 1))


def test_workers_whose_uploads_are_lost_count_with_all_that_was_planned():
    made = group(EARLY | {"federation.cut_chance": 0.5})
    who = Participants(np.array([0, 2, 3]), np.full(3, 4, np.int32), True, sent=np.array([1, 0.5, 1]))
    (passes,) = work_done(made, [who], np.array([[[1.0], [2.0]]])).passes
    weights = made.task.counts[[0, 2, 3]] * made.computation.clocks[:, [0, 2, 3]] ** 2
    np.testing.assert_allclose(passes, np.average([[1, 4, 2]], axis=1, weights=weights))


@pytest.mark.slow
def test_who_is_late_is_planned_with_all_epochs_and_the_round_ends_earlier():
    """With hardly any strong convexity no residual is small enough to end a worker's training early."""
    keys = BASE | EARLY | SOME | {"federation.deadline_s": 1.0}
    full, early = (
        otafl.run("digits_quickstart", keys | {"algorithm.strong_convexity": convexity}).squeeze()
        for convexity in (1e-30, 2.0)
    )
    np.testing.assert_array_equal(early["late_workers"], full["late_workers"])
    assert early["late_workers"][-1] > 0
    assert early["time"][-1] < full["time"][-1]


@pytest.mark.slow
def test_the_channel_s_clock_goes_by_what_was_done():
    made = group(EARLY | TIMED)
    assert made.paced
    data = otafl.run("digits_quickstart", BASE | EARLY | TIMED).squeeze()
    curves, starts = in_pieces(lambda: group(EARLY | TIMED), 1)
    assert starts == 4
    np.testing.assert_array_equal(curves.values["time"][0], data["time"])
    clocks = CLOCK_HZ * duration.clock_shares(made.settings, 0)
    most = (4 * made.task.counts * CYCLES / clocks).max()
    assert data["time"][-1] < 0.9 * 4 * most
