"""Edge servers between workers and server: two levels against one, noise, powers, costs, refusals."""

import math

import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl.channels.effective_channel import Effective
from otafl.channels.power_control import PerEdge
from otafl.uplinks.analog_link import Amplifier, Radio
from tests.otafl.small import costs_of, group_of
from tests.otafl.uplinks.links import draw_of, in_tensors, linked

EDGES = {"uplink.power_control": "per_edge", "uplink.edges": 4}


@pytest.mark.slow
def test_two_levels_are_one_without_noise():
    keys = {"method": "A-FADMM", "channel.snr_db": math.inf, "run.seeds": 1, "run.iterations": 2}
    one, two = (otafl.run("quickstart", keys | more) for more in ({}, EDGES))
    np.testing.assert_allclose(two["loss"], one["loss"], rtol=1e-6)


@pytest.mark.parametrize(("edges", "share"), [(1, 0.0), (3, 0.0), (3, 1 / 16)])
def test_noise_distortion_and_powers_are_those_of_each_edge(edges, share):
    """The variance is Σ_e N0/2T·largest_e/budget + share·ratio·Σ|x|²; the loudest worker of an edge uses its budget."""
    rng = np.random.default_rng(2)
    gain, message = rng.exponential(size=(6, 8, 1)) + 0.1, tf.constant(rng.standard_normal((6, 8, 1)))
    ratio, noise = 0.2 * gain, rng.standard_normal((1, 8, 1))
    radio = in_tensors(Radio(2.0, 0.3, 1e-3, Amplifier(1.0, share, 1.0) if share else (), symbols=8.0))
    channel = Effective(gain, None, 1 / gain, None, distortion_ratio=ratio if share else None)
    made = linked(draw_of(channel, tf.constant(noise)), radio, power_control=PerEdge(edges))
    power = np.sum(message**2 / gain, axis=1).reshape(edges, -1)
    largest = power.max(axis=1)
    distortion = share * np.sum(ratio * power.reshape(6, 1, 1), axis=0)
    error = np.sqrt(0.09 * largest.sum() / 2.0 + distortion) * noise[0]
    upload = made.received(made.sent(message))
    np.testing.assert_allclose(upload.total[0] - np.sum(message, axis=0), error, rtol=1e-9)
    assert upload.energy.numpy()[0] == pytest.approx(np.sum(power / largest[:, None]) * 2.0 * 1e-3)
    assert upload.power.numpy()[0] == pytest.approx(2.0 / 8)


def spent(scenario: str, keys: dict) -> np.ndarray:
    """Time slots and channel uses at the end of each of two rounds. Shape [2, rounds]."""
    return np.cumsum(costs_of(group_of(scenario, keys), 2)[:, :2, 0], axis=0).T


@pytest.mark.parametrize(
    ("scenario", "method", "rate", "slots"),
    [("digits_quickstart", "FedAvg@analog", 1e6, 76), ("quickstart", "A-GD", 1e4, 64)],
)
def test_uses_count_in_each_cell_and_the_backhaul_takes_slots(scenario, method, rate, slots):
    """2,368 numbers of 32 bits at 1 Mbit/s are 76 slots of 1 ms; the 10 weights of diabetes 64 at 10 kbit/s."""
    slow = EDGES | {"uplink.backhaul_bits_per_s": rate}
    one, two = (spent(scenario, {"method": method, "run.seeds": 1} | more) for more in ({}, slow))
    np.testing.assert_array_equal(two[1], 4 * one[1])
    np.testing.assert_array_equal(two[0] - one[0], slots * np.arange(1, 3))


@pytest.mark.parametrize(
    ("keys", "alone", "edges"),
    [
        ({}, [10, 20], [11, 22]),
        ({"channel.pilots": 8}, [170, 180], [51, 62]),
        ({"uplink.charge_side_information": True}, [13, 24], [13, 25]),
    ],
)
def test_edges_hear_pilots_and_reports_at_the_same_time(keys, alone, edges):
    """8 pilots of 20 workers in turn are 160 slots, of 5 workers of each edge 40; a round has one of the backhaul."""
    keys = keys | {"method": "FedAvg@analog", "channel.fading": "none", "run.seeds": 1}
    for more, slots in (({}, alone), (EDGES, edges)):
        np.testing.assert_array_equal(spent("digits_quickstart", keys | more)[0], slots)
