"""Files of data: broken, of other layouts, or with values that mean nothing."""

import io
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

NAMES = ("x_train", "y_train", "x_test", "y_test")
IMAGES = {"x_train": np.zeros((20, 4, 4), np.uint8), "x_test": np.zeros((10, 4, 4), np.uint8)}
LABELS = {"y_train": np.arange(20, dtype=np.uint8) % 10, "y_test": np.arange(10, dtype=np.uint8)}
WHOLE = IMAGES | LABELS


def packed(arrays: dict[str, np.ndarray]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def zipped(content: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def members() -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(packed(WHOLE))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def other(**arrays: np.ndarray) -> bytes:
    return packed(WHOLE | arrays)


def header(shape: str) -> bytes:
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


class Planted:
    """What does harm when it is unpickled."""

    def __reduce__(self) -> tuple:
        return exec, ("raise SystemExit('unpickled')",)


def damaged(content: bytes, start: int, stop: int) -> bytes:
    return content[:start] + bytes(stop - start) + content[stop:]


RAW = packed(WHOLE)
FEATURES = "must hold uint8 images"
NO_ARCHIVE = "must be a complete .npz file"
ARCHIVES = {
    "empty": (b"", NO_ARCHIVE),
    "damaged": (damaged(RAW, 30, 300), NO_ARCHIVE),
    "damaged index": (damaged(RAW, len(RAW) - 200, len(RAW) - 60), NO_ARCHIVE),
    "no archive but an array": (members()["x_train.npy"], NO_ARCHIVE),
    "pickle": (pickle.dumps(Planted()), NO_ARCHIVE),
    "one missing": (packed({name: WHOLE[name] for name in NAMES[:3]}), NO_ARCHIVE),
    "text in place of an array": (zipped(members() | {"y_test.npy": b"nonsense"}), "must hold"),
    "array without values": (zipped(members() | {"x_train.npy": header("(20, 4, 4)")}), NO_ARCHIVE),
    "array of a petabyte": (zipped(members() | {"x_train.npy": header("(10**15, 4, 4)")}), NO_ARCHIVE),
    "objects": (other(y_train=np.array([Planted()] * 20, object)), NO_ARCHIVE),
    "images of floats": (other(x_train=np.full((20, 4, 4), np.nan)), FEATURES),
    "flat images": (other(x_train=np.zeros((20, 16), np.uint8)), FEATURES),
    "images of no size": (other(x_train=np.zeros((20, 0, 4), np.uint8)), FEATURES),
    "no tests": (other(x_test=IMAGES["x_test"][:0], y_test=LABELS["y_test"][:0]), FEATURES),
    "fewer labels": (other(y_train=LABELS["y_train"][:19]), FEATURES),
    "tests of another size": (other(x_test=np.zeros((10, 5, 4), np.uint8)), "images of one size"),
    "labels with fractions": (other(y_train=np.full(20, 3.7)), "whole numbers as labels, not float64"),
    "labels that are no numbers": (other(y_train=np.full(20, np.nan)), "whole numbers as labels"),
    "labels of an eleventh class": (other(y_test=np.full(10, 10)), "labels from 0 to 9"),
    "labels that wrap around": (other(y_train=np.full(20, 2**63, np.uint64)), "labels from 0 to 9"),
    "fewer samples than workers": (RAW, "must not exceed the number of samples, 20"),
}


@pytest.fixture
def data(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("OTAFL_DATA_DIR", str(folder))
    return folder


@pytest.mark.parametrize(("content", "part"), ARCHIVES.values(), ids=ARCHIVES)
def test_archives_of_images(data, refused, content, part):
    (data / "mnist.npz").write_bytes(content)
    assert part in refused("show", "mnist_communication", "--method", "D-SFADMM")


def test_archive_that_would_not_fit_into_memory(data, refused):
    """A terabyte of zeros, as its index says, in a few bytes."""
    content = bytearray(packed(WHOLE))
    at = content.rindex(b"PK\x01\x02")
    content[at + 24 : at + 28] = (2**32 - 2).to_bytes(4, "little")
    (data / "mnist.npz").write_bytes(content)
    refused("show", "mnist_communication", "--method", "D-SFADMM")


HEADER = "housing_median_age,total_rooms,total_bedrooms,population,households,median_income,median_house_value"
ROWS = [",".join(map(str, row)) for row in np.random.default_rng(0).integers(1, 99, (20_000, 7))]


def table(*lines: str, end: str = "") -> bytes:
    return ("\n".join([HEADER, *lines]) + end).encode()


TABLES = {
    "few rows": (table(*ROWS[:50]), "at least 20000 complete rows, but has 50"),
    "no header": ("\n".join(ROWS).encode(), "must have the column"),
    "column missing": (table(*ROWS).replace(b"population", b"people"), "must have the column population"),
    "text": (table(*ROWS[:-2], "1,2,3,four,5,6,7", ROWS[0]), "'four'"),
    "infinite": (table(*ROWS[:-2], "1,2,3,inf,5,6,7", ROWS[0]), "finite and not constant"),
    "constant": (table(*["1,2,3,4,5,6,7"] * 20_000), "finite and not constant"),
    "no UTF-8": (table(*ROWS[:-1], end="\n\xff"), ""),
}


@pytest.mark.parametrize(("content", "part"), TABLES.values(), ids=TABLES)
def test_tables(data, refused, content, part):
    (data / "california_housing.csv").write_bytes(content)
    assert part in refused("run", "linreg_communication", "--run.iterations", "1", "--run.seeds", "1")


NO_FILE = {"missing": lambda path: None, "pipe": os.mkfifo, "dangling": lambda path: path.symlink_to("x")}


@pytest.mark.parametrize("make", NO_FILE.values(), ids=NO_FILE)
def test_no_files(data, refused, make):
    make(data / "california_housing.csv")
    assert "must be a folder that holds california_housing.csv" in refused("run", "linreg_communication")


@pytest.mark.parametrize("folder", ["/dev/null", "x" * 5000, "a[/b]"])
def test_no_folder(monkeypatch, refused, folder):
    monkeypatch.setenv("OTAFL_DATA_DIR", folder)
    assert "OTAFL_DATA_DIR = " in refused("show", "mnist_communication")
