"""3GPP's sectors and clustered delay lines by Sionna."""

import numpy as np
import pytest

from channels.fading import CdlFading, Layout, UmiFading, realise, sector, tdl
from channels.fading.paths import FIRST_BLOCKS

WORKERS = 20


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("OTAFL_CACHE_DIR", str(tmp_path))


def realised(model, seed=0, **given):
    layout = Layout(given.pop("workers", WORKERS), block_iterations=10, **given)
    return realise(model, layout, np.random.SeedSequence(seed))


@pytest.mark.usefixtures("sionna")
def test_a_sector():
    """Reproducible from the seed, other under another one, the same blocks however many are asked for, and unit gain at
    the worker of median path gain."""
    made = realised(UmiFading())
    early = made.gains(3, 6)
    np.testing.assert_array_equal(early, realised(UmiFading()).gains(3, 6))
    assert not np.allclose(early, realised(UmiFading(), 1).gains(3, 6))
    late = made.gains(FIRST_BLOCKS + 5, 6)
    np.testing.assert_allclose(made.gains(3, 6), early)
    assert not np.allclose(late, early)
    power = np.mean([np.abs(made.gains(block, 6)) ** 2 for block in range(FIRST_BLOCKS)], axis=(0, 2, 3))
    assert 10 * np.log10(np.median(power)) == pytest.approx(0.0, abs=3.0)


@pytest.mark.usefixtures("sionna")
def test_places_and_path_loss():
    """Within the sector; no worker has more gain than in line of sight, 32.4 + 21·log10(d) + 20·log10(f) dB (TR 38.901,
    table 7.4.1-1), with the antenna's 8 dBi and four deviations of 4 dB of shadowing; the gain falls with distance.
    Heights are those of table 7.2-1."""
    made = realised(UmiFading(), workers=200)
    distance = np.linalg.norm(made.paths.places - made.paths.server, axis=1)
    np.testing.assert_allclose(made.paths.server, [0, 0, 10], atol=1e-6)
    np.testing.assert_allclose(made.paths.places[:, 2], 1.5, atol=1e-6)
    assert 8 < distance.min() < distance.max() < 120
    straight = -(32.4 + 21 * np.log10(distance) + 20 * np.log10(3.5))
    assert np.all(made.paths.gain_db < straight + 8 + 4 * 4)
    assert np.corrcoef(np.log10(distance), made.paths.gain_db)[0, 1] < -0.3


@pytest.mark.usefixtures("sionna")
def test_antennas_of_either_side_and_a_largest_loss():
    server = realised(UmiFading(), antennas=3).gains(0, 4)
    worker = realised(UmiFading(), antennas=3, at_server=False).gains(0, 4)
    assert server.shape == worker.shape == (WORKERS, 3, 4)
    near = realised(UmiFading(), workers=5, most_loss_db=90.0)
    assert near.paths.gain_db.min() >= -90.0


@pytest.mark.usefixtures("sionna")
def test_a_clustered_delay_line_has_the_tapped_one_s_correlation_over_frequency():
    """Σ_l p_l·e^(j2πkΔf·τ_l) over 400 workers: the tables' powers, with those of D and E measured after the line of
    sight."""
    h = realised(CdlFading(cdl_model="C"), workers=400).gains(0, 32)[:, 0]
    taps = tdl.profile("C")
    theirs = np.exp(2j * np.pi * 15e3 * np.outer(np.arange(32), 300e-9 * taps.delays)) @ taps.powers
    np.testing.assert_allclose(np.mean(h[:, :1] * h.conj(), axis=0), theirs, atol=5 * np.sqrt(2 / 400))


@pytest.mark.usefixtures("sionna")
def test_a_clustered_delay_line_has_unit_power():
    """Over 400 workers within 4 standard errors, which as many independent channels on one subcarrier bound."""
    made = realised(CdlFading(), workers=400)
    powers = [np.mean(np.abs(made.gains(block, 32)) ** 2, axis=(1, 2)) for block in range(FIRST_BLOCKS)]
    mean = np.mean(powers, axis=0)
    assert mean.mean() == pytest.approx(1.0, abs=4 * mean.std() / np.sqrt(400))
    assert mean.std() < 1
    assert made.power.mean() == pytest.approx(1.0, abs=4 * made.power.std() / np.sqrt(400))


@pytest.mark.usefixtures("sionna")
@pytest.mark.parametrize("model", [UmiFading(), CdlFading()])
def test_blocks_that_are_found_in_parts_are_those_found_at_once(model, monkeypatch):
    layout = Layout(2, block_iterations=10)
    whole = model.found(layout, 1, 64).amplitudes
    monkeypatch.setattr(sector, "LARGEST", 2 * 16 * sector.RAYS)
    np.testing.assert_array_equal(model.found(layout, 1, 64).amplitudes, whole)
