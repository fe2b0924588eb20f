"""Runs in cells: interference of neighbouring ones, and reconfigurable surfaces."""

import warnings
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl.algorithms import METHODS
from otafl.channels.combiners import COMBINERS
from otafl.channels.effective_channel import Effective
from otafl.engine.channel_process import ChannelProcess
from otafl.engine.costs import Ledger
from otafl.engine.participation import Participants
from otafl.uplinks.analog import Analog
from otafl.uplinks.analog_link import Radio
from otafl.uplinks.physical_layer import neighbours
from tests.otafl.small import dotted, group_of, settings_of
from tests.otafl.uplinks.links import draw_of, in_tensors, linked
from tests.rounding import SINGLE, assert_close

RING = {"cell.radius_m": 250.0, "cell.snr_at": "median", "run.seeds": 1, "run.iterations": 3}
NEAR = {**RING, "cell.neighbours": 6}
DIABETES = {"problem.dataset": "diabetes"}


@pytest.mark.parametrize(("carrier_hz", "below"), [(3.5e9, 13.3), (28e9, 31.4), (0.7e9, 0)])
def test_a_default_path_loss_below_free_space_gets_a_remark(carrier_hz, below):
    keys = {"method": "A-GD", "cell.radius_m": 250.0, "channel.fading": "jakes", "channel.carrier_hz": carrier_hz}
    for path_loss_db, told in ((30.0, below), (70.0, 0)):
        with warnings.catch_warnings(record=True) as said:
            otafl.load("quickstart", keys | {"cell.path_loss_db": path_loss_db})
        assert [f"is {below} dB below free space" in str(warning.message) for warning in said] == [True] * (told > 0)


def test_what_arrives_is_relative_to_the_gain_of_the_snr():
    """The mean over blocks is that of theory over the median path gain, within 3 standard errors."""
    given = settings_of("channel_plain", {**NEAR, "cell.activity": 0.5})
    made = neighbours(given)
    process = ChannelProcess(given, [0])
    received = process.shared(list(range(50)), 200).neighbours
    assert received.shape == (50, 1, 200)
    theory = made.mean / 10 ** (made.cell.median_gain_db / 10)
    assert abs(received.mean() - theory) <= 3 * received.std() / np.sqrt(received.size)
    np.testing.assert_allclose(process.errors, theory)
    np.testing.assert_array_equal(received[:3], process.shared([0, 1, 2], 200).neighbours)


def test_noise_is_as_strong_as_noise_and_interference_together():
    """The receiver's samples times the root of 1 + SNR_s·i_k on each subcarrier k."""
    gain, received = np.ones((3, 8, 1)), np.arange(8.0)[None, :, None]
    radio = in_tensors(Radio(2.0, 0.3, 1e-3, (), 8.0, (), 0.7))
    noise = tf.constant(np.random.default_rng(0).standard_normal((1, 8, 1)))
    message = tf.constant(np.random.default_rng(1).standard_normal((3, 8, 1)))
    totals = []
    for interference in (None, received):
        made = linked(draw_of(Effective(gain, None, gain, None, neighbours=interference), noise), radio)
        totals.append(made.received(made.sent(message)).total[0] - np.sum(message, axis=0))
    np.testing.assert_allclose(totals[1], totals[0] * np.sqrt(1 + 0.7 * received[0]), rtol=1e-9)


@pytest.mark.parametrize("budget", ["per_subcarrier", "per_upload"])
def test_neighbours_have_the_power_of_our_workers(budget):
    """A worker's mean power on a symbol, budget over symbols, over the noise N0/T of one."""
    given = settings_of("channel_plain", {**NEAR, "method": "A-FADMM", "uplink.power_budget": budget})
    radio = Analog(given, METHODS["A-FADMM"], 40).radio
    assert radio.interferer == pytest.approx(radio.budget / radio.symbols / (2 * radio.noise_std**2))


def test_digital_uploads_are_coded_for_the_mean():
    """Rates are those of an SNR that is less by the factor 1 + SNR_s·ī, without fading."""
    keys = {**RING, **DIABETES, "method": "D-FADMM", "channel.fading": "none", "cell.path_loss_exponent": 0.0}
    made = neighbours(settings_of("channel_plain", {**NEAR, "cell.path_loss_exponent": 0.0}))
    interference = made.mean / 10 ** (made.cell.median_gain_db / 10)
    assert interference == pytest.approx(6.0)
    less = 30 - 10 * np.log10(1 + 1000 * 15 * interference)
    near = otafl.run("channel_plain", {**keys, "cell.neighbours": 6})
    weak = otafl.run("channel_plain", {**keys, "channel.snr_db": less})
    np.testing.assert_array_equal(near["time_slots"], weak["time_slots"])


@pytest.mark.slow
def test_broadcasts_are_not_interfered_with():
    keys = {"method": "FedAvg@digital", "federation.workers": 6, "uplink.charge_downlink": True, "energy.whole": True}
    near, alone = (otafl.run("digits_quickstart", RING | keys | more) for more in ({"cell.neighbours": 6}, {}))
    np.testing.assert_array_equal(near["energy_downlink"], alone["energy_downlink"])
    left = [one["time"] - one["time_slots"] * 1e-3 for one in (near, alone)]
    np.testing.assert_allclose(*left, rtol=1e-9)


WORKERS, SPACING_HZ = 6, 15e3
KEYS: dict[str, Any] = {
    "method": "FedAvg@analog",
    "run.seeds": 2,
    "run.iterations": 4,
    "federation.workers": WORKERS,
    "local.steps": 2,
    "channel.snr_db": -10.0,
    "cell.radius_m": 100.0,
    "cell.inner_radius_m": 50.0,
    "cell.path_loss_exponent": 3.76,
    "cell.antennas": 3,
    "uplink.subcarriers": 2,
    "uplink.precoder": "channel_inversion",
}


def run(**keys):
    return otafl.run("digits_quickstart", KEYS | dotted(keys))


def group(**keys):
    known = {key: value for key, value in KEYS.items() if key != "local.steps"}
    return group_of("quickstart", known | {"method": "A-GD"} | dotted(keys), range(2))


@pytest.fixture(scope="module")
def behind():
    return run(cell__surface_elements=[0, 4])


def test_a_run_behind_no_element_is_the_plain_one(behind):
    plain, none = run(), behind.sel(surface_elements=0, drop=True)
    for name in ("loss", "test_accuracy", "energy", "worker_power"):
        assert_close(none[name], plain[name], SINGLE, name)


def test_a_surface_without_power_over_it_is_the_plain_channel():
    """With a path loss exponent of 10 on either hop, and in the limit of it."""
    far = group(cell__surface_elements=4, cell__surface_exponent=10.0, cell__surface_distance_m=1e9).air
    np.testing.assert_allclose(far.shared([0, 3], 2).h, group().air.shared([0, 3], 2).h, rtol=1e-12)


def test_phases_suit_the_combiner_of_the_run():
    made = group(cell__surface_elements=8, uplink__combiner="principal")
    assert made.air.combiner == COMBINERS["principal"]()
    assert all(one.combiner == made.air.combiner for one in made.air.fading)


def test_no_worker_exceeds_its_budget(behind):
    """P of a subcarrier, all of it for the worker that needs most."""
    power = behind["worker_power"].sel(surface_elements=4)
    np.testing.assert_allclose(power, 0.1 * SPACING_HZ * 1e-9, rtol=1e-5)


def test_pilots_tell_every_path():
    """K + 1 times the pilots of a plain channel, in slots, uses and energy."""
    who, cost = Participants(np.arange(WORKERS), np.zeros(WORKERS), True), {}
    for elements, pilots in ((0, 0), (0, 2), (7, 0), (7, 2)):
        keys = {"channel__pilots": pilots} | ({"channel__estimator": "least_squares"} if pilots else {})
        cost[elements, pilots] = Ledger(group(cell__surface_elements=elements, **keys)).enter(0, who, 1)[0]
    np.testing.assert_allclose(cost[7, 2] - cost[7, 0], 8 * (cost[0, 2] - cost[0, 0]))
