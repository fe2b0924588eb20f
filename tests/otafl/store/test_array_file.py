"""Files of arrays: what is written is read, and damage is noticed."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from otafl.store import array_file

DTYPES = st.sampled_from([np.float64, np.float32, np.uint64, np.int32, np.bool_])
SHAPES = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
ARRAYS = DTYPES.flatmap(lambda dtype: arrays.arrays(dtype, SHAPES))


@given(st.dictionaries(st.text(max_size=5), ARRAYS, max_size=4))
@settings(max_examples=50)
def test_what_is_written_is_read(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("files") / "a" / "b.run"
    array_file.write(path, content, {"words": ["a", 1]})
    read, info = array_file.read(path, lambda *content: content)
    assert info == {"words": ["a", 1]}
    assert list(read) == list(content)
    for name, array in content.items():
        assert read[name].dtype == array.dtype
        np.testing.assert_array_equal(read[name], array)
    assert [file.name for file in path.parent.iterdir()] == ["b.run"]


def test_every_flipped_bit_and_every_cut_is_noticed(tmp_path):
    path = tmp_path / "a.run"
    array_file.write(path, {"x": np.arange(5.0), "y": np.zeros((2, 0))}, {"outcome": "completed"})
    whole = path.read_bytes()
    for at in range(len(whole)):
        for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :]):
            path.write_bytes(damaged)
            with pytest.raises(array_file.Damaged):
                array_file.read(path, lambda *content: content)


def test_a_pipe_in_the_place_of_a_file_is_damaged(tmp_path):
    os.mkfifo(tmp_path / "a.run")
    with pytest.raises(array_file.Damaged, match="not a file"):
        array_file.info(tmp_path / "a.run")
