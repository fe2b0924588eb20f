"""The time-frequency grid: slots of an upload, and where its elements ride."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otafl.channels.grid import CYCLIC_PREFIX, Grid, most_symbols

ELEMENTS = st.integers(1, 3000)
SUBCARRIERS = st.integers(1, 400)


@pytest.mark.parametrize(
    ("elements", "subcarriers", "slots"),
    [(109_184, 4096, 27), (109_184, 40_960, 3), (6, 10, 1), (10, 10, 1), (11, 10, 2)],
)
def test_analog_slots_by_hand(elements, subcarriers, slots):
    assert Grid(subcarriers).analog_slots(elements) == slots


@given(ELEMENTS, SUBCARRIERS)
def test_element_rides_its_index_modulo_the_subcarriers(elements, subcarriers):
    grid = Grid(subcarriers)
    rides = grid.subcarrier_of_element(elements)
    np.testing.assert_array_equal(rides, [i % subcarriers for i in range(elements)])
    assert len(np.unique(rides)) == grid.subcarriers_in_use(elements)


@given(ELEMENTS, SUBCARRIERS, st.booleans())
def test_elements_have_what_their_subcarriers_have(elements, subcarriers, whole_band):
    """Given the whole band, or no more of it than is in use."""
    grid = Grid(subcarriers)
    count = subcarriers if whole_band else grid.subcarriers_in_use(elements)
    values = np.arange(2 * count).reshape(2, 1, count)
    expected = [values[..., i % subcarriers] for i in range(elements)]
    np.testing.assert_array_equal(grid.on_elements(values, elements), np.stack(expected, axis=-1))


def full(subcarriers: int, symbols: int, elements: int) -> Grid:
    """A grid of slots of so many symbols, with so many elements on each."""
    return Grid(subcarriers, symbols_per_slot=symbols, elements_per_symbol=elements)


@pytest.mark.parametrize(
    ("symbols", "on_each", "slots", "uses"),
    [(1, 1, 27, 109_184), (1, 2, 14, 54_592), (14, 1, 2, 109_184), (14, 2, 1, 54_592), (2, 2, 7, 54_592)],
)
def test_slots_and_uses_with_more_symbols_by_hand(symbols, on_each, slots, uses):
    """The 109,184 weights of the paper's network on 4,096 subcarriers: ⌈d/(S·q·κ)⌉ slots of ⌈d/κ⌉ symbols."""
    grid = full(4096, symbols, on_each)
    assert (grid.analog_slots(109_184), grid.symbols(109_184)) == (slots, uses)


@given(ELEMENTS, SUBCARRIERS, st.integers(1, 14), st.sampled_from([1, 2]))
def test_every_symbol_has_a_place_of_its_own(elements, subcarriers, symbols, on_each):
    """Symbol k rides subcarrier k mod S, as place ⌊k/S⌋ mod q of slot ⌊k/(S·q)⌋; no more than κ elements share it."""
    grid = full(subcarriers, symbols, on_each)
    place = np.arange(elements) // on_each
    slot, at = place // (subcarriers * symbols), place // subcarriers % symbols
    uses = Counter(zip(slot, at, grid.subcarrier_of_element(elements), strict=True))
    assert max(uses.values()) <= on_each
    assert len(uses) == grid.symbols(elements)
    assert slot.max() + 1 == grid.analog_slots(elements) == -(-elements // (subcarriers * symbols * on_each))


@pytest.mark.parametrize(("slot_s", "most"), [(1e-3, 14), (0.5e-3, 7), (1.07 / 15e3, 1), (1 / 15e3, 1), (1.6e-3, 22)])
def test_symbols_fit_in_a_slot_with_their_prefixes(slot_s, most):
    """LTE's 144 to 160 samples of prefix for 2048 of symbol: 14 in 1 ms, 7 in half of it."""
    assert most_symbols(15e3, slot_s) == most
    assert most == 1 or most * (1 + CYCLIC_PREFIX) / 15e3 <= slot_s < (most + 1) * (1 + CYCLIC_PREFIX) / 15e3


@pytest.mark.parametrize("symbols", [1, 2, 7, 14])
def test_prefixes_take_the_same_share_of_time_and_of_energy(symbols):
    """q prefixes of 0.07/W in a slot of T, over the rest of it."""
    prefixes = symbols * CYCLIC_PREFIX / 15e3
    assert full(1, symbols, 1).prefix_share(symbols) == pytest.approx(prefixes / (1e-3 - prefixes), rel=1e-12)
    assert full(1, symbols, 1).symbol_s >= (1 + CYCLIC_PREFIX) / 15e3


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((0,), "subcarriers"),
        ((-1,), "subcarriers"),
        ((1, 0.0), "spacing_hz"),
        ((1, 1.0, -1.0), "slot_s"),
        ((1, 15e3, 1e-3, 15), "symbols_per_slot"),
        ((1, 15e3, 0.99e-3, 14), "symbols_per_slot"),
        ((1, 15e3, 1e-3, 0), "symbols_per_slot"),
        ((1, 15e3, 1e-3, 1, 3), "elements_per_symbol"),
    ],
)
def test_impossible_grids_are_refused(arguments, name):
    with pytest.raises(ValueError, match=f"{name} = "):
        Grid(*arguments)
