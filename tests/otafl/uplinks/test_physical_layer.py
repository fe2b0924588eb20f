"""What keys say of the radio."""

import otafl
from otafl.uplinks.physical_layer import budget_lines


def lines(**keys):
    scenario = otafl.load("quickstart", {"cell.radius_m": 250.0} | {key.replace("__", "."): keys[key] for key in keys})
    return budget_lines(next(scenario.points())[1])


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
