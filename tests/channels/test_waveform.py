"""Samples of uploads against what the rest of ``channels`` says of them, one impairment at a time."""

import numpy as np
import pytest
from scipy.special import j0

from otafl.channels.clipping import Clipping
from otafl.channels.fading import Layout, TdlFading
from otafl.channels.fading.plane_waves import LIGHT_M_S
from otafl.channels.fading.tdl import profile
from otafl.channels.imperfections import overlap
from otafl.channels.noise import complex_normal
from otafl.channels.oscillators import Oscillators, in_band, kept_share, leaked_share
from otafl.channels.waveform import Amplifier, Converter, Echoes, Link, Ofdm, knots_s, phases

SPACING_HZ, SUBCARRIERS, SYMBOLS = 15e3, 64, 200
OFDM = Ofdm(SUBCARRIERS)
FLAT = Echoes.flat(np.ones(SUBCARRIERS))
SYMBOLS_SENT = complex_normal(np.random.default_rng(0), (SYMBOLS, SUBCARRIERS))
SEED = np.random.SeedSequence(1)


def received(link: Link, sent: np.ndarray = SYMBOLS_SENT) -> np.ndarray:
    return link.ofdm.demodulated(link.arriving(sent))


def interference(link: Link, sent: np.ndarray = SYMBOLS_SENT) -> np.ndarray:
    """Mean power of each symbol that is not the subcarrier's own. Shape [symbols]."""
    return np.mean(np.abs(received(link, sent) - link.kept() * sent) ** 2, axis=1)


def within(values: np.ndarray, expected: float, share: float = 0.0) -> bool:
    """True within three standard errors of the mean, and a share of the expectation."""
    return abs(values.mean() - expected) <= 3 * values.std(ddof=1) / np.sqrt(len(values)) + share * expected


@pytest.mark.parametrize(("subcarriers", "periods"), [(64, 1), (15, 1), (8, 3)])
def test_without_impairments_symbols_arrive_times_the_gains_of_their_subcarriers(subcarriers, periods):
    ofdm = Ofdm(subcarriers, symbol_s=(periods + 0.0714) / SPACING_HZ, periods=periods)
    layout = Layout(1, spacing_hz=SPACING_HZ)
    channel = TdlFading(delay_spread_s=100e-9, speed_m_s=0.0).realise(layout, SEED)
    gains, delays_s = channel.echoes(3, np.zeros(1))
    link = Link(ofdm, Echoes(delays_s[0], gains[0, 0][..., None]))
    h = channel.gains(3, subcarriers)[0, 0]
    np.testing.assert_allclose(link.kept()[0], h, atol=1e-5)  # gains are in single precision
    sent = SYMBOLS_SENT[:, :subcarriers]
    np.testing.assert_allclose(received(link, sent), link.kept() * sent, atol=1e-6)


@pytest.mark.parametrize("late", [-9, 9])
def test_a_prefix_covers_a_delay_either_way(late):
    delay_s = late / OFDM.rate_hz
    ramp = np.exp(-2j * np.pi * SPACING_HZ * delay_s * (np.arange(SUBCARRIERS) - (SUBCARRIERS - 1) / 2))
    np.testing.assert_allclose(received(Link(OFDM, FLAT, delay_s)), ramp * SYMBOLS_SENT, atol=1e-9)


@pytest.mark.parametrize("late", [-40, 12, 20, 60, 140])
def test_beyond_the_prefix_symbols_overlap_as_imperfections_say(late):
    link = Link(OFDM, FLAT, late / OFDM.rate_hz)
    share, leaks = overlap(np.array((abs(late) - 9) / OFDM.window), 1.0, SUBCARRIERS)
    np.testing.assert_allclose(np.abs(link.kept()), share, atol=1e-9)
    assert within(interference(link), leaks)


def oscillating(workers: int, symbols: int, offset_hz: float, linewidth_hz: float) -> np.ndarray:
    """Phases of samples. Shape [workers, symbols, length]."""
    oscillators, offsets_hz = (
        Oscillators(linewidth_hz=linewidth_hz, symbol_s=OFDM.symbol_s),
        np.full(workers, offset_hz),
    )
    middles = oscillators.phases(SEED, 0, workers, symbols + 1)[:, 1:]
    middles += 2 * np.pi * offset_hz * OFDM.symbol_s * np.arange(1, symbols + 1)
    return phases(OFDM, oscillators, offsets_hz, middles, np.random.default_rng(2))


def turned(offset_hz: float, linewidth_hz: float) -> Link:
    return Link(OFDM, FLAT, phases=oscillating(1, SYMBOLS, offset_hz, linewidth_hz)[0])


@pytest.mark.parametrize("linewidth_hz", [0.0, 10.0, 300.0])
@pytest.mark.parametrize("periods", [0.0, 0.01, 0.1, 0.3])
def test_what_oscillators_keep_and_leak(periods, linewidth_hz):
    """Interference is up to 7% below that in an endless band."""
    if periods == linewidth_hz == 0:
        return
    given, link = (periods * SPACING_HZ, linewidth_hz), turned(periods * SPACING_HZ, linewidth_hz)
    assert within(np.mean(np.abs(link.kept()) ** 2, axis=1), kept_share(*given, 1 / SPACING_HZ), 1e-5)
    leaked = leaked_share(*given, 1, SPACING_HZ)
    assert within(interference(link), 0.965 * leaked, 0.035)


@pytest.mark.parametrize(("periods", "linewidth_hz"), [(0.01, 0.0), (0.2, 0.0), (0.0, 300.0), (0.02, 100.0)])
def test_interference_of_real_numbers_is_mostly_in_phase_with_them(periods, linewidth_hz):
    numbers, link = np.sqrt(2) * SYMBOLS_SENT.real, turned(periods * SPACING_HZ, linewidth_hz)
    kept = link.kept()
    leaks = (received(link, numbers) - kept * numbers) * kept.conj() / np.abs(kept)
    oscillators = Oscillators(linewidth_hz=linewidth_hz)
    expected = in_band(SUBCARRIERS) * oscillators.in_phase(np.array([periods * SPACING_HZ]))[0]
    assert within(np.mean(leaks.real**2 - leaks.imag**2, axis=1), expected, 0.05)


def test_phases_turn_from_symbol_to_symbol_as_oscillators_say():
    kept = turned(50.0, 0.0).kept()[:, 0]
    steps = np.angle(kept[1:] / kept[:-1])
    np.testing.assert_allclose(steps, 2 * np.pi * 50.0 * OFDM.symbol_s, atol=1e-9)
    assert np.angle(kept[0]) == pytest.approx(steps[0])
    drawn = oscillating(500, 4, 0.0, 30.0)
    apart = drawn[..., OFDM.start + 200] - drawn[..., OFDM.start]
    assert within(apart.reshape(-1) ** 2, 2 * np.pi * 30.0 * 200 / OFDM.rate_hz)
    middle = drawn[:, :, OFDM.start + OFDM.window // 2]
    elapsed_s = OFDM.symbol_s * np.arange(1, 5)
    np.testing.assert_allclose(np.mean(np.exp(1j * middle), axis=0), np.exp(-np.pi * 30.0 * elapsed_s), atol=0.03)


@pytest.mark.parametrize("doppler_hz", [1.0, 30.0, 300.0])
def test_a_moving_worker_keeps_what_the_correlation_says(doppler_hz):
    """After m symbols J₀(2πf_D·mT) of the channel is left, and the mean over directions of what an offset leaks."""
    symbols, workers = 14, 40
    model = TdlFading(speed_m_s=doppler_hz * LIGHT_M_S / 3.5e9, delay_spread_s=100e-9)
    channel = model.realise(Layout(workers), SEED)
    begun = channel.gains(0, SUBCARRIERS)
    gains, delays_s = channel.echoes(0, knots_s(OFDM, symbols))
    links = [Link(OFDM, Echoes.moving(*path, OFDM, symbols)) for path in zip(delays_s, gains[:, 0], strict=True)]
    left = np.mean([(link.kept() * h.conj()).real for link, h in zip(links, begun, strict=True)], axis=2)
    power = np.mean(np.abs(begun) ** 2, axis=(1, 2))
    for symbol in (0, symbols - 1):
        correlation = j0(2 * np.pi * doppler_hz * (symbol + 1) * OFDM.symbol_s)
        assert within(left[:, symbol] - correlation * power, 0.0)
    directions = doppler_hz * np.cos(np.pi * (np.arange(64) + 0.5) / 64)
    leaked = leaked_share(directions, 0.0, 1, SPACING_HZ).mean()
    leaks = [interference(link, SYMBOLS_SENT[:symbols]).mean() for link in links]
    assert within(np.array(leaks), 0.965 * leaked, 0.035)


def test_a_smooth_amplifier_keeps_what_its_integral_says():
    samples = complex_normal(np.random.default_rng(4), (100_000,))
    for amplifier in (Amplifier(3.0, 3.0), Amplifier(6.0, 1.0), Amplifier(3.0, 50.0)):
        assert within((amplifier.amplified(samples) * samples.conj()).real, amplifier.gain, 1e-3)
    assert Amplifier(3.0).gain == pytest.approx(Clipping(3.0).gain, abs=1e-5)
    assert Amplifier(3.0, 50.0).gain == pytest.approx(Clipping(3.0).gain, abs=1e-2)


@pytest.mark.parametrize("bits", range(1, 9))
def test_a_converter_adds_noise_that_is_nearly_even_over_frequencies(bits):
    """It leaves the error of J. Max on normal parts. Coarse steps add more of it in the band than its share: up to
    1.9 times with 1 bit, 1.25 times with 4."""
    converter, most = Converter(bits), {1: 1.9, 2: 1.5, 3: 1.35, 4: 1.25, 5: 1.2}.get(bits, 1.15)
    known = {1: 0.3634, 2: 0.1188, 3: 0.03744, 4: 0.01154, 5: 0.00349}
    if bits in known:
        assert 1 - converter.gain == pytest.approx(known[bits], rel=3e-3)
    heard = OFDM.demodulated(converter.converted(Link(OFDM, FLAT).arriving(SYMBOLS_SENT)))
    noise = np.mean(np.abs(heard - converter.gain * SYMBOLS_SENT) ** 2)
    assert 1 < noise / (converter.distortion * SUBCARRIERS / OFDM.window) < most


@pytest.mark.parametrize("delay_spread_s", [100e-9, 1e-6, 3e-6])
def test_echoes_beyond_the_prefix_interfere_by_their_powers(delay_spread_s):
    line = profile("C")
    late = np.rint(line.delays * delay_spread_s * OFDM.rate_hz)
    delays_s, rng = late / OFDM.rate_hz, np.random.default_rng(5)
    draws = np.sqrt(line.powers) * complex_normal(rng, (30, len(line.powers)))
    found = np.array([interference(Link(OFDM, Echoes(delays_s, draw[:, None, None]))).mean() for draw in draws])
    _, leaks = overlap(np.maximum(late - 9, 0) / OFDM.window, 1.0, SUBCARRIERS)
    assert within(found, line.powers @ leaks) or found.max() < 1e-12
    whole = Link(OFDM, Echoes(delays_s, draws[0][:, None, None]), spread=False)
    assert interference(whole).max() < 1e-12
