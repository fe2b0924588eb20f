"""ADMM where only some workers take part, and the two executors on the same run."""

import numpy as np
import pytest

from otafl.engine import inputs, participation
from otafl.engine.costs import SLOTS, USES
from otafl.engine.executors import Resident
from otafl.engine.group import Group
from otafl.engine.simulate import simulate
from tests.otafl.small import SMALL, costs_of, group_of, some
from tests.rounding import SINGLE, assert_close

HALF = {"federation.workers": 12, "federation.participation": 0.5, "run.seeds": 1, "run.iterations": 12}
QUIET = {"channel.snr_db": float("inf")}
DIGITAL = {"method": "D-FADMM", "uplink.bits_per_element": 64}
ELEMENTS = 3
METHODS = {
    "analog": SMALL | {"method": "A-FADMM"},
    "digital": SMALL | DIGITAL,
    "weighted": SMALL | DIGITAL | {"algorithm.consensus": "channel_weighted"},
}


def group(overrides: dict, name: str = "quickstart", seed: int = 2) -> Group:
    return group_of(name, HALF | overrides, [seed])


def states(made: Group, monkeypatch):
    """Who takes part in each iteration, and the state before and after it."""
    monkeypatch.setattr(inputs, "CHUNK_ITERATIONS", 1)
    monkeypatch.setattr(inputs, "LONGEST_SEGMENT", 1)
    executor = Resident(made)
    (stream,) = executor.streams
    who = participation.Participation(made.settings, made.task.counts, made.seeds[0])
    for (drawn, *_), one in zip(executor.inputs(), who, strict=False):
        before = stream.state
        stream.advance(drawn[stream.seeds])
        yield one.workers, before, stream.state


@pytest.mark.parametrize("overrides", METHODS.values(), ids=METHODS)
def test_idle_workers_keep_models_and_duals(overrides, monkeypatch):
    idled = set()
    for workers, before, after in states(group(overrides | {"channel.coherence_iterations": 3}), monkeypatch):
        assert len(workers) == 6
        idle = np.setdiff1d(np.arange(12), workers)
        idled |= set(idle)
        for old, new in zip(before.client, after.client, strict=True):
            np.testing.assert_array_equal(new.numpy()[idle], old.numpy()[idle])
        moved = [np.any(new != old, axis=(1, 2)) for old, new in zip(before.client, after.client, strict=True)]
        assert np.logical_or(*moved)[workers].all()
    assert len(idled) == 12


@pytest.mark.parametrize("overrides", METHODS.values(), ids=METHODS)
def test_duals_of_participants_add_up_to_zero_without_errors(overrides, monkeypatch):
    """The server divides by Σ|h|² over those that take part, so that stationarity (41) holds for them."""
    for workers, _, after in states(group(overrides | QUIET | {"channel.coherence_iterations": 5}), monkeypatch):
        mu = after.client.mu.numpy()[workers]
        assert np.abs(mu).max() > 1e-3
        assert np.abs(mu.sum(axis=0)).max() < 1e-12 * np.abs(mu).sum(axis=0).max()


@pytest.mark.parametrize("overrides", METHODS.values(), ids=METHODS)
def test_all_workers_in_turn_are_everybody(overrides, monkeypatch):
    everybody = overrides | {"federation.participation": 1.0, "channel.coherence_iterations": 4}
    plain = simulate(group(everybody))
    monkeypatch.setattr(Group, "partial", True)
    monkeypatch.setattr(participation, "alike", lambda settings: False)
    told = simulate(group(everybody))
    for name, values in plain.values.items():
        assert_close(told.values[name], values, name=name)


@pytest.mark.parametrize("kind", ["analog", "digital"])
def test_half_of_the_workers_upload(kind):
    """Elements of half, analog uses as ever, digital slots half where no worker's channel is worse."""
    alike = {"uplink.subcarriers": 1, "channel.snr_db": 30.0, "channel.fading": "none"}
    keys = METHODS[kind] | (alike if kind == "digital" else {})
    half, whole = (costs_of(group(keys | {"federation.participation": share}), 12)[..., 0].T for share in (0.5, 1.0))
    np.testing.assert_array_equal(half[ELEMENTS], 0.5 * whole[ELEMENTS])
    if kind == "analog":
        np.testing.assert_array_equal(half[USES], whole[USES])
    else:
        assert 0.5 <= half[SLOTS].sum() / whole[SLOTS].sum() < 0.52


EXECUTORS = {
    "FedAvg over the air": {"method": "FedAvg", "local.epochs": 2, "uplink.kind": "analog"},
    "A-SFADMM": {
        "method": "A-SFADMM",
        "local.steps": 5,
        "local.optimizer": "sgd",
        "algorithm.on_channel_change": "dual_flip",
    },
}


@pytest.mark.parametrize("case", some(EXECUTORS, {"A-SFADMM"}))
def test_executors_agree(case, monkeypatch):
    """With all workers, kept in the program or in rows on the host, over two changes of channel."""
    keys = EXECUTORS[case] | {"federation.workers": 6, "federation.participation": 1.0, "run.iterations": 5}
    keys |= {"channel.coherence_iterations": 2}
    resident = group(keys, "digits_quickstart")
    assert resident.resident
    inside = simulate(resident)
    monkeypatch.setattr(Group, "resident", False)
    outside = simulate(group(keys, "digits_quickstart"))
    for name, values in inside.values.items():
        assert_close(outside.values[name], values, SINGLE, name)
    assert len(set(inside.values["loss"][0])) == 5
