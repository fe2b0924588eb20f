"""The time-frequency grid: slots of an upload, and where its elements ride."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otafl.channels.grid import CYCLIC_PREFIX, Grid, most_symbols

ELEMENTS = st.integers(1, 3000)
SUBCARRIERS = st.integers(1, 400)


@given(ELEMENTS, SUBCARRIERS, st.booleans())
def test_elements_have_what_their_subcarriers_have(elements, subcarriers, whole_band):
    grid = Grid(subcarriers)
    count = subcarriers if whole_band else grid.subcarriers_in_use(elements)
    values = np.arange(2 * count).reshape(2, 1, count)
    expected = [values[..., i % subcarriers] for i in range(elements)]
    np.testing.assert_array_equal(grid.on_elements(values, elements), np.stack(expected, axis=-1))


@pytest.mark.parametrize(
    ("elements", "subcarriers", "symbols", "on_each", "slots", "uses"),
    [
        (6, 10, 1, 1, 1, 6),
        (10, 10, 1, 1, 1, 10),
        (11, 10, 1, 1, 2, 11),
        (109_184, 4096, 1, 1, 27, 109_184),
        (109_184, 4096, 1, 2, 14, 54_592),
        (109_184, 4096, 14, 1, 2, 109_184),
        (109_184, 4096, 2, 2, 7, 54_592),
    ],
)
def test_slots_and_uses_by_hand(elements, subcarriers, symbols, on_each, slots, uses):
    """Uploads such as the 109,184 weights of the paper's network take ⌈d/(S·q·κ)⌉ slots of ⌈d/κ⌉ symbols."""
    grid = Grid(subcarriers, symbols_per_slot=symbols, elements_per_symbol=on_each)
    assert (grid.analog_slots(elements), grid.symbols(elements)) == (slots, uses)


@given(ELEMENTS, SUBCARRIERS, st.integers(1, 14), st.sampled_from([1, 2]))
def test_every_symbol_has_a_place_of_its_own(elements, subcarriers, symbols, on_each):
    """Symbol k rides subcarrier k mod S, as place ⌊k/S⌋ mod q of slot ⌊k/(S·q)⌋; no more than κ elements share it."""
    grid = Grid(subcarriers, symbols_per_slot=symbols, elements_per_symbol=on_each)
    place, rides = np.arange(elements) // on_each, grid.on_elements(np.arange(grid.subcarriers), elements)
    slot, at = place // (subcarriers * symbols), place // subcarriers % symbols
    np.testing.assert_array_equal(rides, place % subcarriers)
    assert len(np.unique(rides)) == grid.subcarriers_in_use(elements)
    uses = Counter(zip(slot, at, rides, strict=True))
    assert max(uses.values()) <= on_each
    assert len(uses) == grid.symbols(elements)
    assert slot.max() + 1 == grid.analog_slots(elements)


@pytest.mark.parametrize(("slot_s", "most"), [(1e-3, 14), (0.5e-3, 7), (1.07 / 15e3, 1), (1 / 15e3, 1), (1.6e-3, 22)])
def test_symbols_fit_in_a_slot_with_their_prefixes(slot_s, most):
    """LTE's 144 to 160 samples of prefix for 2048 of symbol: 14 in 1 ms, 7 in half of it."""
    assert most_symbols(15e3, slot_s) == most
    assert most == 1 or most * (1 + CYCLIC_PREFIX) / 15e3 <= slot_s < (most + 1) * (1 + CYCLIC_PREFIX) / 15e3


@pytest.mark.parametrize("symbols", [1, 2, 7, 14])
def test_prefixes_take_the_same_share_of_time_and_of_energy(symbols):
    """q prefixes of 0.07/W in a slot of T, over the rest of it."""
    prefixes, grid = symbols * CYCLIC_PREFIX / 15e3, Grid(1, symbols_per_slot=symbols)
    assert grid.prefix_share(symbols) == pytest.approx(prefixes / (1e-3 - prefixes), rel=1e-12)
    assert grid.symbol_s >= (1 + CYCLIC_PREFIX) / 15e3


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((0,), "subcarriers"),
        ((1, 0.0), "spacing_hz"),
        ((1, 1.0, -1.0), "slot_s"),
        ((1, 15e3, 1e-3, 15), "symbols_per_slot"),
        ((1, 15e3, 1e-3, 0), "symbols_per_slot"),
        ((1, 15e3, 1e-3, 1, 3), "elements_per_symbol"),
    ],
)
def test_impossible_grids_are_refused(arguments, name):
    with pytest.raises(ValueError, match=f"{name} = "):
        Grid(*arguments)
