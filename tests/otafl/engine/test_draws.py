"""Draws: channels of blocks, the receiver's noise, compressors' words, and cut uploads."""

import itertools
import threading
from typing import Any

import numpy as np
import pytest

from otafl.engine import inputs
from otafl.engine.coherence_blocks import segments
from otafl.engine.costs import USES, Ledger
from otafl.engine.draws import Draws
from otafl.engine.executors import Resident
from otafl.engine.group import Group
from otafl.engine.participation import Participants, Participation
from otafl.engine.simulate import simulate
from tests.otafl.engine.executors.test_by_parts import Last
from tests.otafl.engine.test_checkpoint import goes_on
from tests.otafl.engine.test_participation import rounds
from tests.otafl.small import SMALL, dotted, group_of

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


BASE: dict[str, Any] = SMALL | {"federation.workers": 5, "run.iterations": 6, "run.seeds": 1, "channel.snr_db": 20.0}
ENERGY = 2


def keys(method: str, chance: float, **more: Any) -> dict[str, Any]:
    return BASE | {"method": method, "federation.cut_chance": chance} | dotted(more)


def group(method: str, chance: float, **more: Any) -> Group:
    return group_of("quickstart", keys(method, chance, **more))


def test_uploads_are_cut_with_their_chance_and_uniformly():
    """Shares of 20 workers in 2,000 rounds: below x with probability p·x, within 3 standard errors."""
    chance, at = 0.3, np.linspace(0.1, 1.0, 10)
    sent = np.concatenate([who.sent for who in rounds(2000, federation__cut_chance=chance)])
    found = np.mean(sent < at[:, None], axis=1)
    assert np.all(np.abs(found - chance * at) <= 3 * np.sqrt(chance * at * (1 - chance * at) / sent.size))


def test_cuts_move_no_other_draw_and_rise_with_their_chance():
    uneven = {"federation__participation": 0.5, "local__work": "uniform", "local__epochs": 5}
    plain = rounds(10, **uneven)
    some, more = (rounds(10, **uneven, federation__cut_chance=chance) for chance in (0.2, 0.9))
    for one, other, third in zip(plain, some, more, strict=True):
        assert one.sent is None
        np.testing.assert_array_equal(one.workers, other.workers)
        np.testing.assert_array_equal(one.epochs, other.epochs)
        assert np.all(np.array(third.sent) <= other.sent)


@pytest.mark.parametrize("uplink", [{}, {"uplink.subcarriers": "one_slot"}])
def test_digital_uploads_are_charged_until_the_cut_and_awaited_whole(uplink):
    """Without fading all workers have equal uses; by hand, with pilots, which do not depend on cuts."""
    made = group_of("quickstart", keys("D-FADMM", 0.5, channel__fading="none") | uplink)
    sent, who = np.array([0.1, 1.0, 0.4, 0.0, 1.0]), Participants(np.arange(5), np.zeros(5, np.int32), True)
    whole, cut = (Ledger(made).enter(0, one)[0, :, 0] for one in (who, who._replace(sent=sent)))
    np.testing.assert_allclose(cut / whole, [1.0, 0.5, 0.5, 0.5], rtol=1e-12)


def test_a_cut_ends_each_workers_own_upload():
    """With fading, a worker that is cut at once saves its own uses, and no other's."""
    made = group("D-FADMM", 0.5, channel__pilots=2)
    who = Participants(np.arange(5), np.zeros(5, np.int32), True)
    whole = Ledger(made).enter(0, who)[0, USES, 0]
    none = Ledger(made).enter(0, who._replace(sent=np.zeros(5)))[0, USES, 0]
    each = [Ledger(made).enter(0, who._replace(sent=1.0 - np.eye(5)[one]))[0, USES, 0] for one in range(5)]
    assert none > 0
    assert len({*np.round(each, 6)}) > 1
    np.testing.assert_allclose(np.sum(whole - np.array(each)), whole - none, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("chance", [0.4, 1.0])
def test_digital_energy_is_one_less_half_the_chance_and_the_cut_are_absent(chance):
    """Over 2,000 rounds without fading, within 3 standard errors; who is heard are those of whole uploads."""
    made, count = group("D-FADMM", chance, channel__fading="none", run__iterations=2000), 2000
    draws, twin = Draws(made), Participation(made.settings, made.task.counts, 0)
    done = [draws.done(part) for part in segments(count, 1.0, 1)]
    (whole,) = Ledger(made).enter(0, Participants(np.arange(5), np.zeros(5, np.int32), True))[0, ENERGY]
    energy = np.concatenate([one.costs for one in done])[:, ENERGY, 0].mean() / whole
    assert abs(energy - (1 - chance / 2)) <= 3 * np.sqrt((chance / 3 - chance**2 / 4) / (5 * count))
    for one, drawn in zip(done, twin, strict=False):
        heard = np.flatnonzero(drawn.sent == 1)
        assert one.arrived[0].arrives == bool(heard.size)
        assert not heard.size or np.array_equal(one.arrived[0].workers, heard)


@pytest.mark.parametrize("method", ["D-FADMM", "SCAFFOLD"])
def test_nobody_arrives_and_nothing_changes(method):
    last = Last(), Last()
    for listener, count in zip(last, (1, 3), strict=True):
        curves = simulate(group(method, 1.0, run__iterations=count, uplink__kind="digital"), listener)
    for one, other in zip(last[0].state, last[1].state, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not np.any(last[0].state[0])
    assert len({*curves.values["loss"].ravel()}) == 1
    assert np.isnan(curves.values["aggregation_nmse"]).all()


@pytest.mark.slow
def test_runs_with_cuts_go_on_to_the_last_bit():
    goes_on(lambda: group("FedAvg", 0.7, uplink__kind="digital", federation__participation=0.6))
