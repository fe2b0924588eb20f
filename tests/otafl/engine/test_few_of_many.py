"""Rounds of few of many workers: random numbers of the participants alone, and results as with all workers' numbers."""

import numpy as np
import pytest

from tests.otafl.engine.test_checkpoint import goes_on
from tests.otafl.small import group_of, settings_of
from tests.rounding import assert_close

MANY = {"method": "FedAvg", "federation.workers": 1200, "federation.participation": 0.005, "local.steps": 2}
MANY |= {"run.seeds": 1, "run.iterations": 3, "uplink.subcarriers": 16}
SOME = np.array([3, 700, 1199])
ALL = [
    {"federation.participation": 0.2},
    {"federation.workers": 1000},
    {"federation.sampling": "channel"},
    {"channel.pilots": 2},
    {"uplink.kind": "analog", "channel.phase_error_rad": 0.1},
    {"uplink.subcarriers": "one_slot"},
    {"uplink.kind": "analog", "uplink.charge_downlink": True},
]


def test_all_numbers_are_drawn_where_they_are_needed():
    few = [settings_of("digits_quickstart", MANY | keys) for keys in ({}, {"uplink.kind": "analog"}, *ALL)]
    assert [settings.few_at_a_time for settings in few] == [True] * 2 + [False] * 7


@pytest.mark.parametrize("cell", [{}, {"cell.radius_m": 300.0}, {"cell.antennas": 3}], ids=["one", "cell", "antennas"])
@pytest.mark.parametrize("fading", ["rayleigh", "jakes"])
def test_gains_of_participants_are_those_among_all_workers(fading, cell):
    air = group_of("digits_quickstart", MANY | {"channel.fading": fading, "uplink.kind": "analog"} | cell, [2]).air
    assert_close(air.alone(1, 4, workers=SOME), air.alone(1, 4)[:, SOME])
    if "cell.antennas" in cell:
        return
    few, everybody = air.shared([0, 1], 4, SOME), air.shared([0, 1], 4)
    assert_close(few.h, everybody.h[:, SOME])
    assert_close(few.mean, everybody.mean[:, SOME])


@pytest.mark.slow
def test_runs_go_on_from_checkpoints():
    work = {"local.steps": None, "local.epochs": 3, "local.work": "uniform", "local.batch_size": 1}
    goes_on(lambda: group_of("digits_quickstart", MANY | work), chunks=1)
