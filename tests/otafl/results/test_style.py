"""Lines of a figure are told apart by their labels, and by colour and dash."""

import numpy as np
import pytest
import xarray as xr

from otafl.results.style import label, lines


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("energy", 0.05, "0.05 J energy"),
        ("energy", 0.5, "0.5 J energy"),
        ("channel_uses", 60.0, "60 channel uses"),
        ("channel_uses", 3e7, "30,000,000 channel uses"),
        ("iteration", 60, "60 iterations"),
    ],
)
def test_costs_are_labelled_with_their_digits(name, value, words):
    assert label(name, value) == words


def looks(**sizes: int) -> list:
    data = xr.DataArray(np.zeros(list(sizes.values())), dims=list(sizes))
    data = data.assign_coords({name: np.arange(size, dtype=float) for name, size in sizes.items()})
    return [look for _, look, _ in lines(data, ())]


@pytest.mark.parametrize("sizes", [{"scheme": 3}, {"scheme": 3, "energy": 1}, {"snr_db": 1, "scheme": 3, "energy": 1}])
def test_schemes_alone_have_a_colour_and_a_dash_each(sizes):
    """A single value of another key does not count."""
    found = looks(**sizes)
    assert len({look.colour for look in found}) == len({look.dash for look in found}) == 3


def test_colour_tells_values_where_there_are_several():
    found = looks(scheme=3, energy=2)
    assert [look.colour for look in found] == [0, 1, 0, 1, 0, 1]
    assert [look.dash for look in found] == [0, 0, 1, 1, 2, 2]
