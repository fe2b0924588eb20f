"""Lines of a figure are told apart by their labels, and by colour and dash."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from otafl import algorithms
from otafl.results.matplotlib_setup import colors
from otafl.results.style import (
    COLOURS,
    LOOKS,
    LineStyle,
    capitalised,
    distinct_looks,
    in_order,
    label,
    lines,
    short_names,
)
from otafl.schemes import SCHEMES


@pytest.mark.parametrize(("one", "other"), [(1000, 1001), (0.1234, 0.1235), (15e3, 15.04e3)])
def test_values_that_differ_have_labels_that_differ(one, other):
    assert label("subcarriers", one) != label("subcarriers", other)
    assert label("subcarriers", 1000).endswith("= 1000")


@pytest.mark.parametrize(
    ("schemes", "shown"),
    [
        (["FedAvg@analog", "A-SFADMM"], ["FedAvg", "A-SFADMM"]),
        (["FedAvg@analog", "FedAvg@digital"], ["analog", "digital"]),
        (["FedAvg@analog", "FedAvg@digital", "FedProx@ideal"], ["FedAvg@analog", "FedAvg@digital", "FedProx"]),
        (["FedAvg@analog BAA", "FedProx@ideal"], ["FedAvg BAA", "FedProx"]),
        (["FedAvg@analog BAA", "FedAvg@analog COTAF"], ["BAA", "COTAF"]),
    ],
)
def test_uplinks_are_named_where_they_tell_schemes_apart(schemes, shown):
    assert list(short_names(schemes).values()) == shown


def test_looks_are_of_methods_and_published_schemes():
    for name in LOOKS.keys() - SCHEMES.keys():
        assert algorithms.parse(name)[0].uplinks
    pairs = {(style["color"], style["marker"]) for style in (LineStyle(at, at).line for at in LOOKS.values())}
    assert len(pairs) == len({*LOOKS.values()})


@given(
    st.lists(st.sampled_from([*LOOKS, "Mine", "FedProx mild", "FedAvg@analog BAA"]), unique=True, max_size=len(COLOURS))
)
def test_schemes_of_a_figure_differ_and_the_first_of_a_look_keeps_it(schemes):
    found = distinct_looks(schemes)
    assert len({*found}) == len(found)
    for place, name in enumerate(schemes):
        if name in LOOKS and LOOKS[name] not in found[:place]:
            assert found[place] == LOOKS[name]


def test_a_scheme_without_a_look_takes_no_colour_of_the_others_and_texts_come_first():
    assert distinct_looks(["FedAvg", "Mine", "Other"]) == [LOOKS["FedAvg"], 1, 2]
    mine, known = distinct_looks(["Mine", "A-FADMM"])
    assert known == distinct_looks(["A-FADMM"])[0]
    assert mine % len(COLOURS) != known % len(COLOURS)
    assert in_order([0.0, 20.0, 40.0], {"40.0": "", "2e1": ""}) == [2, 1, 0]


def styles(**sizes: int) -> list:
    data = xr.DataArray(np.zeros(list(sizes.values())), dims=list(sizes))
    data = data.assign_coords({name: np.arange(size, dtype=float) for name, size in sizes.items()})
    return [look for _, look, _ in lines(data, ())]


@pytest.mark.parametrize("sizes", [{"scheme": 3}, {"snr_db": 1, "scheme": 3, "energy": 1}])
def test_schemes_alone_have_a_colour_and_a_dash_each(sizes):
    found = styles(**sizes)
    assert len({look.colour for look in found}) == len({look.dash for look in found}) == 3


def test_colour_tells_schemes_shade_the_longest_sweep_of_a_number_and_dash_the_rest():
    found = styles(scheme=3, energy=2)
    assert [(look.colour, look.dash) for look in found] == [(0, 0), (0, 0), (1, 1), (1, 1), (2, 2), (2, 2)]
    assert [look.shade for look in found] == [0, 1] * 3
    found = styles(rho=2, snr_db=3)
    assert [look.shade for look in found] == [0, 0.5, 1] * 2
    assert [look.dash for look in found] == [0, 0, 0, 1, 1, 1]
    luminance = [sum(colors.to_rgb(look.line["color"])) for look in styles(snr_db=9)]
    assert luminance == sorted({*luminance})


def test_no_scheme_has_the_shades_of_the_entries_of_numbers():
    schemes = ["FedAvg@analog", "FedAvg@digital", "FedSGD@analog FSK-MV", "FedAvg@analog OBDA", "Mine"]
    data = xr.DataArray(np.zeros((5, 3)), {"scheme": schemes, "snr_db": [-40.0, -20.0, 0.0]}, ("scheme", "snr_db"))
    found = [look for _, look, _ in lines(data, ())]
    greys = {style.line["color"] for look in found for role, _, style in look.entries if role == 1}
    assert len(greys) == 3
    for look in found:
        assert len({*colors.to_rgb(look.line["color"])}) > 1
        assert look._replace(shade=None).line["color"] == look.entries[0][2].line["color"]


def test_words_have_a_capital_and_symbols_stay():
    assert [capitalised(words) for words in ("delay spread", "v", "k/d", "")] == ["Delay spread", "v", "k/d", ""]
