"""What a run will need of memory is said, or refused, beforehand."""

import pytest

import otafl
from otafl.engine import memory
from otafl.errors import OtaflError, Remark


def test_memory_is_said_and_refused_beforehand(monkeypatch):
    """1,000 workers with one dual of CNN 1 need 6.2 GiB and some for the round, FedADMM-Gong twice as much."""
    keys = {"method": "FedDyn", "problem.dataset": "digits", "problem.model": f"{__name__}:as_large_as_cnn1"}
    keys |= {"federation.workers": 1000, "federation.participation": 0.01, "run.iterations": 1, "run.seeds": 1}
    monkeypatch.setattr(memory, "available", lambda: 8 * memory.GIB)
    with pytest.warns(Remark, match=r"FedDyn with 1,000 workers, 10 of them in a round, takes 6.57 GiB"):
        data = otafl.run("digits_quickstart", keys | {"uplink.kind": "ideal", "local.epochs": 1})
    assert data["test_accuracy"].notnull().all()
    with pytest.raises(OtaflError, match=r"federation.workers = 1000: .* takes 13.01 GiB .* has 8.00 GiB left"):
        otafl.run("digits_quickstart", keys | {"method": "FedADMM-Gong"})


def as_large_as_cnn1(shape, outputs):
    import keras

    layers = [keras.Input(shape), keras.layers.Flatten(), keras.layers.Dense(22_478, use_bias=False)]
    return keras.Sequential([*layers, keras.layers.Dense(outputs, use_bias=False), keras.layers.Dense(outputs)])
