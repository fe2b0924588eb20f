"""Fading in blocks: streams that depend on the seed and the block alone."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otafl.channels.fading import BlockFading, Layout, RayleighFading, block


def block_fading(seed: int = 0, workers: int = 3, antennas: int = 1) -> BlockFading:
    return BlockFading(RayleighFading(), Layout(workers, antennas), np.random.SeedSequence(seed))


def test_gains_are_reproducible_per_seed_and_block():
    first = block_fading(3).gains(7, 4)
    np.testing.assert_array_equal(first, block_fading(3).gains(7, 4))
    assert not np.isin(first, block_fading(4).gains(7, 4)).any()
    assert not np.isin(first, block_fading(3).gains(8, 4)).any()


def test_blocks_are_independent():
    """Neither the gains nor the powers of successive blocks are correlated."""
    blocks = np.stack([block_fading(workers=40).gains(number, 50) for number in range(100)])
    now, then, bound = blocks[:-1], blocks[1:], 5 / np.sqrt(99 * 40 * 50)
    assert abs(np.mean(now * then.conj())) < bound
    assert abs(np.mean((np.abs(now) ** 2 - 1) * (np.abs(then) ** 2 - 1))) < bound


@settings(deadline=None, max_examples=50)
@given(
    st.integers(0, 2**32),
    st.integers(0, 10**6),
    st.integers(1, 20),
    st.integers(1, 3),
    st.integers(1, 20),
    st.integers(0, 20),
)
def test_wider_band_extends_a_narrower_one(seed, number, workers, antennas, narrow, more):
    fading = block_fading(seed, workers, antennas)
    wide = fading.gains(number, narrow + more)
    assert wide.shape == (workers, antennas, narrow + more)
    np.testing.assert_array_equal(wide[..., :narrow], fading.gains(number, narrow))


@pytest.mark.parametrize(("workers", "widths"), [(1, [8, 16, 32]), (4, [8, 16, 16]), (100, [8, 8, 8])])
def test_pieces_are_one_band(monkeypatch, workers, widths):
    """Piece by piece the band is the one that is drawn at once, and pieces grow while they are small."""
    monkeypatch.setattr(block, "LARGEST_PIECE", 64)
    pieces = list(islice(block_fading(5, workers).pieces(2), 3))
    band = np.concatenate(pieces, axis=2)
    np.testing.assert_array_equal(band, block_fading(5, workers).gains(2, band.shape[2]))
    assert [piece.shape[2] for piece in pieces] == widths


def apart(workers: int = 50, antennas: int = 2) -> BlockFading:
    return BlockFading(RayleighFading(), Layout(workers, antennas, apart=True), np.random.SeedSequence(1))


def test_gains_of_few_workers_are_those_among_all():
    """Whoever else is asked for and however wide the band, also where all come from one stream."""
    for fading in (apart(), block_fading(workers=50, antennas=2)):
        everybody = fading.gains(3, 4)
        assert everybody.shape == (50, 2, 4)
        np.testing.assert_array_equal(fading.of(3, 4, [7, 2]), everybody[[7, 2]])
        np.testing.assert_array_equal(fading.of(3, 4, slice(5, 9)), everybody[5:9])
        np.testing.assert_array_equal(fading.of(3, 9, [7])[..., :4], everybody[[7]])


def test_workers_apart_are_independent_and_have_power_one():
    """Among workers, antennas and blocks, within five standard errors."""
    gains = np.stack([apart(40).gains(number, 50) for number in range(50)])
    bound = 5 / np.sqrt(gains.size)
    assert abs(np.mean(np.abs(gains) ** 2) - 1) < bound
    assert abs(np.mean(gains**2)) < 2 * bound
    for axis in range(4):
        now, then = np.delete(gains, -1, axis), np.delete(gains, 0, axis)
        assert abs(np.mean(now * then.conj())) < 2 * bound
