"""Coherence blocks: those of iterations, which block one meets that takes time, and uploads that see several."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import otafl
from otafl.engine.coherence_blocks import LONGEST_SEGMENT, Clock, segments
from otafl.engine.costs import Ledger
from otafl.engine.draws import Draws
from otafl.engine.group import Group
from otafl.engine.participation import Participants
from otafl.uplinks.uplink import free
from tests.otafl.small import SMALL, dotted, group_of

WORKERS, SLOT_S = 5, 1e-3
KEYS: dict[str, Any] = {"run.seeds": 1, "run.iterations": 30, "federation.workers": WORKERS, "channel.snr_db": 20.0}


def group(**keys) -> Group:
    return group_of("quickstart", KEYS | dotted(keys))


def blocks_of(**keys) -> list[int]:
    draws = Draws(group(**keys))
    return [draws.done(part).part.block for part in segments(30, 1.0, 1)]


def test_iterations_meet_the_block_in_which_their_upload_starts():
    """A-GD uploads in one slot of 1 ms; with 4 ms of training an iteration takes 5 ms."""
    assert group(method="A-GD").uplink.grid.analog_slots(group(method="A-GD").elements) == 1
    keys = {"method": "A-GD", "channel__coherence_s": 0.02, "local__compute_s": 0.004}
    assert blocks_of(**keys) == [int((5 * k + 4) // 20) for k in range(30)]
    assert blocks_of(method="A-GD", channel__coherence_s=1e-3) == list(range(30))
    assert blocks_of(method="A-GD", channel__coherence_s=100.0) == [0] * 30


def test_time_that_passes_like_iterations_is_a_count_of_iterations():
    """One slot an iteration and a coherence of ten slots: all is as with ten iterations."""
    keys = KEYS | SMALL | {"method": "A-FADMM"}
    in_time, counted = (otafl.run("quickstart", keys | more) for more in ({"channel.coherence_s": 10 * SLOT_S}, {}))
    for name in ("loss", "time_slots", "channel_uses", "energy"):
        np.testing.assert_allclose(in_time[name], counted[name], rtol=1e-9)


@pytest.mark.parametrize("coherence_s", [7 * SLOT_S, 2.5 * SLOT_S])
def test_digital_uploads_see_blocks_slot_by_slot(coherence_s):
    made = group(method="D-FADMM", channel__coherence_s=coherence_s, uplink__subcarriers=WORKERS, channel__snr_db=0.0)
    ledger, who = Ledger(made), Participants(np.arange(WORKERS), np.zeros(WORKERS), True)
    begin, per_slot = 0, made.settings.uplink.slot_s
    for _ in range(4):
        carried, needed = np.zeros(WORKERS), np.zeros(WORKERS, int)
        slot = 0
        while (needed == 0).any():
            block = int(np.floor((begin + slot) * per_slot / coherence_s + 1e-9))
            own = np.abs(np.diagonal(made.air.alone(block, WORKERS)[0])) ** 2
            carried, slot = carried + np.log2(1 + 15 * own), slot + 1
            needed[(needed == 0) & (carried >= made.uplink.bits)] = slot
        row = ledger.enter(ledger.clock.placed(next(iter(segments(1, 1.0, 1)))).block, who)[0, :, 0]
        assert (row[0], row[1]) == (needed.max(), needed.sum())
        begin += needed.max()


def test_pilots_are_sent_in_every_block_that_an_upload_sees():
    keys = {"method": "D-FADMM", "channel__coherence_s": 3 * SLOT_S, "channel__pilots": 1}
    ledger, who = Ledger(group(**keys)), Participants(np.arange(WORKERS), np.zeros(WORKERS), True)
    plain = Ledger(group(**keys | {"channel__pilots": 0}))
    slots = ledger.enter(0, who)[0, 0, 0]
    upload = plain.group.uplink.cost(ledger._senders(0, np.array([0]), who.workers)).slots[0]
    assert slots - upload == np.ceil(upload / 3)
    uploads = [free(1)._replace(slots=np.array([slots])) for slots in (1, 3, 4, 6, 7)]
    assert [plain._more_blocks(upload) for upload in uploads] == [0, 0, 1, 1, 2]


def test_doppler_runs_with_the_clock():
    """Jakes fading at 10 m/s decorrelates between blocks 10 ms apart, and hardly within 10 µs."""

    def apart(coherence_s):
        made = group(method="A-GD", channel__fading="jakes", channel__speed_m_s=10.0, channel__coherence_s=coherence_s)
        first, second = (made.air.fading[0].gains(block, 10) for block in (0, 1))
        return np.mean(np.abs(first - second) ** 2)

    assert apart(1e-5) < 1e-3
    assert apart(1e-2) > 0.3


def test_a_clock_meets_every_block_once():
    clock = Clock(group(method="A-GD", channel__coherence_s=2.5 * SLOT_S).settings)
    found = [next(pair) for pair in [clock.blocks()] for _ in range(5)]
    assert found == [(0, 0), (1, 3), (2, 5), (3, 8), (4, 10)]
    fast = Clock(group(method="A-GD", channel__coherence_s=0.4 * SLOT_S).settings).blocks()
    assert [next(fast) for _ in range(4)] == [(0, 0), (2, 1), (5, 2), (7, 3)]


@given(st.integers(1, 3000), st.one_of(st.integers(1, 1000), st.just(math.inf)))
def test_segments_cover_all_iterations(iterations, coherence):
    parts = list(segments(iterations, coherence))
    covered = [k for part in parts for k in range(part.start, part.start + part.length)]
    assert covered == list(range(iterations))
    assert all(1 <= part.length <= LONGEST_SEGMENT for part in parts)
    changes = [part.start for part in parts if part.changed]
    assert changes == [] if math.isinf(coherence) else changes == list(range(coherence, iterations, coherence))
    for part in parts:
        last = part.start + part.length - 1
        assert part.block == (0 if math.isinf(coherence) else part.start // coherence)
        assert math.isinf(coherence) or last // coherence == part.block
