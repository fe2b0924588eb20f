"""Tapped delay lines against closed forms and Sionna's."""

import json
from importlib.resources import files

import numpy as np
import pytest
from scipy.special import j0

from otafl.channels.fading import Layout, TdlFading, realise, tdl
from otafl.channels.fading.plane_waves import LIGHT_M_S

LINKS, SPACING = 2000, 15e3


def realised(links=LINKS, **given):
    layout = Layout(links, spacing_hz=SPACING, block_iterations=10)
    return realise(TdlFading(**given), layout, np.random.SeedSequence(0))


@pytest.mark.parametrize("model", tdl.MODELS)
def test_correlation_over_frequency(model):
    """E[h(f)·h*(f + kΔf)] = Σ_l p_l·e^(j2πkΔf·τ_l); phases are uniform: E[h] = E[h²] = 0; within 5 standard errors."""
    h, taps = realised(tdl_model=model).gains(0, 64)[:, 0], tdl.profile(model)
    turned = np.exp(2j * np.pi * SPACING * np.outer(np.arange(64), 300e-9 * taps.delays))
    found = np.mean(h[:, :1] * h.conj(), axis=0)
    np.testing.assert_allclose(found, turned @ taps.powers + taps.line_of_sight, atol=5 * np.sqrt(2 / LINKS))
    assert abs(h[:, 0].mean()) < 5 / np.sqrt(LINKS)
    assert abs(np.mean(h[:, 0] ** 2)) < 5 * np.sqrt(2 / LINKS)
    flat = realised(5, tdl_model=model, delay_spread_s=0.0).gains(0, 64)
    np.testing.assert_allclose(flat, flat[..., :1].repeat(64, axis=2), atol=1e-12)


@pytest.mark.usefixtures("sionna")
@pytest.mark.parametrize("model", tdl.MODELS)
def test_taps_are_those_of_sionnas_table(model):
    from sionna.phy.channel.tr38901 import models

    table = json.loads((files(models) / f"TDL-{model}.json").read_text())
    direct = [tdl.LINE_OF_SIGHT_DB[model]] if table["los"] else []
    assert [0.0] * len(direct) + [float(delay) for delay in tdl.DELAYS[model].split()] == table["delays"]
    assert direct + [float(power) for power in tdl.POWERS_DB[model].split()] == table["powers"]


@pytest.mark.parametrize("model", tdl.MODELS)
def test_delay_spread_and_factor_k_are_what_they_are_called(model):
    """The delays have a root mean square of 1 around their mean, as far as powers tell that are printed to 0.1 dB, and
    the line of sight is K of TR 38.901, tables 7.7.2-4 and 7.7.2-5, above the first tap that fades."""
    taps = tdl.profile(model)
    powers, delays = np.append(taps.powers, taps.line_of_sight), np.append(taps.delays, 0.0)
    assert powers.sum() == pytest.approx(1.0)
    assert np.sqrt(powers @ (delays - powers @ delays) ** 2) == pytest.approx(1.0, abs=0.01)
    factor = 10 ** ({"D": 13.3, "E": 22.0}.get(model, -np.inf) / 10)
    assert taps.line_of_sight / taps.powers[0] == pytest.approx(factor)


@pytest.mark.parametrize("model", ["C", "D"])
def test_correlation_in_time(model):
    """J0 of the taps, and the line of sight's own shift, at the first subcarrier."""
    taps, doppler = tdl.profile(model), 0.8 * 3.5e9 / LIGHT_M_S
    process = realised(tdl_model=model)
    first = process.gains(0, 1)
    for block in (1, 5, 40):
        turned = 2 * np.pi * doppler * 0.01 * block
        theirs = taps.powers.sum() * j0(turned) + taps.line_of_sight * np.exp(0.7j * turned)
        found = np.mean(first.conj() * process.gains(block, 1))
        assert abs(found - theirs) < 5 * np.sqrt(2 / LINKS)
