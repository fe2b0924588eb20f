"""Fading in blocks: streams that depend on the seed and the block alone, and channels from a file."""

import os
import re
from itertools import islice

import numpy as np
import pytest
import xarray as xr

from otafl.channels.fading import BlockFading, Layout, RayleighFading, RecordedFading, block, realise, recorded
from otafl.channels.noise import complex_normal
from otafl.channels.random_streams import of_block

H = complex_normal(np.random.default_rng(0), (6, 4, 2, 8))


def gains(path, block=0, subcarriers=8, workers=4, antennas=2):
    return realise(RecordedFading(str(path)), Layout(workers, antennas), np.random.SeedSequence(3)).gains(
        block, subcarriers
    )


@pytest.fixture(params=["npz", "nc"])
def path(request, tmp_path):
    file = tmp_path / f"h.{request.param}"
    if request.param == "npz":
        np.savez(file, h=H)
    else:
        dims = ("block", "worker", "antenna", "subcarrier")
        xr.Dataset({"h_real": (dims, H.real), "h_imag": (dims, H.imag)}).to_netcdf(file, engine="h5netcdf")
    return file


def test_blocks_are_those_of_the_file_from_some_place_on(path):
    blocks = np.stack([gains(path, block) for block in range(6)])
    first = next(place for place in range(6) if np.array_equal(blocks[0], H[place]))
    np.testing.assert_array_equal(blocks, np.roll(H, -first, axis=0))
    np.testing.assert_array_equal(gains(path, 6), blocks[0])


def test_a_file_has_antennas_of_one_side(path):
    model, seed = RecordedFading(str(path)), np.random.SeedSequence(3)
    sides = (realise(model, Layout(4, 2, worker_antennas=count), seed).gains(0, 8) for count in (1, 2))
    np.testing.assert_array_equal(*sides)
    with pytest.raises(ValueError, match="has one axis of antennas, but both the server and workers have several"):
        realise(model, Layout(4, 4, worker_antennas=2), seed)


@pytest.mark.parametrize(
    ("made", "rule"),
    [
        (H * (np.arange(4) != 2)[:, None, None], "worker 2, counted from 0, are 0"),
        (H * (np.arange(6) != 5)[:, None, None, None], "worker 0, counted from 0, are 0"),
        (1e30 * H, "to 1e+12"),
        (1e-30 * H, "from 1e-12"),
        (H[..., 0, 0], "h must be [blocks, workers, antennas, subcarriers], not of shape [6, 4]"),
        (H * np.nan, "has NaN or infinite gains"),
        (H[:, :, :1], "has 4 workers and 1 antennas, but 4 and 2 are needed"),
        (H[..., :5], "has 5 subcarriers, but 8 are in use"),
    ],
    ids=lambda part: "" if isinstance(part, np.ndarray) else part,
)
def test_gains_of_which_nothing_could_be_received_are_refused(tmp_path, made, rule):
    file = tmp_path / "h.npz"
    np.savez(file, h=made)
    with pytest.raises(ValueError, match=re.escape(rule)):
        gains(file)
    np.savez(file, h=H * (np.arange(8) != 3))
    assert not gains(file)[..., 3].any()


@pytest.mark.parametrize(("gain", "remark"), [(1.0, ""), (9.99, ""), (0.1001, ""), (10.0, "20 dB"), (1e-3, "-60 dB")])
def test_gains_20_db_from_a_mean_square_of_one_are_remarked_upon(tmp_path, gain, remark):
    np.savez(tmp_path / "h.npz", h=np.full((1, 1, 1, 1), gain * 1j))
    found = realise(RecordedFading(str(tmp_path / "h.npz")), Layout(1), np.random.SeedSequence(3)).remark
    assert bool(found) == bool(remark)
    assert remark in found


def test_fewer_workers_and_subcarriers_are_the_first_ones(path):
    np.testing.assert_array_equal(gains(path, 2, 3, 2), gains(path, 2)[:2, :, :3])


def test_a_file_that_is_none_is_refused(tmp_path):
    with pytest.raises(ValueError, match="there is no such file"):
        gains(tmp_path / "h.npz")
    (tmp_path / "h.npz").write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(ValueError, match=r"must be a complete \.npz file"):
        gains(tmp_path / "h.npz")


def test_a_file_that_was_written_anew_is_another_one(tmp_path):
    """Size and time of modification stay."""
    path, digests = tmp_path / "h.npz", set()
    for factor in (1, 2):
        np.savez(path, h=factor * H)
        os.utime(path, ns=(1, 1))
        digests.add(RecordedFading(str(path)).digest)
    assert len(digests) == 2
    assert any(np.array_equal(gains(path), 2 * part) for part in H)


def test_gains_are_not_those_of_a_file_that_changes_while_it_is_read(tmp_path):
    np.savez(path := tmp_path / "h.npz", h=H)
    with pytest.raises(ValueError, match="has changed while it was read"):
        recorded.read(str(path), "the digest of before")


def block_fading(seed: int = 0, workers: int = 3, antennas: int = 1, apart: bool = False) -> BlockFading:
    return BlockFading(RayleighFading(), Layout(workers, antennas, apart=apart), np.random.SeedSequence(seed))


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
