"""Fading in blocks: streams that depend on the seed and the block alone."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otafl.channels.fading import BlockFading, Layout, RayleighFading, block
from otafl.channels.random_streams import of_block


def block_fading(seed: int = 0, workers: int = 3, antennas: int = 1, apart: bool = False) -> BlockFading:
    return BlockFading(RayleighFading(), Layout(workers, antennas, apart=apart), np.random.SeedSequence(seed))


def test_gains_are_reproducible_per_seed_and_block():
    first = block_fading(3).gains(7, 4)
    np.testing.assert_array_equal(first, block_fading(3).gains(7, 4))
    assert not np.isin(first, block_fading(4).gains(7, 4)).any()
    assert not np.isin(first, block_fading(3).gains(8, 4)).any()


@settings(max_examples=50)
@given(st.integers(0, 10**6), *[st.integers(1, 20)] * 3, st.integers(0, 20))
def test_wider_band_extends_a_narrower_one(number, workers, antennas, narrow, more):
    fading = block_fading(2, workers, antennas)
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


@pytest.mark.parametrize("apart", [True, False])
def test_gains_of_few_workers_are_those_among_all(apart):
    """Whoever else is asked for and however wide the band, also where all come from one stream."""
    fading = block_fading(1, 50, 2, apart)
    everybody = fading.gains(3, 4)
    assert everybody.shape == (50, 2, 4)
    np.testing.assert_array_equal(fading.of(3, 4, [7, 2]), everybody[[7, 2]])
    np.testing.assert_array_equal(fading.of(3, 4, slice(5, 9)), everybody[5:9])
    np.testing.assert_array_equal(fading.of(3, 9, [7])[..., :4], everybody[[7]])


@pytest.mark.parametrize("apart", [True, False])
def test_workers_antennas_blocks_and_subcarriers_are_independent_and_have_power_one(apart):
    fading = block_fading(1, 40, 2, apart)
    gains = np.stack([fading.gains(number, 50) for number in range(50)])
    bound = 5 / np.sqrt(gains.size)
    assert abs(np.mean(np.abs(gains) ** 2) - 1) < bound
    assert abs(np.mean(gains**2)) < 2 * bound
    for axis in range(4):
        now, then = np.delete(gains, -1, axis), np.delete(gains, 0, axis)
        assert abs(np.mean(now * then.conj())) < 2 * bound


def test_the_stream_of_a_block_is_philox_under_its_key_from_its_number_on():
    seed = np.random.SeedSequence(3)
    key = seed.generate_state(2, np.uint64)
    expected = np.random.Generator(np.random.Philox(key=key, counter=(0, 0, 2, 7))).standard_normal(100)
    np.testing.assert_array_equal(of_block(seed, 7, 2).standard_normal(100), expected)


def test_streams_of_workers_differ_from_each_other_and_from_that_of_all():
    seed = np.random.SeedSequence(3)
    streams = [of_block(seed, 7, worker=one) for one in (None, 0, 1, 10**6)]
    drawn = np.stack([rng.standard_normal(100) for rng in streams])
    assert len(np.unique(drawn)) == drawn.size
    np.testing.assert_array_equal(of_block(seed, 7, worker=1).standard_normal(100), drawn[2])
