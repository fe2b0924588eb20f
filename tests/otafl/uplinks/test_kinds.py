"""Kinds of uplink by name, and those that they are derived from."""

from otafl import uplinks
from otafl.uplinks.kinds import kinds
from otafl.uplinks.registry import register
from tests.registries import forgotten


def test_an_uplink_of_the_users_is_of_the_kind_that_it_is_derived_from():
    with forgotten():
        register("mine")(type("Mine", (uplinks.uplink("analog"),), {}))
        assert {"mine", "analog"} <= set(kinds("mine"))
        assert "digital" not in kinds("mine")
        assert kinds("unknown") == ("unknown",)
