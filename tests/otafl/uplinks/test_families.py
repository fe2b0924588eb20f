"""Families of aggregation over the air: with every method each runs or is refused, and over several channels."""

import math
from typing import Any

import pytest

import otafl
from otafl.algorithms import METHODS
from otafl.errors import OtaflError

SMALL = {"federation.workers": 6, "run.iterations": 2, "run.seeds": 1}
FAMILIES: dict[str, dict[str, Any]] = {
    "votes": {"uplink.kind": "analog", "uplink.scheme": "FSK-MV"},
    "energies": {"uplink.kind": "analog", "uplink.scheme": "REED"},
    "integers": {"uplink.kind": "analog", "uplink.scheme": "SumComp"},
    "codewords": {"uplink.kind": "analog", "uplink.scheme": "MD-AirComp"},
    "hostile": {"uplink.kind": "analog", "federation.hostile": 0.34},
    "median": {"uplink.kind": "digital", "uplink.receiver": "median"},
    "heavy tails": {"uplink.kind": "analog", "channel.noise": "alpha_stable"},
    "neighbours": {"uplink.kind": "analog", "cell.radius_m": 200.0, "cell.neighbours": 6},
    "surface": {"uplink.kind": "analog", "cell.radius_m": 200.0, "cell.surface_elements": 5, "cell.antennas": 2},
}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_methods_and_refuses_the_others_with_a_reason(family):
    kept, reasons = [], []
    for method in METHODS:
        try:
            otafl.load("digits_quickstart", SMALL | FAMILIES[family] | {"method": method})
            kept.append(method)
        except OtaflError as refusal:
            reasons.append(str(refusal))
    assert {"FedAvg", "FedProx"} <= set(kept) < set(METHODS)
    assert all("uplink." in reason or "federation." in reason or "method" in reason for reason in reasons)


@pytest.mark.parametrize(("family", "channel"), [("codewords", "tdl"), ("energies", "umi")])
def test_a_family_runs_over_a_channel_with_correlated_subcarriers(family, channel):
    keys = SMALL | FAMILIES[family] | {"channel.fading": channel, "method": "FedAvg"}
    keys |= {"cell.most_loss_db": 120.0} if channel == "umi" else {}
    assert math.isfinite(otafl.run("digits_quickstart", keys)["loss"].isel(iteration=-1).item())


@pytest.mark.parametrize("family", ["neighbours", "surface"])
def test_a_ring_of_workers_is_refused_over_a_model_that_places_them(family):
    with pytest.raises(OtaflError, match=r"contradicts channel.fading = 'umi'"):
        otafl.load("digits_quickstart", SMALL | FAMILIES[family] | {"channel.fading": "umi", "method": "FedAvg"})
