"""Uplinks over which all arrives: the digital one, which costs what Shannon's rate asks for, and the ideal one."""

import itertools

import numpy as np
import pytest
import tensorflow as tf

from otafl.algorithms import METHODS
from otafl.channels import digital as digital_band
from otafl.channels.codes import dispersion
from otafl.channels.csi import known
from otafl.channels.effective_channel import Effective
from otafl.channels.noise import complex_normal
from otafl.errors import OtaflError
from otafl.scenario.keys_read import resolved
from otafl.settings.keys import Settings
from otafl.uplinks import Digital, Ideal, digital
from otafl.uplinks.link import Numbers
from otafl.uplinks.uplink import Senders
from tests.otafl.uplinks.links import PLAIN, draw_of

RUNS, WORKERS, ELEMENTS = 2, 3, 5
BITS_PER_USE = np.log2(1 + 15 * 4)


class Fading:
    """A band on which each worker has one gain, which is another one in each run."""

    def __init__(self, gains, correlated=False):
        self.gains, self.correlated, self.errors = gains, correlated, np.zeros((*gains.shape, 1))
        self.turned = self.errors

    def first(self, subcarriers):
        return self.gains[..., None].repeat(subcarriers, axis=-1)

    def split(self, run, each):
        return self.first(each)[run]

    def pieces(self):
        while True:
            yield self.first(4)


def made(kind, method: str = "FedAvg", channel=None, algorithm=None, **uplink):
    tables = {"method": method, "problem": {"kind": "classification", "dataset": "digits"}}
    tables |= {"uplink": {"kind": kind.kinds[0], "subcarriers": 6} | uplink, "federation": {"workers": WORKERS}}
    tables |= {"channel": channel or {}, "algorithm": algorithm or {}}
    return kind(resolved(Settings.model_validate(tables)), METHODS[method], ELEMENTS)


def senders(left: float = np.inf, snr: float = 4.0, band=None) -> Senders:
    return Senders(WORKERS, band or Fading(np.ones((RUNS, WORKERS))), np.full(RUNS, snr), np.array([2.0, 3.0]), left)


@pytest.mark.parametrize("kind", [Digital, Ideal])
def test_sums_and_models_arrive_as_they_were_sent(kind):
    rng = np.random.default_rng(0)
    message = rng.standard_normal((WORKERS, ELEMENTS, RUNS))
    model = tf.constant(rng.standard_normal((1, ELEMENTS, RUNS)))
    nothing = tf.zeros([1, 0, RUNS])
    draw = draw_of(Effective(message, None, message, None), nothing, nothing)
    link = kind.links(draw, Numbers({}), PLAIN, tf.zeros(RUNS, tf.float64))
    upload = link.received(link.sent(tf.constant(message)))
    np.testing.assert_allclose(upload.total[0], message.sum(axis=0), rtol=1e-14)
    np.testing.assert_array_equal(upload.energy, np.zeros(RUNS))
    assert link.broadcast(model) is model


@pytest.mark.parametrize("kind", [Digital, Ideal])
def test_channel_is_only_in_the_methods_arithmetic(kind):
    """No draws of noise; gains where a method weighs by them, else 1."""
    h = complex_normal(np.random.default_rng(0), (RUNS, WORKERS, 9))
    uplink = made(kind)
    gain, arrival, _, *others = uplink.channel(
        lambda subcarriers: known(h[..., :subcarriers]), WORKERS, RUNS, np.float32
    )
    np.testing.assert_array_equal(gain, np.ones((WORKERS, 1, RUNS)))
    assert {arrival, *others} == {None}
    assert gain.dtype == np.float32
    assert uplink.noise_shape[1] == 0
    assert uplink.downlink_noise_shape == (0, 0, 0)
    assert tf.nest.flatten(uplink.radio) == []


def test_weighted_consensus_has_the_gains_of_the_subcarriers_in_use():
    h = complex_normal(np.random.default_rng(0), (RUNS, WORKERS, 9))
    uplink = made(Digital, "D-SFADMM", subcarriers=4, algorithm={"consensus": "channel_weighted"})
    channel = uplink.channel(lambda subcarriers: known(h[..., :subcarriers]), WORKERS, RUNS, np.float64)
    np.testing.assert_allclose(channel.gain, np.moveaxis(np.abs(h[..., :4]) ** 2, 0, -1))


@pytest.mark.parametrize(("method", "numbers"), [("FedAvg", 5), ("SCAFFOLD", 10), ("FedNova", 6)])
def test_digital_cost_by_hand(method, numbers):
    """Two subcarriers each: bits over 2·log2(1 + 15·SNR) a slot, rounded up; an ideal uplink charges elements alone."""
    cost = made(Digital, method).cost(senders())
    slots = np.ceil(32 * numbers / (2 * BITS_PER_USE))
    np.testing.assert_array_equal(cost.slots, [slots] * RUNS)
    np.testing.assert_array_equal(cost.uses, [6 * slots] * RUNS)
    np.testing.assert_allclose(cost.energy, 6 * slots * np.array([2.0, 3.0]) * 1e-3)
    np.testing.assert_array_equal(cost.elements, [WORKERS * numbers] * RUNS)
    slots, uses, energy, elements = made(Ideal, method).cost(senders())
    np.testing.assert_array_equal([slots, uses, energy], np.zeros((3, RUNS)))
    np.testing.assert_array_equal(elements, cost.elements)


def test_estimated_gains_carry_what_is_left_of_their_error():
    """log2(1 + SNR|ĥ|²/(1 + SNR·σ²)), SNR·W·T of one symbol a slot."""
    h, variance, snr = np.array([[[0.5, 2.0]]]), np.array([[[0.1, 0.3]]]), 15 * 4.0
    theirs = np.log2(1 + snr * h**2 / (1 + snr * variance))
    np.testing.assert_allclose(made(Digital).bits_per_slot(h, np.array([4.0]), variance), theirs)


def test_what_phases_turn_away_is_noise_to_the_receiver():
    """log2(1 + s/(1 + r·s)) with the SNR s of a symbol, which no power takes above log2(1 + 1/r)."""
    h, turned = np.array([[[0.5, 2.0]]]), np.array([[[0.01]]])
    for snr in (4.0, 1e9):
        ratio = 15 * snr * h**2
        theirs = made(Digital).bits_per_slot(h, np.array([snr]), turned=turned)
        np.testing.assert_allclose(theirs, np.log2(1 + ratio / (1 + 0.01 * ratio)))
    np.testing.assert_allclose(theirs, np.log2(101), rtol=1e-6)


def test_pilots_begin_a_slot_that_they_do_not_fill():
    """2 pilots of all workers at once, 14 symbols a slot: one slot, 2 symbols on each of 6 subcarriers, at 20 dB."""
    uplink = made(Digital, symbols_per_slot=14, channel={"pilots": 2, "pilot_snr_db": 20.0})
    noise = np.array([1e-9, 2e-9])
    cost = uplink.sounding(1.0, uplink.cost(senders()), noise)
    np.testing.assert_array_equal(cost.slots, [1, 1])
    np.testing.assert_allclose(cost.uses, [12, 12])
    np.testing.assert_allclose(cost.energy, 12 * 100 * noise)


@pytest.mark.parametrize("symbols", [1, 14])
@pytest.mark.parametrize(("correlated", "most"), [(False, r"1e\+03"), (True, "1,000")])
def test_uses_beyond_counting_are_refused_or_infinite(monkeypatch, correlated, most, symbols):
    """Where a limit on channel uses ends a run anyway, they need not be counted out."""
    for name in ("MOST_SUBCARRIERS", "MOST_CORRELATED"):
        monkeypatch.setattr(digital, name, 1000)
    uplink = made(Digital, subcarriers="one_slot", symbols_per_slot=symbols)
    band = Fading(np.ones((RUNS, WORKERS)), correlated)
    with pytest.raises(OtaflError, match=rf"uplink\.subcarriers = 'one_slot': needs more than {most} subcarriers"):
        uplink.cost(senders(snr=1e-9, band=band))
    assert np.isinf(uplink.cost(senders(left=500.0, snr=1e-9, band=band)).uses).all()


CODES = pytest.mark.parametrize("code", [{}, {"code": "normal"}])


@CODES
@pytest.mark.parametrize("begins", [[0], [0, 1, 4, 6, 11, *range(13, 10**4)]], ids=["one block", "several"])
def test_an_upload_ends_in_the_slot_in_which_its_codeword_has_all_bits(begins, code):
    """Slot by slot: capacities and dispersions of all slots add up, whatever the block."""
    rng, runs = np.random.default_rng(1), 300
    bands = [Fading(rng.uniform(0.1, 1, (runs, WORKERS))) for _ in begins]
    uplink, snr = made(Digital, bits_per_element=8, **code), np.geomspace(0.02, 50, runs)
    sender = Senders(WORKERS, bands[0], snr, snr)
    if len(bands) > 1:
        sender = sender._replace(bands=lambda: zip(bands, begins, strict=True))
    capacity, spread, needed = np.zeros((runs, WORKERS)), np.zeros((runs, WORKERS)), np.zeros((runs, WORKERS))
    for slot in itertools.count():
        one = np.log2(1 + 15 * snr[:, None] * bands[np.searchsorted(begins, slot, "right") - 1].gains ** 2)
        capacity, spread = capacity + 2 * one, spread + 2 * dispersion(one)
        needed[(needed == 0) & (uplink.chain.code.carried(capacity, spread) >= uplink.bits)] = slot + 1
        if needed.all():
            break
    assert needed.min() < 6
    assert needed.max() > 13
    cost = uplink.cost(sender)
    np.testing.assert_allclose(cost.slots, uplink.chain.code.upload_slots(needed))
    np.testing.assert_allclose(cost.uses, 2 * needed.sum(axis=-1) * uplink.chain.code.attempts)


@CODES
@pytest.mark.parametrize("correlated", [False, True])
def test_one_slot_takes_as_many_subcarriers_as_the_slowest_codeword_is_long(correlated, code):
    gains = np.random.default_rng(2).uniform(0.3, 1, (200, WORKERS))
    uplink, snr = made(Digital, subcarriers="one_slot", **code), np.geomspace(0.02, 50, 200)
    rate = np.log2(1 + 15 * snr[:, None] * gains**2)
    longest = np.ceil(uplink.chain.code.length(uplink.bits, rate, dispersion(rate))).max(axis=-1)
    cost = uplink.cost(Senders(WORKERS, Fading(gains, correlated), snr, snr))
    np.testing.assert_allclose(cost.uses, WORKERS * longest * uplink.chain.code.attempts)
    np.testing.assert_allclose(cost.slots, uplink.chain.code.upload_slots(np.ones((200, WORKERS))))
    assert code or (cost.slots == 1).all()


@pytest.mark.parametrize(
    "keys", [{}, {"code": "normal"}, {"allocation": "min_makespan"}, {"allocation": "proportional_fair"}]
)
def test_without_noise_an_upload_takes_a_slot(keys):
    """With 7 subcarriers for 3 workers, some shares of a subcarrier are zero."""
    assert 0 in digital_band.band_split(WORKERS, 7)[1]
    uplink = made(Digital, subcarriers=7, **keys)
    slots, band = uplink._slots(senders(snr=np.inf))
    np.testing.assert_array_equal(slots, 1)
    np.testing.assert_allclose(band, 7 / 3)
