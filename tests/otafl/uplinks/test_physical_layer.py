"""What keys say of the radio, and broadcasts by hand: digital ones have the whole band."""

from typing import Any

import numpy as np
import pytest

import otafl
from otafl.algorithms import METHODS
from otafl.uplinks.analog import Analog
from otafl.uplinks.downlink import broadcast_energy, broadcast_slots
from otafl.uplinks.physical_layer import budget_lines, snr_lines, symbol_snr_db
from otafl.uplinks.uplink import Senders
from tests.otafl.small import dotted, group_of
from tests.otafl.uplinks.test_digital import Fading


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


SNR, POWER, RUNS = 4.0, 2.0, 3
BITS_PER_USE = np.log2(1 + 15 * SNR)


def broadcast(scenario: str = "quickstart", **keys: Any) -> tuple[float, float, int]:
    """Slots and energy of a broadcast to workers of whom the weakest has a gain of 1, and elements of the model."""
    group = group_of(scenario, {"run.iterations": 2, "uplink.charge_downlink": True} | dotted(keys))
    gains = np.full((RUNS, group.workers), 3.0)
    gains[:, 1] = 1.0
    heard = Senders(group.workers, Fading(gains), np.full(RUNS, SNR), np.full(RUNS, POWER))
    told = group.settings, group.method, group.elements, heard
    slots, energy = broadcast_slots(*told), broadcast_energy(*told, [group.settings.uplink.power_budget] * RUNS)
    return np.unique(slots).item(), np.unique(energy).item(), group.elements


@pytest.mark.parametrize("method", ["D-FADMM", "A-GD", "FedAvg@digital", "FedAvg@analog"])
@pytest.mark.parametrize("subcarriers", [3, 100, 5000])
def test_a_digital_broadcast_has_all_subcarriers(method, subcarriers):
    scenario, bits = ("digits_quickstart", 32) if "@" in method else ("quickstart", 64)
    slots, energy, elements = broadcast(scenario, method=method, uplink__subcarriers=subcarriers)
    uses = bits * elements / BITS_PER_USE
    assert slots == np.ceil(uses / subcarriers)
    assert energy == pytest.approx(uses * POWER * 1e-3)


def test_a_wider_band_is_faster_but_shares_its_power():
    """Ten times the band takes a tenth of the slots; a total power is shared by all subcarriers."""
    narrow, wide = (broadcast(method=method, uplink__subcarriers=10)[0] for method in ("D-FADMM", "D-FADMM-10x"))
    assert (narrow, wide) == (np.ceil(64 / BITS_PER_USE), np.ceil(6.4 / BITS_PER_USE))
    slots, energy, elements = broadcast(method="D-FADMM", uplink__power_reference="total", uplink__subcarriers=40)
    per_use = np.log2(1 + 15 * SNR / 40)
    assert slots == np.ceil(64 * elements / 40 / per_use)
    assert energy == pytest.approx(64 * elements / per_use * POWER / 40 * 1e-3)


def test_pilots_have_their_share_of_a_broadcast_that_workers_follow():
    """2 antennas with 3 pilots each before every 4 slots of data."""
    keys = {"channel__linewidth_hz": 1.0, "channel__pilots": 3, "channel__pilot_period_slots": 4}
    followed, still = (broadcast(method="A-GD", cell__antennas=2, **given)[1] for given in (keys, {}))
    assert followed == pytest.approx(still * (4 + 2 * 3) / 4)


def test_a_band_of_just_one_slot_is_wide_enough_for_a_broadcast_of_what_uploads_hold():
    for bits, slots in ((64, 1), (32, 2)):
        assert broadcast(method="D-FADMM", uplink__subcarriers="one_slot", uplink__bits_per_element=bits)[0] == slots
    keys = {"method": "FedAvg@digital", "uplink__compressor": "qsgd", "uplink__subcarriers": "one_slot"}
    slots, _, elements = broadcast("digits_quickstart", **keys, uplink__bits_per_element=4)
    assert slots == np.ceil(32 * elements / (4 * elements + 32))
