"""Streams of blocks."""

import numpy as np

from otafl.channels.random_streams import of_block


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
