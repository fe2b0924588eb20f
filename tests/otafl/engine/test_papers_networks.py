"""Networks as Elgabli et al. train them: costs, truncation and defaults."""

import numpy as np
import pytest

import otafl
from benchmarks.groups import first_group
from otafl.engine.channel_process import BlockGains
from otafl.training import models
from otafl.uplinks import Analog
from otafl.uplinks.uplink import Senders


def test_ledger_of_the_paper():
    """d = 109,184: 27 slots at 4,096 subcarriers, 3 at ten times as many, 109,184 uses an upload (section V-A)."""
    for method, slots in (("A-SFADMM", 27), ("A-SFADMM-10x", 3), ("A-SGD", 27)):
        scenario = otafl.load("mnist_communication").override({"method": method, "problem.dataset": "digits"})
        group = first_group(scenario.override({"problem.model": f"{__name__}:wide"}))
        cost = group.uplink.cost(
            Senders(group.workers, BlockGains(group.air, 0, group.seed_index), np.ones(1), np.ones(1))
        )
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
        channel = group.channels([block]).of_block(0)
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
