"""Networks as Elgabli et al. train them: costs, truncation, defaults, and MNIST where the file is there."""

import os

import numpy as np
import pytest

import otafl
from benchmarks.groups import first_group
from otafl.engine.block_gains import BlockGains
from otafl.training import models
from otafl.uplinks import Analog
from otafl.uplinks.uplink import Senders

needs_mnist = pytest.mark.skipif(
    not os.path.isfile(os.path.join(os.environ.get("OTAFL_DATA_DIR", ""), "mnist.npz")),
    reason="needs mnist.npz in OTAFL_DATA_DIR",
)


def test_ledger_of_the_paper():
    """d = 109,184: 27 slots at 4,096 subcarriers, 3 at ten times as many, 109,184 uses an upload (section V-A)."""
    for method, slots in (("A-SFADMM", 27), ("A-SFADMM-10x", 3), ("A-SGD", 27)):
        scenario = otafl.load("mnist_communication").override({"method": method, "problem.dataset": "digits"})
        group = first_group(scenario.override({"problem.model": f"{__name__}:wide"}))
        cost = group.uplink.cost(Senders(group.workers, BlockGains(group, 0, group.seed_index), np.ones(1), np.ones(1)))
        assert group.elements == 109_184
        assert (cost.slots[0], cost.uses[0]) == (slots, 109_184)


def wide(input_shape, outputs):
    """A model of the paper's size for smaller images: 64 · 848 + 848 · 64 + 64 · 10 = 109,184 weights."""
    return models.mlp(input_shape, outputs, hidden=(848, 64))


def test_truncation_of_the_paper_never_silences():
    """ε = 1e-6 mutes a subcarrier with probability 1e-12: nobody is silent in the blocks of a run of A-SGD, and every
    arrival is exactly 1."""
    overrides = {"method": "A-SGD", "problem.dataset": "digits", "problem.model": f"{__name__}:wide", "run.seeds": 1}
    group = first_group(otafl.load("mnist_communication", overrides))
    blocks = int(group.settings.run.iterations / group.settings.channel.coherence_iterations)
    assert blocks == 6
    for block in range(blocks):
        channel = group.channel(block)
        assert channel.arrival.shape == (100, 4096, 1)
        assert (channel.arrival == 1).all()
        assert (channel.noise_gain == 1).all()
        assert (channel.power > 0).all()
    loud = Analog(group.settings.with_values({"uplink.inversion_threshold": 0.5}), group.method, group.elements)
    silent = loud.channel(lambda subcarriers: group.air.shared([0], subcarriers), 100, 1, np.float32).power == 0
    assert silent.mean() == pytest.approx(1 - np.exp(-0.25), abs=5 * np.sqrt(0.25 / silent.size))


def test_defaults_are_the_papers():
    points = {point["method"]: settings for point, settings in otafl.load("mnist_communication").points()}
    settings = points["A-SFADMM"]
    assert (settings.algorithm.rho, settings.local.steps, settings.local.batch_size) == (0.5, 20, 100)
    assert settings.local.optimizer == "adam"
    rates = {name: points[name].local.learning_rate for name in ("A-SFADMM", "D-SFADMM", "A-SGD")}
    assert rates == {"A-SFADMM": 0.01, "D-SFADMM": 0.01, "A-SGD": 0.005}


@needs_mnist
@pytest.mark.slow
def test_mnist_accuracy_within_12_rounds():
    """A-SFADMM at 40 dB passes 0.90 on real MNIST within 12 rounds, with 109,184 uses and 27 slots each."""
    overrides = {"method": "A-SFADMM", "run.seeds": 1, "run.iterations": 12}
    data = otafl.run("mnist_communication", overrides).isel(seed=0)
    assert data["test_accuracy"].max() > 0.90
    np.testing.assert_array_equal(data["channel_uses"], 109_184 * np.arange(1, 13))
    np.testing.assert_array_equal(data["time_slots"], 27 * np.arange(1, 13))


@pytest.mark.slow
@needs_mnist
def test_mnist_over_noise():
    """A-SFADMM passes 0.93 within 60 rounds at 40 dB; at -10 dB it and D-SFADMM are within 0.03 of that at round 30."""
    overrides = {"run.seeds": 1, "channel.snr_db": [-10.0, 40.0]}
    analog = otafl.run("mnist_communication", overrides | {"method": "A-SFADMM"})["test_accuracy"].isel(seed=0)
    keys = overrides | {"method": "D-SFADMM", "run.iterations": 30}
    digital = otafl.run("mnist_communication", keys)["test_accuracy"].isel(seed=0)
    assert analog.sel(snr_db=40.0).max() > 0.93
    best = analog.sel(snr_db=40.0, iteration=30)
    for curve in (analog, digital):
        assert abs(curve.sel(snr_db=-10.0, iteration=30) - best) <= 0.03
