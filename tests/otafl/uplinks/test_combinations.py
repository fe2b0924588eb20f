"""Chains of parts that have no name, each against a twin in NumPy or a limit, and every scheme over its uplink."""

import math
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl.algorithms import METHODS
from otafl.channels.csi import known
from otafl.channels.fading import FADING, realise
from otafl.channels.fading.layout import Layout
from otafl.errors import OtaflError
from otafl.federation.round_draw import on_elements
from otafl.schemes import SCHEMES
from otafl.uplinks.uplink import Senders
from tests.otafl.small import some
from tests.otafl.uplinks.links import draw_of, link_of

WORKERS, ELEMENTS, SUBCARRIERS, EPSILON = 5, 40, 8, 1.0
SMALL = {"federation.workers": WORKERS, "run.seeds": 1, "run.iterations": 2, "local.steps": 2, "channel.snr_db": 10.0}
FADINGS = pytest.mark.parametrize("fading", ["rayleigh", "tdl"])


def uplink(kind: str, fading: str = "rayleigh", method: str = "FedSGD", **parts: Any) -> Any:
    keys = {f"uplink.{name}": value for name, value in parts.items()} | {"channel.fading": fading}
    keys |= {"method": f"{method}@{kind}", "uplink.subcarriers": SUBCARRIERS, "channel.snr_db": 3.0}
    ((_, settings),) = otafl.load("digits_quickstart", SMALL | {"local.steps": None} | keys).points()
    made = otafl.uplinks.uplink(kind)
    return made(settings, METHODS[method], ELEMENTS)


def carried(made: Any, fading: str, message: np.ndarray, iteration: int = 0) -> tuple[Any, Any, np.ndarray, np.ndarray]:
    """Return messages [workers, d] at the server, its radio, gains on elements, and noise followed by words."""
    model = FADING.make(fading, **made.settings.channel.model_dump())
    h = realise(model, Layout(WORKERS), np.random.SeedSequence(3)).gains(0, SUBCARRIERS)
    h = h.reshape(WORKERS, SUBCARRIERS)
    channel = made.channel(lambda count, symbols=1: known(h[None, :, :count]), WORKERS, 1, np.float64)
    channel = channel.each(lambda part: on_elements(tf.constant(part), ELEMENTS))
    noise = np.random.default_rng(4).standard_normal((1, made.noise_shape[1] + made.words_shape[1], 1))
    samples, words = (tf.constant(part) for part in np.split(noise, [made.noise_shape[1]], axis=1))
    link = link_of(made, draw_of(channel, samples, words=words, number=tf.constant(iteration)))
    memory = (tf.zeros((*message.shape, 1), tf.float64),) * made.chain.compressor.remembers
    (light,), _ = link.compress((tf.constant(message[..., None]),), memory)
    upload = link.received(link.sent(light))
    return upload, made.radio, np.tile(h, ELEMENTS // SUBCARRIERS), noise[0, :, 0]


def slots(made: Any, h: np.ndarray) -> tuple[float, float]:
    """Slots of an upload over gains [workers, S], as they are charged, and by hand: worker n has the subcarriers from
    n·S/N to (n + 1)·S/N, of those at the ends a share, and a symbol of SNR·W·T on each."""
    snr, each = np.array([2.0]), SUBCARRIERS / WORKERS
    none = {"correlated": False, "errors": np.zeros((1, 1, 1)), "turned": np.zeros((1, 1, 1))}
    band: Any = SimpleNamespace(first=lambda count: h[None, :, :count], **none)
    cost = made.cost(Senders(WORKERS, band, snr, snr))
    place, first = np.arange(SUBCARRIERS), each * np.arange(WORKERS)[:, None]
    share = np.clip(np.minimum(place + 1, first + each) - np.maximum(place, first), 0, None)
    rate = np.sum(share * np.log2(1 + 15 * snr * np.abs(h) ** 2), axis=1)
    return float(cost.slots[0]), float(np.ceil(made.bits / rate).max())


def drawn(seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((WORKERS, ELEMENTS))


def largest(message: np.ndarray, share: float) -> np.ndarray:
    """The largest elements of each message by sorting, 0 for the others."""
    count = max(1, round(share * message.shape[1]))
    least = np.sort(np.abs(message), axis=1)[:, [-count]]
    return np.where(np.abs(message) >= least, message, 0.0)


def in_bfloat16(numbers: np.ndarray) -> np.ndarray:
    return tf.cast(tf.cast(numbers, tf.bfloat16), tf.float64).numpy()


@FADINGS
@pytest.mark.parametrize("receiver", ["mean_of_active", "majority"])
def test_signs_with_phases_compensated_are_their_complex_twin(fading, receiver):
    """x = α·sign(c)·h*/|h|, α² = P symbols over d, whatever the channel; the server divides by the mean of |h|."""
    made = uplink("analog", fading, compressor="sign", precoder="phase_compensation", receiver=receiver)
    message = drawn()
    upload, radio, h, noise = carried(made, fading, message)
    alpha = np.sqrt(radio.budget / ELEMENTS)
    sent = alpha * np.sign(message) * h.conj() / np.abs(h)
    assert np.sum(np.abs(sent) ** 2, axis=1).max() == pytest.approx(radio.budget)
    heard = (np.sum(h * sent, axis=0).real + radio.noise_std * noise) / alpha
    votes = np.sign(message).sum(axis=0)
    weighed = WORKERS / np.abs(h).sum(axis=0) * heard if receiver == "mean_of_active" else np.sign(heard)
    target_sum = votes if receiver == "mean_of_active" else np.sign(votes)
    np.testing.assert_allclose(upload.total[0, :, 0], weighed, rtol=1e-9)
    expected = [np.sum((weighed - target_sum) ** 2), np.sum(target_sum**2)]
    np.testing.assert_allclose(upload.error[:, 0], expected, rtol=1e-9)


@FADINGS
@pytest.mark.parametrize("iteration", [0, 8])
def test_largest_elements_at_scheduled_power_are_their_complex_twin(fading, iteration):
    """What is kept is cut to L_t; α² = budget·ε²/L_t²; silent workers are made up for by their number."""
    parts = {"compressor": "top_k", "sparsity": 0.2, "power_control": "scheduled", "update_norm": 1.5}
    made, message = uplink("analog", fading, inversion_threshold=EPSILON, **parts), drawn()
    upload, radio, h, noise = carried(made, fading, message, iteration)
    norm = 1.5 / WORKERS * (iteration + 1) ** -0.5 if METHODS["FedSGD"].weighted else 1.5 * (iteration + 1) ** -0.5
    kept = largest(message, 0.2)
    cut = kept * np.minimum(1, norm / np.linalg.norm(kept, axis=1, keepdims=True))
    speaks = np.abs(h) >= EPSILON
    assert 0 < speaks.mean() < 1
    alpha = np.sqrt(radio.budget) * EPSILON / norm
    sent = alpha * np.where(speaks, cut / h, 0)
    assert np.sum(np.abs(sent) ** 2, axis=1).max() <= radio.budget
    heard = (np.sum(h * sent, axis=0).real + radio.noise_std * noise) / alpha
    spoke = speaks.sum(axis=0)
    expected = np.where(spoke > 0, WORKERS / np.maximum(spoke, 1), 0) * heard
    np.testing.assert_allclose(upload.total[0, :, 0], expected, rtol=1e-9)
    assert float(upload.energy[0]) == pytest.approx(np.sum(np.abs(sent) ** 2) * radio.symbol_s, rel=1e-9)
    off = np.sum((expected - kept.sum(axis=0)) ** 2)
    np.testing.assert_allclose(upload.error[:, 0], [off, np.sum(kept.sum(axis=0) ** 2)], rtol=1e-9)


@FADINGS
def test_largest_elements_arrive_over_digital_uploads_and_their_bits_are_those_of_values_and_places(fading):
    made, message = uplink("digital", fading, compressor="top_k", sparsity=0.1, bits_per_element=16), drawn()
    upload, _, h, _ = carried(made, fading, message)
    np.testing.assert_allclose(upload.total[0, :, 0], in_bfloat16(largest(message, 0.1)).sum(axis=0), rtol=1e-12)
    assert made.bits == 4 * 16 + math.ceil(math.log2(math.comb(ELEMENTS, 4)))
    charged, by_hand = slots(made, h[:, :SUBCARRIERS])
    assert charged == by_hand > 1


@FADINGS
def test_majorities_of_signs_arrive_over_digital_uploads_as_one_of_three_values_an_element(fading):
    made, message = uplink("digital", fading, compressor="sign", receiver="majority"), drawn()
    upload, _, h, _ = carried(made, fading, message)
    np.testing.assert_array_equal(upload.total[0, :, 0], np.sign(np.sign(message).sum(axis=0)))
    assert float(upload.error[0, 0]) == 0
    assert made.bits == (3**ELEMENTS - 1).bit_length()
    charged, by_hand = slots(made, h[:, :SUBCARRIERS])
    assert charged == by_hand > 1


VOTES = "OBDA", "signSGD-MV", "FSK-MV"


@pytest.mark.parametrize("name", some(SCHEMES, ("COTAF", "signSGD-MV")))
@pytest.mark.filterwarnings("ignore::otafl.errors.Remark")
def test_every_scheme_learns_by_its_name_alone_or_says_what_to_set(name):
    """Digits at 20 dB over the default fading, where chance gives an accuracy of 0.1."""
    method, rounds = ("FedSGD", 60) if name in VOTES else ("FedAvg", 10)
    keys = {"method": method, "uplink.scheme": name, "channel.snr_db": 20.0, "run.seeds": 1, "run.iterations": rounds}
    try:
        data = otafl.run("digits_quickstart", keys)
    except OtaflError as refused:
        key, value = re.findall(r"set (\S+) = (\S+)", str(refused))[0]
        data = otafl.run("digits_quickstart", keys | {key: float(value)})
    assert data["test_accuracy"].values.ravel()[-1] > 0.2
    assert np.isfinite(data["aggregation_nmse"]).all()


@pytest.mark.parametrize("name", SCHEMES)
def test_every_scheme_says_its_uplink_and_is_refused_over_another_one(name):
    kind = SCHEMES[name].uplink
    other = {"analog": "digital", "digital": "analog"}[kind]
    keys = SMALL | {"method": "FedSGD" if name in VOTES else "FedAvg", "uplink.scheme": name}
    keys |= {"uplink.inversion_threshold": 0.3} if name == "COTAF" else {}
    ((_, settings),) = otafl.load("digits_quickstart", keys | {"local.steps": None}).points()
    assert settings.uplink.kind == kind
    for key, part in SCHEMES[name].parts.items():
        assert getattr(settings.uplink, key) == part
    with pytest.raises(OtaflError, match=rf"uplink.scheme = '{name}': .* over the {other} uplink does not read it"):
        otafl.load("digits_quickstart", keys | {"local.steps": None, "uplink.kind": other})
