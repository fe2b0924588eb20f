"""Registration of methods, uplinks and parts: attributes of before."""

import dataclasses

import pytest

import otafl
from otafl.algorithms import METHODS, Method
from otafl.channels.power_control import POWER_CONTROLS
from otafl.channels.precoding import PRECODERS
from otafl.errors import OtaflError
from otafl.receivers import RECEIVERS
from otafl.settings.user_keys import RENAMED, add_parts
from otafl.uplinks import UPLINKS, Digital, Uplink


@pytest.mark.parametrize("old", sorted(RENAMED["method"]))
def test_a_method_with_an_attribute_of_before_is_refused(old):
    new = RENAMED["method"][old]
    with pytest.raises(OtaflError, match=f"method Mine = '{old}': is an attribute that is not read any more; {new} "):
        otafl.method("Mine")(type("Mine", (METHODS["A-GD"].__class__,), {old: True}))
    assert "Mine" not in METHODS
    assert hasattr(Method, new)


@pytest.mark.parametrize("old", sorted(RENAMED["uplink"]))
def test_an_uplink_with_an_attribute_of_before_is_refused(old):
    new = RENAMED["uplink"][old]
    with pytest.raises(OtaflError, match=f"uplink mine = '{old}': is an attribute that is not read any more; {new} "):
        otafl.uplink("mine")(type("Mine", (Digital,), {old: True}))
    assert "mine" not in UPLINKS
    assert hasattr(Uplink, new)


@pytest.mark.parametrize("registry", [PRECODERS, POWER_CONTROLS, RECEIVERS], ids=lambda one: one.kind)
def test_a_part_with_an_attribute_of_before_is_refused(registry):
    made = dataclasses.dataclass(frozen=True)(type("Mine", (registry.base,), {"combiner": None}))
    registry.register("mine")(made)
    with pytest.raises(OtaflError, match=f"{registry.kind} mine = 'combiner': is an attribute that is not read any"):
        add_parts()
    assert "mine" not in registry
    assert hasattr(registry.base, "receive_scaling")
