"""Draws in the order of iterations: channels of blocks, and the receiver's noise, with compressors' words."""

import numpy as np

from otafl.engine import inputs
from otafl.engine.draws import Draws
from otafl.engine.group import Group
from otafl.engine.simulate import simulate
from tests.otafl.small import dotted, group_of

HEAVY = {"method": "A-GD", "federation.workers": 5, "run.iterations": 20, "channel.noise": "alpha_stable"}


def noise(count: int = 4, **keys) -> np.ndarray:
    group = group_of("quickstart", HEAVY | dotted(keys))
    draws = Draws(group)
    rows = [draws.at_server(1)[0] for _ in range(count)]
    whole = Draws(group).at_server(count)[0]
    np.testing.assert_array_equal(np.concatenate(rows), whole)
    return whole


def test_noise_does_not_depend_on_how_many_rounds_are_drawn_at_once_and_has_heavy_tails():
    assert np.abs(noise(4000, channel__noise_alpha=1.1)).max() > 100
    assert np.abs(noise(4000, channel__noise_alpha=2.0)).max() < 7


def test_both_parts_of_a_symbol_are_drawn_out_alike():
    """The quotient of noise for two exponents tells the factor."""
    keys = {"uplink__elements_per_symbol": 2, "uplink__receiver": "sum"}
    factor = noise(channel__noise_alpha=1.2, **keys) / noise(channel__noise_alpha=2.0, **keys)
    pairs = factor[:, :, : factor.shape[2] // 2 * 2].reshape(*factor.shape[:2], -1, 2)
    np.testing.assert_allclose(pairs[..., 0], pairs[..., 1], rtol=1e-5)
    assert np.ptp(pairs[..., 0]) > 0


BLOCKS = {"run.iterations": 7, "run.seeds": 1, "federation.workers": 3, "channel.coherence_iterations": 3}


def test_a_block_s_channel_is_drawn_once_for_all_its_rounds(monkeypatch):
    drawn, draw = [], Group.channels

    def noted(group: Group, blocks: list[int], *workers: object) -> object:
        drawn.extend(blocks)
        return draw(group, blocks, *workers)

    monkeypatch.setattr(inputs, "CHUNK_ROUNDS", 3)
    monkeypatch.setattr(Group, "channels", noted)
    simulate(group_of("digits_quickstart", {"method": "FedAvg@analog", **BLOCKS}))
    assert drawn == [0, 1, 2]
