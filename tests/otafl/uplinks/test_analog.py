"""The analog uplink against the complex channel, by its own radio and by numbers of choice."""

import numpy as np
import pytest
import tensorflow as tf

from otafl.algorithms import METHODS
from otafl.channels import multiple_access
from otafl.channels.clipping import Clipping
from otafl.channels.csi import known
from otafl.channels.effective_channel import Effective
from otafl.channels.grid import Grid
from otafl.channels.noise import complex_normal
from otafl.channels.power import common_scaling, transmitted_energy_j
from otafl.channels.precoding import ChannelInversion, TruncatedInversion
from otafl.federation.element_channel import on_elements
from otafl.scenario.keys_read import resolved
from otafl.settings.keys import Settings
from otafl.uplinks.analog import Analog
from otafl.uplinks.analog_link import Amplifier, AnalogLink, Radio, amplification, signal_power
from otafl.uplinks.uplink import Senders
from tests.otafl.algorithms.conftest import CASES, build, noise_free
from tests.otafl.uplinks.links import draw_of, link_of, linked

RHO = 0.5


@pytest.fixture(params=CASES)
def problem(request):
    """Each of CASES in turn."""
    return build(request.param)


def radio(budget: float, noise_std: float) -> Radio:
    return Radio(*(tf.constant([value], tf.float64) for value in (budget, noise_std, 1e-3)))


def inverting(gain: np.ndarray, noise, radio: Radio, downlink_noise=None, distortion: float = 0.0) -> AnalogLink:
    """A link over which every worker inverts its channel, with one sample of noise for each element."""
    distortion_ratio = distortion * gain if distortion else None
    heard = None if downlink_noise is None else downlink_noise[None]
    return linked(draw_of(Effective(gain, None, 1 / gain, None, gain, distortion_ratio), noise[None], heard), radio)


def carried(link: AnalogLink, message, vector: int = 0):
    """What arrives of the messages of all workers."""
    return link.received(link.sent(message), vector)


def test_no_worker_exceeds_the_power_budget(problem):
    """In every upload the binding worker meets the budget with equality and the reported energy is their sum."""
    budget, slot = 0.7, 1e-3
    for it in noise_free(problem, iterations=12, coherence=4, rho=RHO):
        contribution = it.gain * it.after.theta + it.entered / RHO
        link = inverting(it.gain, tf.zeros_like(it.gain[0]), radio(budget, 0.0))
        power = signal_power(contribution, 1 / it.gain)
        scale = amplification(tf.reduce_max(power, axis=0), link.radio)
        transmitted = (power / scale**2).numpy()
        assert transmitted.max() == pytest.approx(budget, rel=1e-12)
        assert np.all(transmitted <= budget * (1 + 1e-12))
        assert carried(link, tf.constant(contribution)).energy.numpy()[0] == pytest.approx(
            transmitted.sum() * slot, rel=1e-12
        )


def test_analog_downlink_sees_the_model_through_scaled_noise():
    """(14): a worker's estimate is Θ + Re{z/h}/α with Var Re{z} = N0/2T."""
    gain = np.full((20_000, 1, 1), 0.25)
    noise = np.random.default_rng(2).standard_normal(gain.shape)
    seen = inverting(gain, np.zeros((1, 1)), radio(4.0, 0.1), noise).broadcast(tf.constant([[[3.0]]], tf.float64))
    deviation = 0.1 * (3.0 / 2.0) / 0.5
    assert np.std(seen) == pytest.approx(deviation, rel=5 / np.sqrt(2 * 20_000))


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


@pytest.mark.parametrize(("fades", "least"), [(False, 0.7), (True, 0.35)])
@pytest.mark.parametrize("backoff_db", [0.0, 6.0])
def test_clipping_agrees_with_waveforms(backoff_db, fades, least):
    """3 workers invert 256 subcarriers, 100 symbols each; waveforms are clipped, and the sum is divided by α and the
    amplifiers' gain. What the link adds is a bound on what is off, twice as much where phases are independent."""
    rng, workers, symbols, made = np.random.default_rng(8), 3, 100, Clipping(backoff_db)
    h = complex_normal(rng, (workers, 256)) if fades else np.ones((workers, 256), complex)
    message = rng.standard_normal((workers, symbols, 256))
    h *= np.maximum(1, 0.5 / np.abs(h))
    heard = np.sum(h[:, None] * made.received(message / h[:, None]), axis=0).real / made.gain
    error = heard - message.sum(axis=0)
    message, gain = message.reshape(workers, -1, 1), np.tile(np.abs(h) ** 2, symbols)[..., None]
    clipped = Amplifier(*(tf.constant([x], tf.float64) for x in _numbers(made, 256 * symbols)))
    link = inverting(
        gain, np.ones(gain.shape[1:]), radio(1.0, 0.0)._replace(amplifier=clipped), None, made.distortion_ratio(1)
    )
    added = (carried(link, tf.constant(message)).total[0] - message.sum(axis=0)).numpy()
    assert least < np.mean(error**2) / np.mean(added**2) < 1
    assert abs(np.mean(error * message.sum(axis=0).reshape(error.shape))) < 0.02


def _numbers(made: Clipping, symbols: int) -> tuple[float, float, float]:
    return made.gain, 1 / 2 / symbols, made.radiated


@pytest.mark.parametrize("method", ["A-FADMM", "A-GD"])
def test_clipping_enters_the_radio_and_ends_with_it(method):
    clipped = analog(method, uplink={"peak_backoff_db": 3.0})
    made = Clipping(3.0)
    np.testing.assert_allclose(clipped.radio.amplifier, _numbers(made, 6))
    for backoff_db in (np.inf, 40.0):
        plain = analog(method, uplink={"peak_backoff_db": backoff_db})
        assert not plain.radio.amplifier
        assert plain.channel(drawn(np.random.default_rng(7))[1], 5, 2, np.float64).distortion_ratio is None


def test_a_clipped_upload_radiates_less():
    gain, message = np.ones((2, 4, 1)), tf.ones([2, 4, 1], tf.float64)
    whole = inverting(gain, np.zeros((4, 1)), radio(1.0, 0.0))
    clipped = Amplifier(*(tf.constant([x], tf.float64) for x in _numbers(Clipping(0.0), 4)))
    less = inverting(gain, np.zeros((4, 1)), radio(1.0, 0.0)._replace(amplifier=clipped), None, 0.1)
    ratio = carried(less, message).energy / carried(whole, message).energy
    np.testing.assert_allclose(ratio, 1 - np.exp(-1))


def test_a_silent_workers_distortion_reaches_the_subcarrier_it_leaves_out():
    found = analog("A-GD", uplink={"peak_backoff_db": 3.0, "inversion_threshold": 1.0})
    h, gains = drawn(np.random.default_rng(7))
    channel = found.channel(gains, 5, 2, np.float64)
    assert (channel.power == 0).any()
    assert channel.distortion_ratio is not None
    np.testing.assert_allclose(
        channel.distortion_ratio, Clipping(3.0).distortion_ratio(1) * np.moveaxis(np.abs(h[..., :3]) ** 2, 0, -1)
    )


def test_all_that_is_radiated_interferes():
    """Of a clipped symbol of power 1 that is as much as there is behind the amplifier, 1 - e^(-γ²) (closed form)."""
    found, interference_ratio = analog("A-GD", uplink={"peak_backoff_db": 0.0}), np.arange(10.0).reshape(2, 5, 1)
    h, gains = drawn(np.random.default_rng(7))
    channel = found.channel(
        lambda subcarriers: gains(subcarriers)._replace(interference_ratio=interference_ratio), 5, 2, np.float64
    )
    arriving = np.abs(h[..., :3]) ** 2 * (Clipping(0.0).distortion_ratio(1) + (1 - np.exp(-1)) * interference_ratio)
    np.testing.assert_allclose(channel.distortion_ratio, np.moveaxis(arriving, 0, -1))


def analog(method: str, elements: int = 6, **tables) -> Analog:
    """The uplink of a method with 3 subcarriers."""
    base = {"uplink": {"kind": "analog", "subcarriers": 3} | tables.pop("uplink", {}), "federation": {"workers": 5}}
    classifies = method not in ("A-FADMM", "A-GD")
    problem = {"kind": "classification", "dataset": "digits"} if classifies else {"dataset": "diabetes"}
    settings = resolved(Settings.model_validate({"method": method, "problem": problem} | base | tables))
    return Analog(settings, METHODS[method], elements)


def drawn(rng: np.random.Generator, seeds: int = 2):
    """Gains of 5 workers, for some seeds, and what draws them."""
    h = complex_normal(rng, (seeds, 5, 10))
    return h, lambda subcarriers: known(h[..., :subcarriers])


@pytest.mark.parametrize("method", ["A-FADMM", "A-SFADMM"])
def test_channel_of_weighed_sums_is_inverted_by_all(method):
    """Whatever the gains, and the threshold is not read: a contribution arrives whole, at a power of 1/|h|²."""
    h, gains = drawn(np.random.default_rng(0))
    channel = analog(method).channel(gains, 5, 2, np.float64)
    gain = np.moveaxis(np.abs(h[..., :3]) ** 2, 0, -1)
    np.testing.assert_allclose(channel.gain, gain, rtol=1e-14)
    np.testing.assert_allclose(channel.power, 1 / gain, rtol=1e-14)
    assert channel.arrival is None
    assert channel.noise_gain is None


def on_both_parts(method: str, elements: int = 7, **uplink) -> Analog:
    """An uplink with two elements to a symbol, on 3 subcarriers."""
    return analog(method, elements, uplink={"elements_per_symbol": 2, "subcarriers": 3} | uplink)


def test_elements_on_both_parts_agree_with_the_complex_reference():
    """x = c/h with two elements on the parts of c arrives whole, whatever the phases; power is that of symbols."""
    h, gains = drawn(np.random.default_rng(5))
    uplink, c = on_both_parts("A-FADMM"), np.random.default_rng(6).standard_normal((5, 7, 2))
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


def radio_of(elements: int, method: str = "A-GD", **uplink) -> Radio:
    """Numbers of an uplink on 3 subcarriers at 40 dB."""
    return analog(method, elements, uplink=uplink).radio


def test_both_parts_halve_the_budget_of_an_element_and_leave_its_noise():
    """So the relative noise of an element, N0/(2·T_s) over its share of the budget, doubles with κ = 2."""
    one, both = (radio_of(1000, elements_per_symbol=number) for number in (1, 2))
    assert one.noise_std == both.noise_std
    assert one.budget == 2 * both.budget
    assert one.symbol_s == both.symbol_s


@pytest.mark.parametrize("symbols", [1, 3, 14])
def test_more_symbols_are_shorter_and_noisier(symbols):
    """q symbols of length T/q at power P: the noise of each has q times the variance, and its energy is P·T/q."""
    radio = radio_of(9, symbols_per_slot=symbols)
    assert radio.symbol_s == pytest.approx(1e-3 / symbols)
    assert radio.noise_std**2 == pytest.approx(1e-9 * symbols / 1e-3 / 2)
    assert radio.budget == pytest.approx(1e4 * 15e3 * 1e-9 * 9)


def test_total_power_is_shared_among_the_subcarriers_in_use():
    """A worker then has P·T for a slot, whatever the number of subcarriers."""
    cases = ("subcarrier", 9), ("total", 9), ("total", 2)
    budgets = [radio_of(elements, power_reference=reference).budget for reference, elements in cases]
    np.testing.assert_allclose(budgets, np.multiply(1e4 * 15e3 * 1e-9, [9, 3, 1]))


@pytest.mark.parametrize("method", ["A-GD", "A-SGD", "FedAvg", "SCAFFOLD"])
def test_channel_of_plain_sums_is_truncated(method):
    """Those below the threshold are silent, the sum of the others is scaled up, and no gain is in the arithmetic."""
    h, gains = drawn(np.random.default_rng(0))
    channel = analog(method, uplink={"inversion_threshold": 0.9}).channel(gains, 5, 2, np.float64)
    magnitude = np.moveaxis(np.abs(h[..., :3]), 0, -1)
    speaks = magnitude >= 0.9
    assert 0 < speaks.mean() < 1
    spoke = speaks.sum(axis=0, keepdims=True)
    np.testing.assert_allclose(channel.arrival, speaks * 5 / np.maximum(spoke, 1), rtol=1e-14)
    np.testing.assert_allclose(channel.power, np.where(speaks, 1 / magnitude**2, 0), rtol=1e-13)
    np.testing.assert_allclose(channel.noise_gain, np.where(spoke > 0, 5 / np.maximum(spoke, 1), 0), rtol=1e-14)
    np.testing.assert_array_equal(channel.gain, np.ones((5, 1, 2)))


@pytest.mark.parametrize("method", ["A-FADMM", "A-GD"])
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
    precoder = ChannelInversion() if method == "A-FADMM" else TruncatedInversion(0.7)
    signals = precoder.coefficients(h) * message
    budget, noise = 10**0.3 * 15e3 * 1e-9 * 6, np.sqrt(1e-9 / 1e-3 / 2) * draw.noise[0, :, 0]
    received = multiple_access.aggregate(signals, h, noise, budget).real
    spoke = np.count_nonzero(signals, axis=0)
    received = received if method == "A-FADMM" else np.where(spoke > 0, 5 / np.maximum(spoke, 1), 0) * received
    np.testing.assert_allclose(upload.total[0, :, 0], received, rtol=1e-9)
    energy = transmitted_energy_j(signals, common_scaling(signals, budget), 1e-3).sum()
    assert upload.energy.numpy()[0] == pytest.approx(energy, rel=1e-9)


@pytest.mark.parametrize(("kind", "share"), [("per_subcarrier", 6), ("per_upload", 1)])
def test_noise_has_the_variance_of_its_matched_filter(kind, share):
    """Var = N0/2T·1/α² an element, α² the budget P·d or P over the largest signal power; within 5 standard errors."""
    count, rng = 20_000, np.random.default_rng(1)
    radio = {"power_budget": kind, "noise_psd_w_per_hz": 3e-8, "slot_s": 2e-3, "subcarrier_spacing_hz": 30e3}
    uplink = analog("A-FADMM", uplink=radio, channel={"snr_db": 7.0})
    h, gains = drawn(rng, seeds=1)
    channel = uplink.channel(gains, 5, 1, np.float64).each(lambda part: on_elements(tf.constant(part), 6))
    message = tf.constant(rng.standard_normal((5, 6, 1)))
    shape = uplink.noise_shape
    assert shape == (1, 6)
    noise = rng.standard_normal((*shape, count))
    link = link_of(uplink, draw_of(channel, noise))
    total = carried(link, tf.repeat(message, count, axis=2)).total
    power = np.sum(message.numpy()[..., 0] ** 2 / np.abs(Grid(3).on_elements(h[0, :, :3], 6)) ** 2, axis=1)
    alpha = np.sqrt(10**0.7 * 30e3 * 3e-8 * share / power.max())
    error = total.numpy()[0] - np.sum(message.numpy(), axis=0)
    expected = 3e-8 / (2 * 2e-3) / alpha**2
    np.testing.assert_allclose(error.var(axis=1), expected, rtol=5 * np.sqrt(2 / count))


def test_digital_downlink_is_exact_and_draws_nothing():
    uplink = analog("A-FADMM")
    assert uplink.downlink_noise_shape == (0, 0, 0)
    model = tf.constant([[[1.0], [2.0]]], tf.float64)
    link = inverting(np.ones((5, 2, 1)), np.ones((2, 1)), radio(1.0, 10.0))
    np.testing.assert_array_equal(link.broadcast(model), model)
    assert analog("A-FADMM", uplink={"downlink": "analog"}).downlink_noise_shape == (1, 5, 6)
    assert analog("SCAFFOLD", uplink={"downlink": "analog"}).downlink_noise_shape == (2, 5, 6)


def test_costs_are_those_of_the_grid():
    """⌈d/S⌉ slots and d uses for each vector, whoever takes part; energy is that of the symbols."""
    for method, vectors in (("A-FADMM", 1), ("FedAvg", 1), ("SCAFFOLD", 2)):
        senders = Senders(4, None, np.ones(3), np.ones(3))
        cost = analog(method, elements=7).cost(senders)
        assert [part.tolist() for part in cost] == [
            [3.0 * vectors] * 3,
            [7.0 * vectors] * 3,
            [0.0] * 3,
            [4 * 7.0 * vectors] * 3,
        ]
    one_slot = analog("A-FADMM", elements=7, uplink={"subcarriers": "one_slot"}).cost(
        Senders(4, None, *np.ones((2, 1)))
    )
    assert (one_slot.slots[0], one_slot.uses[0]) == (1, 7)


def test_second_vector_meets_noise_of_its_own():
    gain, unit = np.ones((3, 2, 1)), np.arange(4.0).reshape(2, 2, 1)
    link = linked(draw_of(Effective(gain, None, gain, None), unit), radio(1.0, 0.5))
    first, second = (carried(link, tf.constant(gain), vector).total - 3 for vector in (0, 1))
    np.testing.assert_allclose(first[0], 0.5 * np.sqrt(2) * unit[0])
    np.testing.assert_allclose(second[0], 0.5 * np.sqrt(2) * unit[1])
