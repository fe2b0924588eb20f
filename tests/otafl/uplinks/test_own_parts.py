"""Uplinks and compressors of one's own, of which some charge no number, or not that of what they send."""

from dataclasses import dataclass
from typing import Any

import pytest
import tensorflow as tf

from otafl import uplinks
from otafl.compressors import Compressor, Packet
from tests.otafl.uplinks.links import PLAIN, draw_of, linked
from tests.otafl.uplinks.test_combinations import uplink
from tests.registries import forgotten


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
