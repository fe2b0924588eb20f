"""Neighbouring cells: mean interference against closed forms and draws."""

import numpy as np
import pytest

from otafl.channels.cell import Cell
from otafl.channels.neighbours import Neighbours

SUBCARRIERS = 200_000


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


def test_the_mean_is_linear_in_activity_and_count():
    cell = Cell(100.0, shadowing_db=8.0)
    one = Neighbours(cell, 1, 1.0).mean
    assert Neighbours(cell, 6, 0.25).mean == pytest.approx(1.5 * one)
    assert not Neighbours(cell, 6, 0.0).received(np.random.default_rng(0), 50).any()


def test_more_shadowing_is_more_interference_in_the_mean():
    """A factor of exp((σ·ln 10/10)²/2): 8 dB are 5.46 times."""
    still, shadowed = (Neighbours(Cell(100.0, shadowing_db=one), 1, 1.0).mean for one in (0.0, 8.0))
    assert shadowed / still == pytest.approx(5.46, rel=1e-3)
