"""Cells against closed forms."""

import numpy as np
import pytest

from otafl.channels.cell import Cell, link_budget

WORKERS = 200_000


def drop(seed=0, **given):
    return Cell(**{"radius_m": 250.0} | given).drop(np.random.default_rng(seed), WORKERS)


@pytest.mark.parametrize(("distance", "loss"), [(10.0, 60.0), (100.0, 90.0), (250.0, 101.938)])
def test_path_loss_at_three_distances(distance, loss):
    """30 + 30·log10(d)."""
    assert Cell(250.0).gain_db(distance) == pytest.approx(-loss, abs=1e-3)


@pytest.mark.parametrize("power", [-3.0, -1.0, 1.0, 2.0])
def test_moments_of_the_distance(power):
    """E[r^a] = 2/(a + 2)·(R^(a+2) - r^(a+2))/(R² - r²), within 5 standard errors."""
    samples = np.linalg.norm(drop().places, axis=1) ** power
    inner, outer = 10.0, 250.0
    theirs = 2 / (power + 2) * (outer ** (power + 2) - inner ** (power + 2)) / (outer**2 - inner**2)
    assert samples.mean() == pytest.approx(theirs, abs=5 * samples.std() / np.sqrt(WORKERS))


def test_the_edge_and_the_median_are_what_they_are_called():
    found = drop().gain_db
    assert found.min() == pytest.approx(Cell(250.0).edge_gain_db, abs=0.01)
    assert np.median(found) == pytest.approx(Cell(250.0).median_gain_db, abs=0.05)


def test_shadowing_is_log_normal_around_the_path_loss():
    shaded = drop(shadowing_db=8.0)
    shadow = shaded.gain_db - Cell(250.0).gain_db(np.linalg.norm(shaded.places, axis=1))
    assert shadow.std() == pytest.approx(8.0, rel=0.01)
    assert shadow.mean() == pytest.approx(0.0, abs=5 * 8 / np.sqrt(WORKERS))


def test_places_that_are_not_covered_have_no_workers():
    """Where 90 dB are the most there are workers within 100 m only, uniform there, a share of the area's."""
    near = drop(most_loss_db=90.0)
    distance = np.linalg.norm(near.places, axis=1)
    assert distance.max() <= 100.0
    assert np.mean(distance**2) == pytest.approx((10**2 + 100**2) / 2, rel=0.01)
    share = (100**2 - 10**2) / (250**2 - 10**2)
    assert near.covered == pytest.approx(share, rel=0.02)
    assert Cell(250.0, most_loss_db=90.0).covered == pytest.approx(share, abs=1e-4)
    assert Cell(250.0).covered == 1.0


def test_shadowing_blurs_the_border_of_what_is_covered():
    """To within what so many places tell of a share."""
    given = {"most_loss_db": 95.0, "shadowing_db": 8.0}
    share, found = Cell(250.0, **given).covered, drop(**given).covered
    assert found == pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) * share / WORKERS))


@pytest.mark.parametrize("width", [7.2, 90.0, 300.0])
def test_a_sector_is_around_the_east(width):
    """Angles are uniform over half of the width to each side, of variance width²/12, and distances those of a ring."""
    places = drop(sector_deg=width).places
    angle = np.rad2deg(np.arctan2(places[:, 1], places[:, 0]))
    assert np.abs(angle).max() <= width / 2
    assert angle.mean() == pytest.approx(0.0, abs=3 * angle.std() / np.sqrt(WORKERS))
    assert angle.var() == pytest.approx(width**2 / 12, rel=0.01)
    np.testing.assert_allclose(np.linalg.norm(places, axis=1), np.linalg.norm(drop().places, axis=1))


@pytest.mark.parametrize(
    ("given", "said"),
    [({"most_loss_db": 50.0}, "hardly any place has coverage"), ({"inner_radius_m": 300.0}, "inner_radius_m = 300")],
)
def test_a_cell_that_is_none_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        Cell(**{"radius_m": 250.0} | given).drop(np.random.default_rng(0), 3)


def test_a_link_budget_by_hand():
    """23 dBm are 0.2 W; at a noise figure of 5 dB, 15 kHz of noise have -127.2 dBm."""
    made = link_budget(23.0, 5.0)
    assert made.power_w == pytest.approx(0.19953, rel=1e-4)
    assert made.snr_db(15e3) == pytest.approx(23 + 169 - 41.761, abs=1e-3)
