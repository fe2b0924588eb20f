"""What keys say of the radio."""

import numpy as np
import pytest

import otafl
from otafl.algorithms import METHODS
from otafl.uplinks.analog import Analog
from otafl.uplinks.physical_layer import budget_lines, snr_lines, symbol_snr_db
from tests.otafl.small import dotted


def lines(**keys):
    return budget_lines(next(otafl.load("quickstart", {"cell.radius_m": 250.0} | dotted(keys)).points())[1])


def test_a_link_budget_in_words():
    """By hand: 23 + 127.2 - 101.9 = 48.3 at the edge."""
    said = lines(cell__snr_at="link_budget")
    assert said[0] == "23 dBm of a worker, if on one subcarrier; noise of a subcarrier -127.2 dBm"
    assert said[-1] == "at the edge: path loss 101.9 dB, SNR 48.3 dB on one subcarrier"


def test_an_snr_at_the_edge_or_the_median():
    assert lines(channel__snr_db=10.0)[-1].endswith("SNR 10.0 dB on one subcarrier")
    assert lines(channel__snr_db=10.0, cell__snr_at="median")[1].endswith("SNR 10.0 dB on one subcarrier")


def test_what_is_covered_is_said_where_not_all_is():
    """90 dB reach 100 m: (100² - 10²)/(250² - 10²) of the ring."""
    assert lines(cell__most_loss_db=90.0)[-1] == "15.9% of the places are covered, with at most 90 dB of loss"
    assert not any("covered" in line for line in lines())


@pytest.mark.parametrize(("parts", "reference"), [(1, "subcarrier"), (2, "subcarrier"), (1, "total")])
def test_an_element_has_the_snr_that_its_link_computes_with(parts, reference):
    """Mean power of an element over the noise of its part of a symbol, as lines say it and as programs have it."""
    keys = {"uplink.elements_per_symbol": parts, "uplink.power_reference": reference, "uplink.subcarriers": 1}
    settings = next(otafl.load("quickstart", keys | {"method": "A-FADMM"}).points())[1]
    radio = Analog(settings, METHODS["A-FADMM"], 10).radio
    found = 10 * np.log10(radio.budget / 10 / radio.noise_std**2)
    assert found == pytest.approx(symbol_snr_db(settings) + 10 * np.log10(2 / parts), abs=1e-9)
    assert f"an element on it has {found:.1f} dB" in snr_lines(settings, analog=True)[2]


def test_lines_on_the_snr_say_what_the_power_is_shared_by():
    shared = otafl.load("quickstart", {"uplink.power_reference": "total", "uplink.power_budget": "per_upload"})
    said = snr_lines(next(shared.points())[1], analog=True)
    assert said[0] == "channel.snr_db = 40: power P of a worker on all its subcarriers together, over W·N0"
    assert said[1].endswith("if all of P is on its subcarrier")
    assert said[-1] == "uplink.power_budget = per_upload: all symbols of an upload share this power"
