"""The analog uplink against the complex channel, by its own radio and by numbers of choice."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from otafl.algorithms import METHODS
from otafl.channels import multiple_access, waveform
from otafl.channels.clipping import Clipping
from otafl.channels.csi import known
from otafl.channels.effective_channel import Effective
from otafl.channels.grid import Grid
from otafl.channels.noise import complex_normal
from otafl.channels.power import common_scaling, transmitted_energy_j
from otafl.channels.power_control import PerEdge
from otafl.channels.precoding import ChannelInversion, TruncatedInversion
from otafl.engine.participation import Participation
from otafl.federation.round_draw import on_elements
from otafl.scenario.keys_read import resolved
from otafl.settings.keys import Settings
from otafl.uplinks.analog import Analog
from otafl.uplinks.analog_link import Amplifier, AnalogLink, Radio, before_cut
from otafl.uplinks.uplink import Senders
from tests.otafl.uplinks.links import draw_of, in_tensors, link_of, linked


def radio(budget: float, noise_std: float) -> Radio:
    return in_tensors(Radio(budget, noise_std, 1e-3))


def inverting(gain: np.ndarray, noise, radio: Radio, downlink_noise=None, distortion_ratio=None) -> AnalogLink:
    """A link over which every worker inverts its channel, with one sample of noise for each element."""
    heard = None if downlink_noise is None else downlink_noise[None]
    return linked(draw_of(Effective(gain, None, 1 / gain, None, gain, distortion_ratio), noise[None], heard), radio)


def carried(link: AnalogLink, message, vector: int = 0):
    return link.received(link.sent(message), vector)


def test_analog_downlink_agrees_with_the_complex_reference():
    """A worker divides what it hears, h·αΘ + z, by h·α and takes the real part."""
    rng = np.random.default_rng(4)
    h, model = complex_normal(rng, (30, 5)), rng.standard_normal(5)
    budget, deviation = 2.0, 0.3
    alpha = np.sqrt(budget / np.sum(model**2))
    z = complex_normal(rng, (30, 5), 2 * deviation**2)
    expected = ((h * alpha * model + z) / (h * alpha)).real
    unit = (z * np.conj(h) / np.abs(h)).real / deviation
    link = inverting(np.abs(h[..., None]) ** 2, np.zeros((5, 1)), radio(budget, deviation), unit[..., None])
    np.testing.assert_allclose(link.broadcast(tf.constant(model[None, :, None]))[..., 0], expected, rtol=1e-9)


@pytest.mark.parametrize("fades", [False, True])
@pytest.mark.parametrize("backoff_db", [0.0, 6.0])
def test_clipping_agrees_with_waveforms(backoff_db, fades):
    """3 workers invert 256 subcarriers, 100 symbols each; waveforms are clipped, and the sum is divided by α and the
    amplifiers' gain. What the link adds has the power of what is off, within a tenth."""
    rng, workers, symbols, clipping = np.random.default_rng(8), 3, 100, Clipping(backoff_db)
    h = complex_normal(rng, (workers, 256)) if fades else np.ones((workers, 256), complex)
    message = rng.standard_normal((workers, symbols, 256))
    h *= np.maximum(1, 0.5 / np.abs(h))
    flat = waveform.Echoes.flat(np.ones(256))
    path = waveform.Link(waveform.Ofdm(256), flat, amplifier=waveform.Amplifier(backoff_db))
    clipped = np.stack([path.ofdm.demodulated(path.arriving(sent)) for sent in message / h[:, None]])
    heard = np.sum(h[:, None] * clipped, axis=0).real / clipping.gain
    error = heard - message.sum(axis=0)
    message, gain = message.reshape(workers, -1, 1), np.tile(np.abs(h) ** 2, symbols)[..., None]
    ratio = np.tile(np.abs(h) ** 2 * clipping.distortion_ratio(1 / np.abs(h) ** 2, h), symbols)[..., None]
    clips = radio(1.0, 0.0)._replace(amplifier=in_tensors(amplifier(clipping, 256 * symbols)))
    link = inverting(gain, np.ones(gain.shape[1:]), clips, None, ratio)
    added = (carried(link, tf.constant(message)).total[0] - message.sum(axis=0)).numpy()
    assert np.mean(error**2) / np.mean(added**2) == pytest.approx(1, abs=0.1)
    assert abs(np.mean(error * message.sum(axis=0).reshape(error.shape))) < 0.02


def amplifier(made: Clipping, symbols: int) -> Amplifier:
    return Amplifier(made.gain, 1 / 2 / symbols, made.radiated)


@pytest.mark.parametrize("method", ["A-FADMM", "A-GD"])
def test_clipping_enters_the_radio_and_ends_with_it(method):
    clipped = analog(method, uplink={"peak_backoff_db": 3.0})
    made = Clipping(3.0)
    np.testing.assert_allclose(clipped.radio.amplifier, amplifier(made, 6))
    for backoff_db in (np.inf, 40.0):
        plain = analog(method, uplink={"peak_backoff_db": backoff_db})
        assert not plain.radio.amplifier
        assert plain.channel(drawn(np.random.default_rng(7))[1], 5, 2, np.float64).distortion_ratio is None


def test_a_clipped_upload_radiates_less():
    gain, message = np.ones((2, 4, 1)), tf.ones([2, 4, 1], tf.float64)
    whole = inverting(gain, np.zeros((4, 1)), radio(1.0, 0.0))
    clipped = in_tensors(amplifier(Clipping(0.0), 4))
    less = inverting(gain, np.zeros((4, 1)), radio(1.0, 0.0)._replace(amplifier=clipped), None, 0.1 * gain)
    ratio = carried(less, message).energy / carried(whole, message).energy
    np.testing.assert_allclose(ratio, 1 - np.exp(-1))


@pytest.mark.parametrize("interferes", [False, True])
def test_distortion_and_all_else_that_is_radiated_reach_also_the_subcarrier_that_a_worker_leaves_out(interferes):
    """Both add up to the power behind the amplifier, 1 - e^(-γ²) of a clipped symbol of power 1 (closed form).
    Distortion goes over the gain of that subcarrier, interference has the mean power that arrives on all of them."""
    found = analog("A-GD", uplink={"peak_backoff_db": 0.0, "inversion_threshold": 1.0})
    ratio = np.arange(10.0).reshape(2, 5, 1) if interferes else None
    h, gains = drawn(np.random.default_rng(7))
    state = gains(3, 2)._replace(interference_ratio=ratio)
    channel = found.channel(lambda *_, **__: state, 5, 2, np.float64)
    assert (channel.power == 0).any()
    radiated = 0.0 if ratio is None else (1 - np.exp(-1)) * ratio
    reach, sent = np.abs(h[..., :3]) ** 2, np.moveaxis(channel.power, -1, 0)
    mean = np.sum(reach * sent, axis=-1, keepdims=True) / np.maximum(np.sum(sent, axis=-1, keepdims=True), 1e-30)
    clipped = reach * Clipping(0.0).distortion_ratio(sent, h[..., :3])
    arriving = clipped + radiated * mean
    np.testing.assert_allclose(channel.distortion_ratio, np.moveaxis(arriving, 0, -1))


def analog(method: str, elements: int = 6, **tables) -> Analog:
    base = {"uplink": {"kind": "analog", "subcarriers": 3} | tables.pop("uplink", {}), "federation": {"workers": 5}}
    classifies = method not in ("A-FADMM", "A-GD")
    problem = {"kind": "classification", "dataset": "digits"} if classifies else {"dataset": "diabetes"}
    settings = resolved(Settings.model_validate({"method": method, "problem": problem} | base | tables))
    return Analog(settings, METHODS[method], elements)


def drawn(rng: np.random.Generator, seeds: int = 2):
    """Gains of 5 workers, for some seeds, and what draws them."""
    h = complex_normal(rng, (seeds, 5, 10))
    return h, lambda subcarriers, symbols: known(h[..., :subcarriers])


def test_elements_on_both_parts_agree_with_the_complex_reference():
    """x = c/h with two elements on the parts of c arrives whole, whatever the phases; power is that of symbols."""
    h, gains = drawn(np.random.default_rng(5))
    uplink = analog("A-FADMM", 7, uplink={"elements_per_symbol": 2})
    c = np.random.default_rng(6).standard_normal((5, 7, 2))
    channel = uplink.channel(gains, 5, 2, np.float64).each(lambda part: on_elements(tf.constant(part), 7))
    numbers = Radio(*(tf.fill([2], tf.constant(value, tf.float64)) for value in (0.7, 0.0, 1e-3)))
    silence = tf.zeros([1, 7, 2], tf.float64)
    link = linked(draw_of(channel, silence), numbers)
    sent, upload = link.sent(tf.constant(c)), carried(link, tf.constant(c))
    for seed in range(2):
        padded = np.pad(c[..., seed], ((0, 0), (0, 1)))
        seen = h[seed][:, [0, 1, 2, 0]]
        x = (padded[:, ::2] + 1j * padded[:, 1::2]) / seen
        received = multiple_access.aggregate(x, seen, 0.0, 0.7)
        parts = np.stack([received.real, received.imag], axis=-1).reshape(-1)[:7]
        np.testing.assert_allclose(upload.total[0, :, seed], parts, rtol=1e-12)
        assert float(sent.largest[seed]) == pytest.approx(np.sum(np.abs(x) ** 2, axis=1).max(), rel=1e-12)
        energy = transmitted_energy_j(x, common_scaling(x, 0.7), 1e-3).sum()
        assert float(upload.energy[seed]) == pytest.approx(energy, rel=1e-12)


@pytest.mark.parametrize(
    ("elements", "keys", "symbols", "budget"),
    [
        (9, {}, 1, 9),
        (9, {"power_budget": "per_upload"}, 1, 1),
        (9, {"symbols_per_slot": 14, "slot_s": 2e-3, "noise_psd_w_per_hz": 3e-8, "subcarrier_spacing_hz": 30e3}, 14, 9),
        (1000, {"elements_per_symbol": 2}, 1, 500),
        (9, {"power_reference": "total"}, 1, 3),
        (2, {"power_reference": "total"}, 1, 1),
    ],
)
def test_numbers_of_the_radio_by_hand(elements, keys, symbols, budget):
    """q symbols of length T/q at power P, which is that of a symbol or shared by the subcarriers in use, 3 at most."""
    made, psd = analog("A-GD", elements, uplink=keys), keys.get("noise_psd_w_per_hz", 1e-9)
    slot, spacing = keys.get("slot_s", 1e-3), keys.get("subcarrier_spacing_hz", 15e3)
    assert made.noise_shape == (1, elements)
    assert made.radio.symbol_s == pytest.approx(slot / symbols)
    assert made.radio.noise_std**2 == pytest.approx(psd * symbols / slot / 2)
    assert made.radio.budget == pytest.approx(1e4 * spacing * psd * budget)


@pytest.mark.parametrize("method", ["A-FADMM", "A-GD", "FedAvg"])
def test_whole_upload_agrees_with_the_complex_reference(method):
    """From complex gains on 3 subcarriers to the sum of 6 elements, the uplink's own radio, noise and energy."""
    rng = np.random.default_rng(5)
    uplink = analog(method, uplink={"inversion_threshold": 0.7}, channel={"snr_db": 3.0})
    h, gains = drawn(rng, seeds=1)
    channel = uplink.channel(gains, 5, 1, np.float64).each(lambda part: on_elements(tf.constant(part), 6))

    draw = draw_of(channel, rng.standard_normal((1, 6, 1)))
    message = rng.standard_normal((5, 6))
    link = link_of(uplink, draw)
    upload = carried(link, tf.constant(message[..., None]))

    h = Grid(3).on_elements(h[0, :, :3], 6)
    np.testing.assert_allclose(channel.gain[..., 0], np.abs(h) ** 2 if method == "A-FADMM" else np.ones((5, 6)))
    precoder = ChannelInversion() if method == "A-FADMM" else TruncatedInversion(0.7)
    signals = precoder.coefficients(h) * message
    budget, noise = 10**0.3 * 15e3 * 1e-9 * 6, np.sqrt(1e-9 / 1e-3 / 2) * draw.noise[0, :, 0]
    received = multiple_access.aggregate(signals, h, noise, budget).real
    spoke = np.count_nonzero(signals, axis=0)
    received = received if method == "A-FADMM" else np.where(spoke > 0, 5 / np.maximum(spoke, 1), 0) * received
    np.testing.assert_allclose(upload.total[0, :, 0], received, rtol=1e-9)
    energy = transmitted_energy_j(signals, common_scaling(signals, budget), 1e-3).sum()
    assert upload.energy.numpy()[0] == pytest.approx(energy, rel=1e-9)


def test_digital_downlink_is_exact_and_draws_nothing():
    uplink = analog("A-FADMM")
    assert uplink.downlink_noise_shape == (0, 0, 0)
    model = tf.constant([[[1.0], [2.0]]], tf.float64)
    link = inverting(np.ones((5, 2, 1)), np.ones((2, 1)), radio(1.0, 10.0))
    np.testing.assert_array_equal(link.broadcast(model), model)
    assert analog("A-FADMM", uplink={"downlink": "analog"}).downlink_noise_shape == (1, 5, 6)
    assert analog("SCAFFOLD", uplink={"downlink": "analog"}).downlink_noise_shape == (2, 5, 6)


@pytest.mark.parametrize(
    ("method", "subcarriers", "slots", "uses"),
    [("A-FADMM", 3, 3, 7), ("FedAvg", 3, 3, 7), ("SCAFFOLD", 3, 6, 14), ("A-FADMM", "one_slot", 1, 7)],
)
def test_costs_are_those_of_the_grid(method, subcarriers, slots, uses):
    """⌈d/S⌉ slots and d uses for each vector, whoever takes part; energy is that of the symbols."""
    made = analog(method, elements=7, uplink={"subcarriers": subcarriers})
    cost = made.cost(Senders(4, None, np.ones(2), np.ones(2)))
    assert [part.tolist() for part in cost] == [[slots] * 2, [uses] * 2, [0] * 2, [4 * uses] * 2]


def test_second_vector_meets_noise_of_its_own():
    gain, unit = np.ones((3, 2, 1)), np.arange(4.0).reshape(2, 2, 1)
    link = linked(draw_of(Effective(gain, None, gain, None), unit), radio(1.0, 0.5))
    first, second = (carried(link, tf.constant(gain), vector).total - 3 for vector in (0, 1))
    np.testing.assert_allclose(first[0], 0.5 * np.sqrt(2) * unit[0])
    np.testing.assert_allclose(second[0], 0.5 * np.sqrt(2) * unit[1])


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
