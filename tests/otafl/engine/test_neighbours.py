"""Interference of neighbouring cells in runs: noise of analog uploads, rates of digital ones."""

import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl.algorithms import METHODS
from otafl.channels.effective_channel import Effective
from otafl.engine.channel_process import ChannelProcess
from otafl.uplinks.analog import Analog
from otafl.uplinks.analog_link import Radio
from otafl.uplinks.physical_layer import neighbours
from tests.otafl.small import settings_of
from tests.otafl.uplinks.links import draw_of, in_tensors, linked
from tests.rounding import assert_close

RING = {"cell.radius_m": 250.0, "cell.snr_at": "median", "run.seeds": 1, "run.iterations": 3}
NEAR = {**RING, "cell.neighbours": 6}


def test_what_arrives_is_relative_to_the_gain_of_the_snr():
    """The mean over blocks is that of theory over the median path gain, within 3 standard errors."""
    given = settings_of("channel_plain", {**NEAR, "cell.activity": 0.5})
    made = neighbours(given)
    assert made is not None
    process = ChannelProcess(given, [0])
    received = process.shared(list(range(50)), 200).neighbours
    assert received is not None
    assert received.shape == (50, 1, 200)
    theory = made.mean / 10 ** (made.cell.median_gain_db / 10)
    assert abs(received.mean() - theory) <= 3 * received.std() / np.sqrt(received.size)
    np.testing.assert_allclose(process.errors, theory)
    np.testing.assert_array_equal(received[:3], process.shared([0, 1, 2], 200).neighbours)


@pytest.mark.slow
def test_a_silent_ring_is_none():
    keys = {**NEAR, "cell.activity": 0.0, "method": ["A-FADMM", "D-FADMM"]}
    silent, plain = otafl.run("channel_plain", keys), otafl.run("channel_plain", {**RING, "method": keys["method"]})
    for name in ("loss", "time_slots", "energy"):
        assert_close(silent[name], plain[name], name=name)


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
    keys = {**RING, "method": "D-FADMM", "channel.fading": "none", "cell.path_loss_exponent": 0.0}
    made = neighbours(settings_of("channel_plain", {**NEAR, "cell.path_loss_exponent": 0.0}))
    assert made is not None
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
