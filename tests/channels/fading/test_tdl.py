"""Tapped delay lines against closed forms and Sionna's."""

import json
from importlib.resources import files

import numpy as np
import pytest
from scipy.special import j0

from otafl.channels.fading import Layout, TdlFading, realise, tdl
from otafl.channels.fading.plane_waves import LIGHT_M_S

LINKS, SPACING = 4000, 15e3


def gains(block=0, subcarriers=64, seed=0, links=LINKS, **given):
    layout = Layout(links, spacing_hz=SPACING, block_iterations=10)
    return realise(TdlFading(**given), layout, np.random.SeedSequence(seed)).gains(block, subcarriers)[:, 0]


@pytest.mark.parametrize("model", tdl.MODELS)
def test_correlation_over_frequency(model):
    """E[h(f)·h*(f + kΔf)] = Σ_l p_l·e^(j2πkΔf·τ_l), within 5 standard errors."""
    h, taps = gains(tdl_model=model), tdl.profile(model)
    shift = np.arange(64)
    theirs = np.exp(2j * np.pi * SPACING * np.outer(shift, 300e-9 * taps.delays)) @ taps.powers + taps.line_of_sight
    found = np.mean(h[:, :1] * h.conj(), axis=0)
    np.testing.assert_allclose(found, theirs, atol=5 * np.sqrt(2 / LINKS))


@pytest.mark.usefixtures("sionna")
@pytest.mark.parametrize("model", tdl.MODELS)
def test_taps_are_those_of_sionnas_table(model):
    """To the last digit, the line of sight first."""
    from sionna.phy.channel.tr38901 import models

    table = json.loads((files(models) / f"TDL-{model}.json").read_text())
    direct = [tdl.LINE_OF_SIGHT_DB[model]] if table["los"] else []
    assert [0.0] * len(direct) + [float(delay) for delay in tdl.DELAYS[model].split()] == table["delays"]
    assert direct + [float(power) for power in tdl.POWERS_DB[model].split()] == table["powers"]


@pytest.mark.parametrize(("model", "k_db"), [("D", 13.3), ("E", 22.0)])
def test_the_line_of_sight_is_a_factor_k_above_the_first_tap_that_fades(model, k_db):
    """K of TR 38.901, tables 7.7.2-4 and 7.7.2-5."""
    taps = tdl.profile(model)
    assert 10 * np.log10(taps.line_of_sight / taps.powers[0]) == pytest.approx(k_db)


@pytest.mark.parametrize("model", tdl.MODELS)
def test_phases_are_uniform(model):
    """With a line of sight, too: E[h] = E[h²] = 0, within 5 standard errors."""
    h = gains(tdl_model=model, subcarriers=1)
    assert abs(h.mean()) < 5 / np.sqrt(LINKS)
    assert abs(np.mean(h**2)) < 5 * np.sqrt(2 / LINKS)


@pytest.mark.parametrize("model", tdl.MODELS)
def test_delay_spread_is_what_it_is_called(model):
    """The delays have a root mean square of 1 around their mean, as far as powers tell that are printed to 0.1 dB."""
    taps = tdl.profile(model)
    powers = np.append(taps.powers, taps.line_of_sight)
    delays = np.append(taps.delays, 0.0)
    mean = powers @ delays
    assert powers.sum() == pytest.approx(1.0)
    assert np.sqrt(powers @ (delays - mean) ** 2) == pytest.approx(1.0, abs=0.01)


def test_power_delay_profile():
    """Over a band so wide that its inverse resolves the taps: the mean power at each delay is the table's."""
    taps, width, links = tdl.profile("C"), 4096, 300
    layout = Layout(links, spacing_hz=1e6)
    model = TdlFading(delay_spread_s=100e-9)
    h = realise(model, layout, np.random.SeedSequence(0)).gains(0, width)[:, 0]
    response = np.mean(np.abs(np.fft.ifft(h, axis=1)) ** 2, axis=0)
    places = np.rint(taps.delays * 100e-9 * width * 1e6).astype(int)
    for place in set(places.tolist()):
        near = np.abs(places - place) <= 4
        if near.sum() == 1:
            window = response.take(range(place - 2, place + 3), mode="wrap").sum()
            assert window == pytest.approx(taps.powers[near][0], rel=0.35)


@pytest.mark.parametrize("model", ["C", "D"])
def test_correlation_in_time(model):
    """J0 of the taps, and the line of sight's own shift, at the first subcarrier."""
    layout = Layout(LINKS, spacing_hz=SPACING, block_iterations=10)
    process = realise(TdlFading(tdl_model=model), layout, np.random.SeedSequence(3))
    taps, doppler = tdl.profile(model), 0.8 * 3.5e9 / LIGHT_M_S
    first = process.gains(0, 1)[:, 0, 0]
    for block in (1, 5, 40):
        turned = 2 * np.pi * doppler * 0.01 * block
        theirs = taps.powers.sum() * j0(turned) + taps.line_of_sight * np.exp(0.7j * turned)
        found = np.mean(first.conj() * process.gains(block, 1)[:, 0, 0])
        assert abs(found - theirs) < 5 * np.sqrt(2 / LINKS)


def test_without_delays_subcarriers_are_one():
    h = gains(delay_spread_s=0.0, links=5)
    np.testing.assert_allclose(h, h[:, :1].repeat(64, axis=1), atol=1e-12)


@pytest.mark.parametrize("model", tdl.MODELS)
def test_the_same_as_sionnas(sionna, model):
    """Power and correlation over frequency of Sionna's tapped delay line at the same delay spread, over 4,000 links."""
    line = sionna.channel.tr38901.TDL(model, 300e-9, 3.5e9, min_speed=0.8)
    cir, delays = line(batch_size=LINKS, num_time_steps=1, sampling_frequency=1e3)
    frequencies = sionna.channel.subcarrier_frequencies(64, SPACING)
    theirs = sionna.channel.cir_to_ofdm_channel(frequencies, cir, delays).numpy().reshape(LINKS, 64)
    ours = gains(tdl_model=model)
    assert np.mean(np.abs(theirs) ** 2) == pytest.approx(np.mean(np.abs(ours) ** 2), abs=5 * np.sqrt(2 / LINKS))
    both = [np.mean(h[:, :1] * h.conj(), axis=0) for h in (theirs, ours)]
    np.testing.assert_allclose(*both, atol=7 * np.sqrt(2 / LINKS))
