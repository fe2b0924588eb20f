"""Rounds of few of many workers: random numbers of the participants alone, and results as with all workers' numbers."""

import numpy as np
import pytest

import otafl
from otafl.engine.channel_process import ChannelProcess
from otafl.engine.group import Group
from otafl.engine.run_spec import RunSpec
from otafl.settings.keys import Settings
from otafl.store import identity
from tests.rounding import assert_close

MANY = {"method": "FedAvg", "federation.workers": 1200, "federation.participation": 0.005, "local.steps": 2}
MANY |= {"run.seeds": 1, "run.iterations": 3, "uplink.subcarriers": 16}
SOME = np.array([3, 700, 1199])


def settings(overrides: dict) -> Settings:
    _, found = next(otafl.load("digits_quickstart", MANY | overrides).points())
    return found


@pytest.mark.parametrize(
    ("overrides", "few"),
    [
        ({}, True),
        ({"uplink.kind": "analog"}, True),
        ({"federation.participation": 0.2}, False),
        ({"federation.workers": 1000}, False),
        ({"federation.sampling": "channel"}, False),
        ({"channel.pilots": 2}, False),
        ({"uplink.kind": "analog", "channel.phase_error_rad": 0.1}, False),
        ({"uplink.subcarriers": "one_slot"}, False),
        ({"uplink.kind": "analog", "uplink.charge_downlink": True}, False),
    ],
)
def test_all_numbers_are_drawn_where_they_are_needed(overrides, few):
    assert settings(overrides).few_at_a_time is few


@pytest.mark.parametrize("cell", [{}, {"cell.radius_m": 300.0}, {"cell.antennas": 3}], ids=["one", "cell", "antennas"])
@pytest.mark.parametrize("fading", ["rayleigh", "rician", "jakes"])
def test_gains_of_participants_are_those_among_all_workers(fading, cell):
    """With models of independent blocks, and of gains that follow each other; antennas are combined for the senders."""
    air = Group([RunSpec(settings({"channel.fading": fading, "uplink.kind": "analog"} | cell), 2)]).air
    assert_close(air.alone(1, 4, workers=SOME), air.alone(1, 4)[:, SOME])
    if "cell.antennas" in cell:
        return
    few, everybody = air.shared([0, 1], 4, SOME), air.shared([0, 1], 4)
    assert_close(few.h, everybody.h[:, SOME])
    assert_close(few.mean, everybody.mean[:, SOME])


def test_runs_have_names_of_their_own_and_go_on_from_checkpoints(tmp_path):
    """A run in two parts has the bits of one in a single part, with uneven work, too."""
    work = {"local.steps": None, "local.epochs": 3, "local.work": "uniform", "local.batch_size": 1}
    whole = otafl.run("digits_quickstart", MANY | work, store=tmp_path / "one")
    otafl.run("digits_quickstart", MANY | work | {"run.iterations": 1}, tmp_path / "out", store=tmp_path / "two")
    longer = otafl.run("digits_quickstart", MANY | work, tmp_path / "longer", store=tmp_path / "two")
    np.testing.assert_array_equal(longer["loss"], whole["loss"])
    np.testing.assert_array_equal(longer["energy"], whole["energy"])


def test_the_name_says_that_numbers_are_drawn_for_participants_alone(monkeypatch):
    few = settings({})
    before = identity.run_name(few, 0)
    monkeypatch.setattr("otafl.settings.keys.MANY_WORKERS", 10**9)
    assert identity.run_name(few, 0) != before


def test_the_memory_that_is_asked_for_is_that_of_participants():
    many, few = (_demand({"uplink.kind": "analog", "federation.workers": count}) for count in (100_000, 10_000))
    assert many == pytest.approx(10 * few, rel=0.01)
    assert many < 2**30


def _demand(overrides: dict) -> float:
    """Memory of the gains of a block with 0.5% of the workers on 1,024 subcarriers, in bytes."""
    keys = {"problem.dataset": "synthetic", "federation.partition": "natural", "uplink.subcarriers": 1024}
    return ChannelProcess(settings(overrides | keys), [0]).demand(1, 1024).size
