"""Channels that are given by their paths: closed forms of one and two paths, who is served, and what is kept."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest

from otafl.channels.fading import CdlFading, Layout, RaytracedFading, UmiFading
from otafl.channels.fading.paths import FIRST_BLOCKS, FoundFading, Paths, Traced

SEED = np.random.SeedSequence(1)


def found(amplitudes, delays, blocks):
    """Paths that turn by a radian a block. Shapes [workers, paths] each."""
    moving = np.asarray(amplitudes, complex)[:, None, :, None] * np.exp(1j * np.arange(blocks))
    return Paths(moving, np.asarray(delays, float), np.zeros((len(delays), 3)), np.zeros(3))


@dataclass(frozen=True)
class ByHand(FoundFading):
    """Model whose paths a function of seed and number of blocks finds."""

    find: Any = field(repr=False, default=None)
    kept: ClassVar[bool] = True

    def found(self, layout, seed, blocks):
        return self.find(seed, blocks)


def traced(amplitudes, delays, workers=None, calls=None, **given):
    def find(seed, blocks):
        if calls is not None:
            calls.append((seed, blocks))
        return found(amplitudes, delays, blocks)

    return Traced(ByHand(find=find), Layout(workers or len(delays), **given), SEED)


def test_gains_are_the_sum_of_turned_paths():
    """One path turns with frequency and time; two of equal strength, 10 µs apart, leave nothing every 100 kHz, from
    50 kHz on; all are over the gain of the median worker."""
    one = traced([[2.0]], [[1e-6]], spacing_hz=1e5).gains(3, 10)
    assert one.shape == (1, 1, 10)
    np.testing.assert_allclose(one[0, 0], np.exp(3j - 2j * np.pi * 0.1 * np.arange(10)), rtol=1e-6)
    two = traced([[1.0, 1.0]], [[0.0, 1e-5]], spacing_hz=10e3).gains(0, 31)[0, 0]
    np.testing.assert_allclose(np.abs(two) * np.sqrt(2), 2 * np.abs(np.cos(np.pi * 0.1 * np.arange(31))), atol=1e-6)
    workers = traced([[1.0], [10.0], [0.01]], [[0.0], [0.0], [0.0]]).gains(0, 1)
    np.testing.assert_allclose(np.abs(workers[:, 0, 0]), [1.0, 10.0, 0.01], rtol=1e-6)


def test_those_are_served_first_who_are_reached():
    strengths, delays = [[0.0], [1e-3], [1e-5], [1e-2]], [[0.0]] * 4
    np.testing.assert_array_equal(traced(strengths, delays, 2).served, [1, 2])
    np.testing.assert_array_equal(traced(strengths, delays, 2, most_loss_db=70.0).served, [1, 3])
    with pytest.raises(ValueError, match="reaches 2 of 4 places that were tried, but 3 workers need one"):
        traced(strengths, delays, 3, most_loss_db=70.0)


def test_paths_are_found_once_in_growing_numbers_of_blocks(tmp_path):
    calls = []
    made = traced([[1.0]], [[0.0]], calls=calls)
    made.gains(5, 1)
    made.gains(FIRST_BLOCKS, 1)
    assert [blocks for _, blocks in calls] == [FIRST_BLOCKS, 2 * FIRST_BLOCKS]
    assert [traced([[1.0]], [[0.0]])._enough(blocks) for blocks in (0, 64, 65, 128, 129)] == [64, 64, 128, 128, 256]
    again = traced([[1.0]], [[0.0]], calls=calls)
    np.testing.assert_array_equal(again.gains(FIRST_BLOCKS, 1), made.gains(FIRST_BLOCKS, 1))
    assert len(calls) == 2
    for path in (tmp_path / "channels").iterdir():
        path.write_bytes(path.read_bytes()[:100])
    np.testing.assert_array_equal(traced([[1.0]], [[0.0]], calls=calls).gains(0, 1), made.gains(0, 1))
    assert len(calls) == 3


def test_nothing_is_kept_where_the_variable_of_the_cache_is_empty_or_of_a_model_of_the_users(monkeypatch):
    """It is found anew each time, and the same; but the user's code may be another one in the next process."""
    assert UmiFading().kept & CdlFading().kept & RaytracedFading().kept
    assert not type("Own", (FoundFading,), {"found": None})().kept
    calls = []
    monkeypatch.setenv("OTAFL_CACHE_DIR", "")
    monkeypatch.setattr(Paths, "write", None)
    one, other = (traced([[1.0]], [[0.0]], calls=calls) for _ in range(2))
    np.testing.assert_array_equal(one.gains(FIRST_BLOCKS, 1), other.gains(FIRST_BLOCKS, 1))
    assert len(calls) == 4


@pytest.mark.parametrize("forged", [".npy", ".npz"])
def test_a_file_that_would_run_code_is_not_read(tmp_path, forged):
    """Arrays of objects are pickled."""
    found([[1.0]], [[0.0]], 2).write(path := tmp_path / "paths.npz")
    objects = np.array([[[{}]]], dtype=object)
    if forged == ".npy":
        np.save(path.with_suffix(".npy"), objects, allow_pickle=True)
    else:
        np.savez(path, delays_s=objects, places=objects, server=objects, outlines=objects)
    with pytest.raises(ValueError, match="allow_pickle=False"):
        Paths.read(path)


def test_as_many_blocks_as_are_expected_are_found_at_once_and_kept_of_those_who_are_served(tmp_path):
    calls = []
    few, many = traced([[1.0], [0.0]], [[0.0], [0.0]], 1), traced([[1.0], [0.0]], [[0.0], [0.0]], 1, calls)
    expected = [few.gains(block, 1) for block in (3, FIRST_BLOCKS, 300)]
    for path in (tmp_path / "channels").iterdir():
        path.unlink()
    many.expect(301)
    np.testing.assert_array_equal([many.gains(block, 1) for block in (3, FIRST_BLOCKS, 300)], expected)
    assert [blocks for _, blocks in calls] == [8 * FIRST_BLOCKS]
    (kept,) = (tmp_path / "channels").glob("*.npz")
    assert Paths.read(kept).amplitudes.shape == (1, 1, 1, 8 * FIRST_BLOCKS)


def test_parts_of_a_split_band_are_those_of_the_whole_band():
    made = traced([[1.0, 0.3], [0.5, 0.2j], [0.1, 0.9]], [[0.0, 3e-7], [1e-7, 8e-7], [0.0, 1e-6]])
    whole = made.gains(4, 2 * 5)[[0, 2]].reshape(2, 1, 2, 5)
    np.testing.assert_allclose(made.split(4, np.array([0, 2]), 5), whole[[0, 1], :, [0, 1]], rtol=1e-6)
