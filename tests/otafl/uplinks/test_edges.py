"""Edge servers between workers and server: two levels against one, noise, powers, costs, refusals."""

import math

import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl.channels.effective_channel import Effective
from otafl.channels.power_control import PerEdge
from otafl.errors import OtaflError
from otafl.uplinks.analog_link import Amplifier, Radio, of_edges
from tests.otafl.uplinks.links import draw_of, linked

EDGES = {"uplink.power_control": "per_edge", "uplink.edges": 4}
REPORTS = {"uplink.charge_side_information": True}
SURFACE = {"cell.radius_m": 200.0, "cell.surface_elements": 4}
SMALL = {"run.seeds": 1, "run.iterations": 4}


@pytest.mark.parametrize("method", [pytest.param("FedAvg@analog", marks=pytest.mark.slow), "A-SFADMM"])
def test_two_levels_are_one_without_noise(method):
    keys = SMALL | {"method": method, "channel.snr_db": math.inf}
    one, two = (otafl.run("digits_quickstart", keys | more) for more in ({}, EDGES))
    np.testing.assert_allclose(two["loss"], one["loss"], rtol=1e-6)


@pytest.mark.slow
def test_regressions_are_the_same_with_an_exact_backhaul():
    keys = SMALL | {"method": "A-FADMM", "channel.snr_db": math.inf, "run.iterations": 100}
    one, two = (otafl.run("quickstart", keys | more) for more in ({}, EDGES | {"uplink.edges": 5}))
    np.testing.assert_allclose(two["loss"], one["loss"], rtol=1e-9)


def test_noise_and_powers_are_those_of_each_edge():
    """The variance is Σ_e N0/2T·largest_e/budget; each edge's loudest worker uses its budget, others their share."""
    rng = np.random.default_rng(0)
    gain, message = rng.exponential(size=(6, 8, 1)) + 0.1, tf.constant(rng.standard_normal((6, 8, 1)))
    numbers = (tf.constant([value], tf.float64) for value in (2.0, 0.3, 1e-3))
    radio = Radio(*numbers, (), tf.constant([8.0], tf.float64))
    noise = rng.standard_normal((1, 8, 1))
    made = linked(draw_of(Effective(gain, None, 1 / gain, None), tf.constant(noise)), radio, power_control=PerEdge(3))
    upload = made.received(made.sent(message))
    power = np.sum(message**2 / gain, axis=1).reshape(3, 2)
    largest = power.max(axis=1)
    error = 0.3 * np.sqrt(largest.sum() / 2.0) * noise[0]
    np.testing.assert_allclose(upload.total[0] - np.sum(message, axis=0), error, rtol=1e-9)
    assert upload.energy.numpy()[0] == pytest.approx(np.sum(power / largest[:, None]) * 2.0 * 1e-3)
    assert upload.power.numpy()[0] == pytest.approx(2.0 / 8)


def test_distortion_does_not_depend_on_the_factor_that_is_divided_out():
    """Distortion of a worker arrives as share·ratio·Σ|x|², whichever edge hears it; noise of edges comes on top."""
    rng = np.random.default_rng(2)
    gain, message = rng.exponential(size=(6, 8, 1)) + 0.1, tf.constant(rng.standard_normal((6, 8, 1)))
    ratio, share, noise = 0.2 * gain, 1 / 16, rng.standard_normal((1, 8, 1))
    numbers = [tf.constant([value], tf.float64) for value in (2.0, 0.3, 1e-3)]
    amplifier = Amplifier(*(tf.constant([value], tf.float64) for value in (1.0, share, 1.0)))
    radio = Radio(*numbers, amplifier, tf.constant([8.0], tf.float64))
    channel = Effective(gain, None, 1 / gain, None, distortion_ratio=ratio)
    made = linked(draw_of(channel, tf.constant(noise)), radio, power_control=PerEdge(3))
    power = np.sum(message**2 / gain, axis=1).reshape(3, 2)
    distortion = share * np.sum(ratio * power.reshape(6, 1, 1), axis=0)
    error = np.sqrt(0.09 * power.max(axis=1).sum() / 2.0 + distortion) * noise[0]
    upload = made.received(made.sent(message))
    np.testing.assert_allclose(upload.total[0] - np.sum(message, axis=0), error, rtol=1e-9)


def test_one_edge_is_one_server():
    power = tf.constant(np.random.default_rng(1).random((6, 2)))
    largest, scaled = of_edges(power, 1)
    np.testing.assert_array_equal(largest, tf.reduce_max(power, axis=0))
    np.testing.assert_allclose(scaled, power)


def test_sums_of_convex_problems_are_sent_on_as_doubles():
    """Diabetes has 10 weights, 640 bits at 10 kbit/s."""
    edges = SMALL | {"method": "A-GD", "uplink.backhaul_bits_per_s": 1e4} | EDGES
    one, two = (otafl.run("quickstart", keys)["time_slots"].values for keys in (SMALL | {"method": "A-GD"}, edges))
    np.testing.assert_array_equal((two - one)[..., -1], 64 * 4)


def test_uses_count_in_each_cell_and_the_backhaul_takes_slots():
    """2,368 numbers of 32 bits at 1 Mbit/s are 76 slots of 1 ms, to the 10 of an upload."""
    keys = SMALL | {"method": "FedAvg@analog"}
    slow = EDGES | {"uplink.backhaul_bits_per_s": 1e6}
    one, two = (otafl.run("digits_quickstart", keys | more) for more in ({}, slow))
    np.testing.assert_array_equal(two["channel_uses"], 4 * one["channel_uses"])
    rounds = np.arange(1, 5)
    np.testing.assert_array_equal(two["time_slots"].squeeze() - one["time_slots"].squeeze(), 76 * rounds)


@pytest.mark.parametrize(
    ("keys", "alone", "edges"),
    [({}, [10, 20], [11, 22]), ({"channel.pilots": 8}, [170, 180], [51, 62]), (REPORTS, [13, 24], [13, 25])],
)
def test_edges_hear_pilots_and_reports_at_the_same_time(keys, alone, edges):
    """8 pilots of 20 workers in turn are 160 slots, of 5 workers of each edge 40; a round has one of the backhaul."""
    keys = keys | {"method": "FedAvg@analog", "channel.fading": "none", "run.seeds": 1, "run.iterations": 2}
    for more, slots in (({}, alone), (EDGES, edges)):
        np.testing.assert_array_equal(otafl.run("digits_quickstart", keys | more)["time_slots"].squeeze(), slots)


@pytest.mark.parametrize(
    ("keys", "rule"),
    [
        (EDGES | {"uplink.edges": 3}, "20 workers are no multiple of uplink.edges = 3"),
        (EDGES | {"federation.participation": 0.5}, "needs all workers in every round"),
        (EDGES | {"uplink.compressor": "sign", "method": "FedSGD@analog"}, "decided on at the edge"),
        (EDGES | {"cell.antennas": 2}, "contradicts cell.antennas"),
        (EDGES | SURFACE, "contradicts cell.surface_elements"),
        (EDGES | {"channel.noise": "alpha_stable"}, "contradicts uplink.power_control = 'per_edge'"),
        (EDGES | {"method": "FedAvg@digital"}, "has such a part|does not read it"),
        ({"uplink.edges": 4}, "does not read it"),
        (EDGES | {"uplink.edges": 0}, "greater than or equal to 1"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_reason(keys, rule):
    with pytest.raises(OtaflError, match=rule):
        otafl.load("digits_quickstart", {"method": "FedAvg@analog"} | keys)
