"""ADMM whose workers are told one by one that they take part, and the two executors on the same run."""

import pytest

from otafl.engine import participation
from otafl.engine.group import Group
from otafl.engine.simulate import simulate
from tests.otafl.small import SMALL, group_of
from tests.rounding import SINGLE, assert_close

EVERYBODY = {"federation.workers": 6, "federation.participation": 1.0, "run.seeds": 1, "run.iterations": 5}
DIGITAL = {"method": "D-FADMM", "uplink.bits_per_element": 64}
METHODS = {
    "analog": SMALL | {"method": "A-FADMM"},
    "digital": SMALL | DIGITAL,
    "weighted": SMALL | DIGITAL | {"algorithm.consensus": "channel_weighted"},
}


def group(overrides: dict, name: str = "quickstart", seed: int = 2) -> Group:
    return group_of(name, EVERYBODY | overrides, [seed])


@pytest.mark.daily(1)
@pytest.mark.parametrize("overrides", METHODS.values(), ids=METHODS)
def test_all_workers_in_turn_are_everybody(overrides, monkeypatch):
    everybody = overrides | {"federation.workers": 12, "run.iterations": 12, "channel.coherence_iterations": 4}
    plain = simulate(group(everybody))
    monkeypatch.setattr(Group, "partial", True)
    monkeypatch.setattr(participation, "alike", lambda settings: False)
    told = simulate(group(everybody))
    for name, values in plain.values.items():
        assert_close(told.values[name], values, name=name)


FLIPS = {"local.optimizer": "sgd", "algorithm.on_channel_change": "dual_flip"}
EXECUTORS = {
    "FedAvg over the air": {"method": "FedAvg", "local.epochs": 2, "uplink.kind": "analog"},
    "A-SFADMM": {"method": "A-SFADMM", "local.steps": 5} | FLIPS,
}


@pytest.mark.slow
@pytest.mark.parametrize("case", EXECUTORS)
def test_executors_agree(case, monkeypatch):
    """With all workers, kept in the program or in rows on the host, over two changes of channel."""
    keys = EXECUTORS[case] | {"channel.coherence_iterations": 2}
    resident = group(keys, "digits_quickstart")
    assert resident.resident
    inside = simulate(resident)
    monkeypatch.setattr(Group, "resident", False)
    outside = simulate(group(keys, "digits_quickstart"))
    for name, values in inside.values.items():
        assert_close(outside.values[name], values, SINGLE, name)
    assert len(set(inside.values["loss"][0])) == 5
