"""What a run will need of memory is said, or refused, beforehand."""

import tracemalloc

import pytest
from keras.layers import Dense

import otafl
from benchmarks.groups import first_group
from otafl.channels.fading import FADING
from otafl.engine import run_size
from otafl.errors import OtaflError, Remark
from tests.otafl.training.stacked import stacked

KEYS = {"problem.dataset": "digits", "problem.model": f"{__name__}:as_large_as_cnn1", "local.epochs": 1}
KEYS |= {"federation.workers": 1000, "federation.participation": 0.01, "run.iterations": 1, "run.seeds": 1}


def test_memory_is_said_and_refused_beforehand(monkeypatch):
    """1,000 workers with one dual of CNN 1 need 6.2 GiB and some for the round; of all at a time twice as much."""
    keys = KEYS | {"method": "FedDyn", "uplink.kind": "ideal"}
    monkeypatch.setattr(run_size, "available", lambda: 10 * run_size.GIB)
    with pytest.warns(Remark, match=r"FedDyn with 1,000 workers, 10 of them in a round, takes 6.44 GiB"):
        data = otafl.run("digits_quickstart", keys)
    assert data["test_accuracy"].notnull().all()
    keys |= {"federation.participation": 0.5}
    with pytest.raises(OtaflError, match=r"federation.workers = 1000: .* takes 12.39 GiB .* has 10.00 GiB left"):
        otafl.run("digits_quickstart", keys)


@pytest.mark.slow
def test_rows_without_room_in_memory_lie_in_a_file(monkeypatch):
    """100 workers keep 1.24 GiB with FedADMM-Gong: that is said, and refused without that on the disk."""
    keys = KEYS | {"method": "FedADMM-Gong", "uplink.kind": "ideal", "federation.workers": 100}
    monkeypatch.setattr(run_size, "available", lambda: 1.4 * run_size.GIB)
    said = r"100 workers, 1 of them in a round, takes 0.04 GiB of memory .*, and 1.24 GiB in a file in /"
    with pytest.warns(Remark, match=said):
        data = otafl.run("digits_quickstart", keys)
    assert data["test_accuracy"].notnull().all()
    monkeypatch.setattr(run_size, "room", lambda: run_size.GIB)
    with pytest.raises(OtaflError, match=r"federation.workers = 100: keep 1.24 GiB in a file .* has 1.00 GiB left"):
        otafl.run("digits_quickstart", keys | {"run.seed": 1})


@pytest.mark.parametrize("antennas", [1, 8])
@pytest.mark.parametrize("name", [name for name, model in FADING.items() if not model.costly])
def test_channels_take_what_is_estimated(name, antennas):
    """Of 1,000 workers on 64 subcarriers, 8 antennas with an eighth of them: no more, and no less than a third."""
    keys = {"method": "A-FADMM", "problem.dataset": "synthetic", "problem.dimension": 64, "problem.samples": 2000}
    keys |= {"uplink.subcarriers": 64, "channel.fading": name, "run.seeds": 1, "cell.worker_antennas": antennas}
    tracemalloc.start()
    made = first_group(otafl.load("quickstart", keys | {"federation.workers": 1000 // antennas}))
    for block in (0, 1, 200):
        made.channels([block]).of_block(0)
    at_air = tracemalloc.Filter(True, "*/channels/*"), tracemalloc.Filter(True, "*/otafl/engine/channel_process.py")
    kept = sum(line.size for line in tracemalloc.take_snapshot().filter_traces(at_air).statistics("filename"))
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    made.channels([400]).of_block(0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    taken = kept + peak - before
    assert taken <= made.air.demand(1, made.uplink.most_subcarriers).size <= 3 * taken


as_large_as_cnn1 = stacked(
    lambda outputs: [Dense(22_478, use_bias=False), Dense(outputs, use_bias=False), Dense(outputs)]
)
