"""Cells, and interference from those around them, against closed forms and draws."""

import numpy as np
import pytest

from otafl.channels.cell import Cell
from otafl.channels.neighbours import Neighbours

WORKERS, SUBCARRIERS = 200_000, 200_000


def drop(workers=WORKERS, **given):
    return Cell(**{"radius_m": 250.0} | given).drop(np.random.default_rng(0), workers)


@pytest.mark.parametrize("power", [-3.0, -1.0, 1.0, 2.0])
def test_moments_of_the_distance(power):
    """E[r^a] = 2/(a + 2)·(R^(a+2) - r^(a+2))/(R² - r²), within 5 standard errors."""
    samples = np.linalg.norm(drop().places, axis=1) ** power
    inner, outer = 10.0, 250.0
    theirs = 2 / (power + 2) * (outer ** (power + 2) - inner ** (power + 2)) / (outer**2 - inner**2)
    assert samples.mean() == pytest.approx(theirs, abs=5 * samples.std() / np.sqrt(WORKERS))


def test_gains_fall_with_distance_around_the_edge_and_the_median():
    plain, shaded = drop(), drop(shadowing_db=8.0)
    assert plain.gain_db.min() == pytest.approx(Cell(250.0).edge_gain_db, abs=0.01)
    assert np.median(plain.gain_db) == pytest.approx(Cell(250.0).median_gain_db, abs=0.05)
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
        drop(3, **given)


@pytest.mark.parametrize("activity", [0.1, 1.0])
@pytest.mark.parametrize(("exponent", "shadowing_db"), [(2.0, 0.0), (3.5, 0.0), (3.0, 4.0)])
def test_draws_have_the_mean_of_theory(activity, exponent, shadowing_db):
    made = Neighbours(Cell(250.0, 10.0, 30.0, exponent, shadowing_db), 6, activity)
    received = made.received(np.random.default_rng(0), SUBCARRIERS)
    error = received.std() / np.sqrt(SUBCARRIERS)
    assert abs(received.mean() - made.mean) <= 3 * error
    assert error < 0.02 * made.mean


def test_the_mean_is_the_closed_form_for_an_exponent_of_two():
    """E[d^-2] over a disc of radius R at a distance D is ln(D²/(D² - R²))/R²; here D² = 3R²."""
    made = Neighbours(Cell(250.0, 1e-3, 30.0, 2.0), 4, 0.5)
    assert made.mean == pytest.approx(4 * 0.5 * 1e-3 * np.log(1.5) / 250**2, rel=1e-5)


def test_the_mean_is_linear_in_activity_and_count_and_grows_with_shadowing():
    """By a factor of exp((σ·ln 10/10)²/2): 8 dB are 5.46 times."""
    cell = Cell(100.0, shadowing_db=8.0)
    mean = Neighbours(cell, 1, 1.0).mean
    assert mean / Neighbours(Cell(100.0), 1, 1.0).mean == pytest.approx(5.46, rel=1e-3)
    assert Neighbours(cell, 6, 0.25).mean == pytest.approx(1.5 * mean)
    assert not Neighbours(cell, 6, 0.0).received(np.random.default_rng(0), 50).any()
