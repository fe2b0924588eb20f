"""Kinds of uplink by name, and those that they are derived from."""

from otafl import uplinks
from tests.registries import forgotten


def test_an_uplink_of_the_users_is_of_the_kind_that_it_is_derived_from():
    with forgotten():
        made = uplinks.register("mine")(type("Mine", (uplinks.uplink("analog"),), {}))
        assert made.kinds == ("mine", "analog")
    assert uplinks.uplink("analog").kinds == ("analog",)
