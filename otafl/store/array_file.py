"""Files of named arrays with checksums, written under a temporary name first, so that none is ever half written."""

import contextlib
import json
import math
import os
import zlib
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from otafl.system.whole_files import replacing

MAGIC = b"otafl runs 1\n"
Arrays: TypeAlias = dict[str, np.ndarray]
"""Arrays of any shape and type, by name."""
Info: TypeAlias = dict[str, Any]
"""Other values that JSON can hold, by name."""
Made = TypeVar("Made")


class Damaged(Exception):
    """Error of a file of arrays that is not as it was written; its text has the path and the fault."""


def write(path: Path, arrays: Arrays, info: Info) -> None:
    """Write a file of arrays with checksums, whole or not at all.

    The file is a line "otafl runs 1", a line with length and CRC-32 of the header, the header in JSON (``info``, and
    name, type, shape and CRC-32 of each array), and the bytes of the arrays.
    """
    laid_out = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    listed = [(name, array.dtype.str, array.shape, zlib.crc32(_bytes(array))) for name, array in laid_out.items()]
    header = json.dumps({"info": info, "arrays": listed}).encode()
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(MAGIC + f"{len(header):012d} {zlib.crc32(header):012d}\n".encode() + header)
        for array in laid_out.values():
            file.write(_bytes(array))


def info(path: Path) -> Info:
    """Read the values beside the arrays of a file; FileNotFoundError where there is none, Damaged for its header."""
    with _opened(path) as file:
        return _header(file)["info"]


def read(path: Path, make: Callable[[Arrays, Info], Made]) -> Made:
    """Read a file of ``write``, and make something of it; Damaged where it is not as written, or ``make`` fails."""
    with _opened(path) as file:
        header = _header(file)
        return make({name: _array(file, *rest) for name, *rest in header["arrays"]}, header["info"])


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BufferedReader]:
    """Open a file for a context that reads it; a pipe or a device, which may never end, counts as damaged."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise Damaged(f"{path} is damaged: it is not a file")
    with path.open("rb") as file:
        try:
            yield file
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            raise Damaged(f"{path} is damaged: {error}") from None


def _header(file: BufferedReader) -> Info:
    if file.read(len(MAGIC)) != MAGIC:
        raise ValueError("it has another beginning")
    length, checksum = map(int, file.read(26).split())
    header = file.read(min(length, os.fstat(file.fileno()).st_size))
    if zlib.crc32(header) != checksum:
        raise ValueError("its header has another checksum")
    return json.loads(header)


def _array(file: BufferedReader, dtype: str, shape: list[int], checksum: int) -> np.ndarray:
    if math.prod(shape) * max(np.dtype(dtype).itemsize, 1) > os.fstat(file.fileno()).st_size:
        raise ValueError("an array is longer than the file")
    array = np.empty(shape, dtype)
    if file.readinto(_bytes(array)) != array.nbytes or zlib.crc32(_bytes(array)) != checksum:
        raise ValueError("an array has another checksum")
    return array


def _bytes(array: np.ndarray) -> memoryview:
    return array.reshape(-1).view(np.uint8).data
