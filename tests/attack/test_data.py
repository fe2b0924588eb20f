"""Files of data: broken, of other layouts, or with values that mean nothing."""

import io
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

NAMES = ("x_train", "y_train", "x_test", "y_test")
IMAGES = {"x_train": np.zeros((20, 4, 4), np.uint8), "x_test": np.zeros((10, 4, 4), np.uint8)}
LABELS = {"y_train": np.arange(20, dtype=np.uint8) % 10, "y_test": np.arange(10, dtype=np.uint8)}
WHOLE = IMAGES | LABELS


def packed(arrays: dict[str, np.ndarray], save: Callable = np.savez) -> bytes:
    buffer = io.BytesIO()
    save(buffer, **arrays)
    return buffer.getvalue()


def zipped(content: dict[str, bytes], **keys: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", **keys) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def members(arrays: dict[str, np.ndarray] = WHOLE) -> dict[str, bytes]:
    """The files of an archive."""
    with zipfile.ZipFile(io.BytesIO(packed(arrays))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def other(**arrays: np.ndarray) -> bytes:
    return packed(WHOLE | arrays)


def header(shape: str) -> bytes:
    """A file of an array that promises more than it holds."""
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


class Planted:
    """What does harm when it is unpickled."""

    def __reduce__(self) -> tuple:
        return exec, ("raise SystemExit('unpickled')",)


def damaged(content: bytes, start: int, stop: int) -> bytes:
    return content[:start] + bytes(stop - start) + content[stop:]


RAW = packed(WHOLE)
COMPRESSED = packed(
    {name: np.random.default_rng(0).integers(0, 9, (40, 9, 9), np.uint8) for name in NAMES}, np.savez_compressed
)
FEATURES = "must hold uint8 images"
NO_ARCHIVE = "must be a complete .npz file"
ARCHIVES = {
    "empty": (b"", NO_ARCHIVE),
    "text": (b"nonsense", NO_ARCHIVE),
    "magic": (b"PK\x03\x04", NO_ARCHIVE),
    "zeros": (bytes(1000), NO_ARCHIVE),
    "cut in half": (RAW[: len(RAW) // 2], NO_ARCHIVE),
    "cut at the end": (RAW[:-10], NO_ARCHIVE),
    "damaged": (damaged(RAW, 30, 300), NO_ARCHIVE),
    "damaged inside": (damaged(COMPRESSED, 300, 900), NO_ARCHIVE),
    "damaged index": (damaged(RAW, len(RAW) - 200, len(RAW) - 60), NO_ARCHIVE),
    "no archive but an array": (members()["x_train.npy"], NO_ARCHIVE),
    "pickle": (pickle.dumps(Planted()), NO_ARCHIVE),
    "no arrays": (zipped({}), NO_ARCHIVE),
    "other arrays": (packed({"a": np.zeros(3)}), NO_ARCHIVE),
    "one missing": (packed({name: WHOLE[name] for name in NAMES[:3]}), NO_ARCHIVE),
    "text in place of an array": (zipped(members() | {"y_test.npy": b"nonsense"}), "must hold"),
    "array without an end": (zipped(members() | {"x_train.npy": members()["x_train.npy"][:-9]}), NO_ARCHIVE),
    "array without values": (zipped(members() | {"x_train.npy": header("(20, 4, 4)")}), NO_ARCHIVE),
    "array of a petabyte": (zipped(members() | {"x_train.npy": header("(10**15, 4, 4)")}), NO_ARCHIVE),
    "array as large as memory": (zipped(members() | {"x_train.npy": header("(1000000000000000, 4, 4)")}), NO_ARCHIVE),
    "array of negative size": (zipped(members() | {"x_train.npy": header("(-3, 4, 4)")}), NO_ARCHIVE),
    "array of odd size": (zipped(members() | {"x_train.npy": header("'a'")}), NO_ARCHIVE),
    "objects": (other(y_train=np.array([Planted()] * 20, object)), NO_ARCHIVE),
    "images of objects": (other(x_train=np.array([[["a"]]], object)), NO_ARCHIVE),
    "images of floats": (other(x_train=np.full((20, 4, 4), np.nan)), FEATURES),
    "images of other integers": (other(x_train=np.zeros((20, 4, 4), np.int64)), FEATURES),
    "images of text": (other(x_train=np.full((20, 4, 4), "a")), FEATURES),
    "flat images": (other(x_train=np.zeros((20, 16), np.uint8)), FEATURES),
    "images of five axes": (other(x_train=np.zeros((20, 2, 2, 2, 2), np.uint8)), FEATURES),
    "a number": (other(x_train=np.uint8(3)), FEATURES),
    "images of no size": (other(x_train=np.zeros((20, 0, 4), np.uint8)), FEATURES),
    "no samples": (packed({name: array[:0] for name, array in WHOLE.items()}), FEATURES),
    "no tests": (other(x_test=IMAGES["x_test"][:0], y_test=LABELS["y_test"][:0]), FEATURES),
    "fewer labels": (other(y_train=LABELS["y_train"][:19]), FEATURES),
    "fewer tests": (other(x_test=IMAGES["x_test"][:9]), FEATURES),
    "labels as vectors": (other(y_train=np.eye(10, dtype=np.uint8)[LABELS["y_train"]]), FEATURES),
    "tests of another size": (other(x_test=np.zeros((10, 5, 4), np.uint8)), "images of one size"),
    "tests in colour": (other(x_test=np.zeros((10, 4, 4, 3), np.uint8)), "images of one size"),
    "labels with fractions": (other(y_train=np.full(20, 3.7)), "whole numbers as labels, not float64"),
    "labels that are no numbers": (other(y_train=np.full(20, np.nan)), "whole numbers as labels"),
    "labels of text": (other(y_train=np.full(20, "3")), "whole numbers as labels"),
    "complex labels": (other(y_train=np.full(20, 1j)), "whole numbers as labels"),
    "labels that are true": (other(y_train=np.full(20, True)), "whole numbers as labels"),
    "labels that are dates": (other(y_train=np.full(20, "2020-01-01", "datetime64[D]")), "whole numbers as labels"),
    "test labels with fractions": (other(y_test=np.full(10, 0.5)), "whole numbers as labels"),
    "negative labels": (other(y_train=np.full(20, -1)), "labels from 0 to 9"),
    "labels of an eleventh class": (other(y_test=np.full(10, 10)), "labels from 0 to 9"),
    "labels that wrap around": (other(y_train=np.full(20, 2**63, np.uint64)), "labels from 0 to 9"),
    "fewer samples than workers": (RAW, "must not exceed the number of samples, 20"),
}


@pytest.fixture
def data(tmp_path, monkeypatch) -> Path:
    """The folder of data files."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("OTAFL_DATA_DIR", str(folder))
    return folder


@pytest.mark.parametrize(("content", "part"), ARCHIVES.values(), ids=ARCHIVES)
def test_archives_of_images(data, refused, content, part):
    """What is pickled is never unpickled: that would end the process in another way."""
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
    "empty": (b"", "table of numbers"),
    "binary": (bytes(range(256)) * 9, "table of numbers"),
    "NUL bytes": (table(*ROWS[:-1], "1,2,3,\0,5,6,7"), "NUL"),
    "NUL bytes alone": (bytes(1000), ""),
    "NUL at the end": (table(*ROWS, end="\n\0"), "NUL"),
    "header alone": (table(), "20000 complete rows, but has 0"),
    "no header": ("\n".join(ROWS).encode(), "must have the column"),
    "column missing": (table(*ROWS).replace(b"population", b"people"), "must have the column population"),
    "few rows": (table(*ROWS[:100]), "20000 complete rows, but has 100"),
    "cut short": (table(*ROWS)[:-8], "must end with a complete row"),
    "text": (table(*ROWS[:-2], "1,2,3,four,5,6,7", ROWS[0]), "'four'"),
    "infinite": (table(*ROWS[:-2], "1,2,3,inf,5,6,7", ROWS[0]), "finite and not constant"),
    "too large": (table(*ROWS[:-2], "1,2,3,1e999,5,6,7", ROWS[0]), "finite and not constant"),
    "overflow": (table(*ROWS[:-2], "1,2,3,1e308,5,6,7", ROWS[0]), "finite and not constant"),
    "not a number": (table(*ROWS[:-2], "1,2,3,nan,5,6,7", ROWS[0]), "20000 complete rows, but has 19999"),
    "constant": (table(*["1,2,3,4,5,6,7"] * 20_000), "finite and not constant"),
    "long row": (table(*ROWS[:-2], "1,2,3,4,5,6,7,8,9", ROWS[0]), "table of numbers"),
    "quote": (table(*ROWS[:-2], '1,2,3,"4,5,6,7', ROWS[0]), "table of numbers"),
    "no UTF-8": (table(*ROWS[:-1], end="\n\xff"), ""),
}


@pytest.mark.parametrize(("content", "part"), TABLES.values(), ids=TABLES)
def test_tables(data, refused, content, part):
    (data / "california_housing.csv").write_bytes(content)
    assert part in refused("run", "linreg_communication", "--run.iterations", "1", "--run.seeds", "1")


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "dangling"])
def test_no_files(data, refused, kind):
    path = data / "california_housing.csv"
    {
        "missing": lambda: None,
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
        "dangling": lambda: path.symlink_to("x"),
    }[kind]()
    assert "must be a folder that holds california_housing.csv" in refused("run", "linreg_communication")


@pytest.mark.parametrize("folder", ["no/such", "/dev/null", "x" * 5000, "a[/b]"])
def test_no_folder(monkeypatch, refused, folder):
    monkeypatch.setenv("OTAFL_DATA_DIR", folder)
    assert "OTAFL_DATA_DIR = " in refused("show", "mnist_communication")
