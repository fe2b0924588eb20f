"""Channels from a file."""

import os
import re

import numpy as np
import pytest
import xarray as xr

from otafl.channels.fading import Layout, RecordedFading, realise, recorded
from otafl.channels.noise import complex_normal

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
