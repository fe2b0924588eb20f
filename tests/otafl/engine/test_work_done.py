"""Seconds and joules of local training, by hand from what each worker has really done."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import otafl
from otafl.engine import duration
from otafl.engine.executors import executor
from otafl.engine.group import Group
from otafl.engine.participation import Participants
from otafl.engine.work_done import work_done
from tests.otafl.engine.test_checkpoint import in_pieces
from tests.otafl.small import group_of

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


@pytest.mark.parametrize(
    "keys",
    [
        EARLY | SOME,
        pytest.param({"method": "FedProx@digital", "local.epochs": 3, "local.work": "uniform"}, marks=pytest.mark.slow),
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
