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
    ],
    ids=["worker without gain", "block without gain", "gains of 1e30", "gains of 1e-30"],
)
def test_gains_of_which_nothing_could_be_received(tmp_path, made, rule):
    np.savez(tmp_path / "h.npz", h=made)
    with pytest.raises(ValueError, match=re.escape(rule)):
        gains(tmp_path / "h.npz")


def test_single_gains_may_be_zero(tmp_path):
    made = H.copy()
    made[:, 1, 0, 3] = 0
    np.savez(tmp_path / "h.npz", h=made)
    assert gains(tmp_path / "h.npz")[1, 0, 3] == 0


@pytest.mark.parametrize(("factor", "remark"), [(1.0, ""), (3.0, ""), (1e-3, "-60 dB"), (100.0, "40 dB")])
def test_gains_far_from_a_mean_square_of_one_are_remarked_upon(tmp_path, factor, remark):
    np.savez(tmp_path / "h.npz", h=factor * H)
    found = realise(RecordedFading(str(tmp_path / "h.npz")), Layout(4, 2), np.random.SeedSequence(3)).remark
    assert bool(found) == bool(remark)
    assert remark in found


def test_a_mean_square_of_20_db_is_far(tmp_path):
    for gain, said in ((10.0, True), (9.99, False), (0.1, True), (0.1001, False)):
        np.savez(tmp_path / "h.npz", h=np.full((1, 1, 1, 1), gain * 1j))
        found = realise(RecordedFading(str(tmp_path / "h.npz")), Layout(1), np.random.SeedSequence(3)).remark
        assert bool(found) == said, gain


def test_fewer_workers_and_subcarriers_are_the_first_ones(path):
    np.testing.assert_array_equal(gains(path, 2, 3, 2), gains(path, 2)[:2, :, :3])


WRONG = {
    "there is no such file": lambda path: path,
    "must be a complete .npz file": lambda path: path.write_bytes(b"PK\x03\x04 and so on"),
    "h must be [blocks, workers, antennas, subcarriers], not of shape [6, 4]": lambda path: np.savez(
        path, h=H[..., 0, 0]
    ),
    "has NaN or infinite gains": lambda path: np.savez(path, h=H * np.nan),
    "has 4 workers and 1 antennas, but 4 and 2 are needed": lambda path: np.savez(path, h=H[:, :, :1]),
    "has 5 subcarriers, but 8 are in use": lambda path: np.savez(path, h=H[..., :5]),
}


@pytest.mark.parametrize("said", WRONG)
def test_a_file_that_is_none_is_refused(said, tmp_path):
    WRONG[said](tmp_path / "h.npz")
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        gains(tmp_path / "h.npz")
    assert said in str(refusal.value)


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
