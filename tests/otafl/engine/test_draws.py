"""Draws in the order of iterations: channels of blocks, and the receiver's noise, with compressors' words."""

import itertools
import threading
from typing import Any

import numpy as np

from otafl.engine import inputs
from otafl.engine.draws import Draws
from otafl.engine.executors import Resident
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


def test_the_next_rounds_are_drawn_while_rounds_are_computed(monkeypatch):
    monkeypatch.setattr(inputs, "CHUNK_ROUNDS", 3)
    begun, draw, advance = [threading.Event() for _ in range(8)], Draws.at_server, Resident.advance
    drawn, computed = itertools.count(), itertools.count()

    def noted(draws: Draws, count: int) -> object:
        begun[next(drawn)].set()
        return draw(draws, count)

    def waiting(executor: Resident, *given: Any) -> object:
        after = next(computed) + 1
        if 1 < after < 7:  # the second round's inputs are drawn once the first has been traced
            assert begun[after].wait(20), "the next round's inputs were not drawn meanwhile"
        return advance(executor, *given)

    monkeypatch.setattr(Draws, "at_server", noted)
    monkeypatch.setattr(Resident, "advance", waiting)
    simulate(group_of("digits_quickstart", {"method": "FedAvg@analog", **BLOCKS}))
    assert next(computed) == next(drawn) == 7


def test_parts_of_a_block_have_one_length_so_that_none_is_too_short_to_draw_in():
    group = group_of("digits_quickstart", {"method": "A-SFADMM", "federation.workers": 120})
    assert inputs.CHUNK_ROUNDS // group.workers == 8
    assert inputs.chunk_shape(group) == (1, 5)
    assert [part.length for chunk in inputs.chunks(group) for part in chunk] == [5] * 20
