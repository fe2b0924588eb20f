"""The time-frequency grid: slots of an upload, and where its elements ride."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.grid import Grid

ELEMENTS = st.integers(1, 3000)
SUBCARRIERS = st.integers(1, 400)


@pytest.mark.parametrize(
    ("elements", "subcarriers", "slots"),
    [(109_184, 4096, 27), (109_184, 40_960, 3), (6, 10, 1), (10, 10, 1), (11, 10, 2)],
)
def test_analog_slots_by_hand(elements, subcarriers, slots):
    assert Grid(subcarriers).analog_slots(elements) == slots


@given(ELEMENTS, SUBCARRIERS)
def test_analog_slots_agree_with_filling_slot_by_slot(elements, subcarriers):
    slots, left = 0, elements
    while left > 0:
        slots, left = slots + 1, left - subcarriers
    assert Grid(subcarriers).analog_slots(elements) == slots


@given(ELEMENTS, SUBCARRIERS)
def test_element_rides_its_index_modulo_the_subcarriers(elements, subcarriers):
    grid = Grid(subcarriers)
    rides = grid.subcarrier_of_element(elements)
    np.testing.assert_array_equal(rides, [i % subcarriers for i in range(elements)])
    assert len(np.unique(rides)) == grid.subcarriers_in_use(elements)


@given(ELEMENTS, SUBCARRIERS)
def test_no_subcarrier_is_used_twice_in_a_slot(elements, subcarriers):
    """Slot ⌊i/S⌋ and subcarrier i mod S: every element has a channel use of its own, within the slots counted."""
    grid = Grid(subcarriers)
    slot = np.arange(elements) // subcarriers
    uses = set(zip(slot, grid.subcarrier_of_element(elements), strict=True))
    assert len(uses) == elements
    assert slot.max() + 1 == grid.analog_slots(elements)


@given(ELEMENTS, SUBCARRIERS, st.booleans())
def test_elements_have_what_their_subcarriers_have(elements, subcarriers, whole_band):
    """Given the whole band, or no more of it than is in use."""
    grid = Grid(subcarriers)
    count = subcarriers if whole_band else grid.subcarriers_in_use(elements)
    values = np.arange(2 * count).reshape(2, 1, count)
    expected = [values[..., i % subcarriers] for i in range(elements)]
    np.testing.assert_array_equal(grid.on_elements(values, elements), np.stack(expected, axis=-1))


def test_lte_numbers_are_the_default():
    assert (Grid(10).spacing_hz, Grid(10).slot_s) == (15e3, 1e-3)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [((0,), "subcarriers"), ((-1,), "subcarriers"), ((1, 0.0), "spacing_hz"), ((1, 1.0, -1.0), "slot_s")],
)
def test_impossible_grids_are_refused(arguments, name):
    with pytest.raises(ValueError, match=f"{name} = "):
        Grid(*arguments)
