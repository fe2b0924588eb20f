"""Bits and numbers that are sent: as many as are charged, also by uplinks and compressors of one's own."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl import uplinks
from otafl.compressors import Compressor, Packet
from otafl.store import identity
from otafl.uplinks.uplink import Senders
from tests.otafl.small import SMALL, group_of
from tests.otafl.uplinks.links import PLAIN, draw_of, linked
from tests.otafl.uplinks.test_combinations import ELEMENTS, carried, drawn, in_bfloat16, uplink
from tests.otafl.uplinks.test_digital import Fading
from tests.registries import forgotten

CONVEX = SMALL | {"method": "D-FADMM", "federation.workers": 4, "run.seeds": 1, "run.iterations": 400}


@pytest.mark.parametrize(("bits", "sent"), [(16, in_bfloat16), (32, np.float32), (64, np.array)])
def test_the_server_has_the_sum_of_what_is_sent(bits, sent):
    made, message = uplink("digital"), drawn()
    made = type(made)(made.settings.with_values({"uplink.bits_per_element": bits}), made.method, ELEMENTS)
    upload, *_ = carried(made, "rayleigh", message)
    np.testing.assert_allclose(upload.total[0, :, 0], sent(message).sum(axis=0, dtype=float), rtol=1e-14)
    assert made.bits == bits * ELEMENTS


def test_single_numbers_have_the_bits_of_a_number_also_beside_codes():
    """FedNova's: QSGD sends it exactly, as its own norm."""
    keys = {"method": "FedNova@digital", "uplink.compressor": "qsgd", "uplink.bits_per_element": 4}
    made = group_of("digits_quickstart", keys).uplink
    assert made.bits == 4 * made.elements + 32 + 32


@pytest.mark.parametrize(
    ("scenario", "method", "bits"), [("quickstart", "A-FADMM", 64), ("digits_quickstart", "FedAvg@analog", 32)]
)
def test_reports_have_the_precision_in_which_they_are_computed(scenario, method, bits):
    """A scaling factor of each of 4 workers, who have 5 subcarriers each."""
    keys = {"method": method, "federation.workers": 4, "uplink.subcarriers": 20, "uplink.charge_side_information": True}
    senders = Senders(4, Fading(np.ones((1, 4))), np.array([4.0]), np.array([2.0]))
    cost = group_of(scenario, keys).uplink.scaling_report_cost(senders)
    assert cost.slots.item() == np.ceil(bits / (5 * np.log2(1 + 15 * 4.0)))


def test_convex_gaps_end_at_the_precision_of_what_is_sent():
    """ADMM in single precision ends at about 1e-10, as the gap of models that differ by 1e-8 is of first order."""
    data = otafl.run("quickstart", CONVEX | {"uplink.bits_per_element": [32, 64]})
    single, double = data["loss"].isel(iteration=slice(-50, None)).max("iteration").values.squeeze()
    assert double < 1e-14 < 1e-12 < single < 1e-8


@pytest.mark.parametrize(
    ("scenario", "keys", "version"),
    [
        ("quickstart", {"method": "A-FADMM"}, {}),
        ("quickstart", {"method": "D-FADMM"}, {"bits": 2}),
        ("quickstart", {"method": "A-FADMM", "energy.whole": True}, {"bits": 2, "circuits": 2}),
        ("quickstart", {"method": "A-FADMM", "uplink.charge_side_information": True}, {"bits": 2}),
        ("digits_quickstart", {"method": "FedAvg@digital"}, {}),
        ("digits_quickstart", {"method": "FedAvg@analog", "uplink.charge_side_information": True}, {}),
        ("digits_quickstart", {"method": "FedAvg@digital", "uplink.bits_per_element": 16}, {"bits": 2}),
        ("digits_quickstart", {"method": "FedAvg@digital", "uplink.charge_downlink": True}, {"bits": 2}),
        ("digits_quickstart", {"method": "FedAvg@digital", "uplink.scheme": "QSGD", "uplink.bits_per_element": 4}, {}),
        ("digits_quickstart", {"method": "FedAvg@digital", "uplink.compressor": "top_k"}, {"compressor": 2}),
        ("digits_quickstart", {"method": "FedSGD@digital", "uplink.scheme": "signSGD-MV"}, {"coded": 2}),
        ("digits_quickstart", {"method": "FedSGD@analog", "uplink.scheme": "OBDA"}, {}),
    ],
)
@pytest.mark.filterwarnings("ignore::otafl.errors.Remark")
def test_names_of_runs_change_where_their_numbers_do(scenario, keys, version):
    ((_, settings),) = otafl.load(scenario, {"local.steps": None} | keys if "SGD" in keys["method"] else keys).points()
    assert identity.corrections(settings) == version


@dataclass(frozen=True)
class Odd(Compressor):
    """A compressor with a charge, and numbers sent, that a test chooses."""

    charge: Any = 1
    sends: int = 3

    def symbols(self, elements):
        return self.charge

    def bits(self, elements, bits_per_element):
        return self.charge

    def packed(self, message, random, draw):
        return Packet(message[:, : self.sends])


@pytest.mark.parametrize("bits", [-5, 0, float("nan"), float("inf")])
def test_bits_are_a_positive_number(bits, monkeypatch):
    """Else an upload of -5 bits would be charged a slot, and a run with NaN bits would be called completed."""
    made = uplink("digital")
    monkeypatch.setattr(type(made), "chain", PLAIN._replace(compressor=Odd(bits)))
    with pytest.raises(ValueError, match=f"Odd has {bits} bits, which must be a positive number"):
        assert made.bits


def test_an_uplink_of_the_users_is_of_the_kind_that_it_is_derived_from():
    with forgotten():
        made = uplinks.register("mine")(type("Mine", (uplinks.uplink("analog"),), {}))
        assert made.kinds == ("mine", "analog")
    assert uplinks.uplink("analog").kinds == ("analog",)


@pytest.mark.parametrize("charge", [1, 2, 4])
def test_what_is_sent_is_charged(charge):
    """Else a worker could send all elements as it is charged for one."""
    draw, radio, message = draw_of(None), type("Radio", (), {"budget": tf.ones([1])}), tf.ones([2, 5, 1])
    link = linked(draw, radio, compressor=Odd(charge))
    with pytest.raises(ValueError, match=f"Odd sends 3 numbers of a vector; its symbols are {charge}"):
        link.packed(message)
    assert linked(draw, radio, compressor=Odd(3)).packed(message).sent.shape == (2, 3, 1)
