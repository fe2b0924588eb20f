"""Uploads over the air that are cut midway, against closed forms and by hand."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from otafl.channels.effective_channel import Effective
from otafl.channels.power_control import PerEdge
from otafl.engine.participation import Participation
from otafl.federation.cut_uploads import before_cut
from otafl.scenario.keys_read import resolved
from otafl.settings.keys import Settings
from otafl.uplinks.analog_link import Amplifier, AnalogLink, Radio
from tests.otafl.uplinks.links import draw_of, in_tensors, linked

BUDGET, SLOT = 0.7, 1e-3


def cutting(sent, channel: Effective, elements: int, symbols: int, vectors: int = 1, **parts: Any) -> AnalogLink:
    """A link without noise, over which each worker sends a share of its upload."""
    radio = in_tensors(Radio(BUDGET, 0.0, SLOT, parts.pop("amplifier", ()), symbols))
    noise = np.zeros((vectors, elements, 1))
    return linked(draw_of(channel, noise, sent=tf.constant(np.reshape(sent, (-1, 1, 1)), tf.float64)), radio, **parts)


def marks(sent, elements: int, symbols: int, vector: int = 0, vectors: int = 1) -> np.ndarray:
    """1 for elements that are sent, 0 for others, of each worker."""
    share, of_symbols = tf.constant(np.reshape(sent, (-1, 1, 1)), tf.float64), tf.constant([symbols], tf.float64)
    ones = tf.ones([len(sent), elements, 1], tf.float64)
    return before_cut(share, (vector, vectors), of_symbols, ones).numpy()[..., 0]


@pytest.mark.parametrize("chance", [0.3, 1.0])
def test_expected_sum_and_energy_are_their_closed_forms(chance):
    """Element i of d arrives with probability 1 − p(i + ½)/d, and 1 − p/2 of the energy is radiated: within 3 standard
    errors over 20,000 workers that send two vectors of ones."""
    workers, elements, vectors = 20_000, 5, 2
    tables = {"method": "SCAFFOLD", "problem": {"kind": "classification", "dataset": "digits"}}
    tables |= {"federation": {"workers": workers, "cut_chance": chance}, "uplink": {"kind": "analog"}}
    drawn = next(Participation(resolved(Settings.model_validate(tables)), np.ones(workers), 0)).sent
    ones = np.ones((1, 1, 1))
    link = cutting(drawn, Effective(ones, None, ones, None), elements, elements, vectors)
    message = tf.ones([workers, elements, 1], tf.float64)
    got = [link.received(link.sent(message, vector), vector) for vector in range(vectors)]
    share = np.concatenate([upload.total.numpy()[0, :, 0] for upload in got]) / workers
    wanted = 1 - chance * (np.arange(vectors * elements) + 0.5) / (vectors * elements)
    assert np.all(np.abs(share - wanted) <= 3 * np.sqrt(wanted * (1 - wanted) / workers))
    energy = sum(float(upload.energy[0]) for upload in got) / (vectors * workers * BUDGET * SLOT)
    assert abs(energy - (1 - chance / 2)) <= 3 * np.sqrt((chance / 3 - chance**2 / 4) / workers)
    lost, norm = got[0].error.numpy()[:, 0]
    np.testing.assert_allclose(lost / norm, np.mean((1 - share[:elements]) ** 2))


def test_vectors_and_symbols_are_sent_one_after_the_other():
    """5 elements on 3 symbols of two parts each: a cut is at the end of a symbol."""
    np.testing.assert_array_equal(marks([0.0, 0.4, 0.6, 1.0], 5, 3).sum(axis=1), [0, 2, 4, 5])
    np.testing.assert_array_equal(marks([0.0, 0.26, 0.74, 1.0], 4, 4, 0, 2).sum(axis=1), [0, 2, 4, 4])
    np.testing.assert_array_equal(marks([0.0, 0.26, 0.74, 1.0], 4, 4, 1, 2).sum(axis=1), [0, 0, 2, 4])
    assert marks([0.6], 5, 3)[0].tolist() == [1, 1, 1, 1, 0]


@pytest.mark.parametrize("edges", [1, 2])
def test_power_is_controlled_for_whole_uploads_and_radiated_until_the_cut(edges):
    """By hand, over random gains: α is that of whole vectors, sum, energy and distortion those of symbols sent."""
    rng, sent = np.random.default_rng(0), np.array([0.5, 1.0, 0.25, 0.0])
    message, gain, arrival = rng.standard_normal((4, 8, 1)), rng.exponential(size=(4, 8, 1)), rng.random((4, 8, 1))
    control: Any = {"power_control": PerEdge(edges=edges)} if edges > 1 else {}
    channel = Effective(gain, arrival, 1 / gain, None, gain, 0.1 * gain)
    link = cutting(sent, channel, 8, 8, amplifier=Amplifier(1.0, 1.0, 1.0), **control)
    made: Any = link.sent(tf.constant(message))
    until = (np.arange(8) < 8 * sent[:, None])[..., None]
    whole, cut = ((message**2 * part / gain).sum(axis=1) for part in (1, until))
    largest = whole.reshape(edges, -1).max(axis=1)
    np.testing.assert_allclose(made.arrived, (until * arrival * message).sum(axis=0))
    np.testing.assert_allclose(made.target_sum, message.sum(axis=0))
    np.testing.assert_allclose(made.largest, [largest.sum()])
    power = (cut.reshape(edges, -1) / largest[:, None]).ravel() * largest.sum()
    np.testing.assert_allclose([made.power[0], made.peak[0]], [power.sum(), power.max()])
    np.testing.assert_allclose(made.spread, (0.1 * gain * until * whole[:, None]).sum(axis=0))
    np.testing.assert_allclose(link.received(made).energy, [BUDGET * SLOT * power.sum() / largest.sum()])


def test_whole_uploads_are_those_of_links_without_cuts():
    rng = np.random.default_rng(1)
    message, gain = tf.constant(rng.standard_normal((3, 6, 1))), rng.exponential(size=(3, 6, 1))
    link = cutting(np.ones(3), Effective(gain, None, 1 / gain, None), 6, 6)
    plain = AnalogLink(link.draw._replace(sent=None), link.radio, link.chain, link.silent)
    for one, other in zip(link.received(link.sent(message)), plain.received(plain.sent(message)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)
