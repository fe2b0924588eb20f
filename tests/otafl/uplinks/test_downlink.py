"""Broadcasts by hand: digital ones have the whole band, with numbers in the precision in which they are computed."""

from typing import Any

import numpy as np
import pytest

from otafl.uplinks.downlink import broadcast_energy, broadcast_slots
from otafl.uplinks.uplink import Senders
from tests.otafl.small import dotted, group_of
from tests.otafl.uplinks.test_digital import Fading

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


def test_a_band_of_just_one_slot_is_wide_enough_for_a_broadcast_of_what_uploads_hold():
    for bits, slots in ((64, 1), (32, 2)):
        assert broadcast(method="D-FADMM", uplink__subcarriers="one_slot", uplink__bits_per_element=bits)[0] == slots
    keys = {"method": "FedAvg@digital", "uplink__compressor": "qsgd", "uplink__subcarriers": "one_slot"}
    slots, _, elements = broadcast("digits_quickstart", **keys, uplink__bits_per_element=4)
    assert slots == np.ceil(32 * elements / (4 * elements + 32))
