"""Files of named arrays that tell whether they are whole: written under another name first, read back by checksum."""

import json
import math
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from otafl.atomic import replacing

MAGIC = b"otafl runs 1\n"


class Damaged(Exception):
    """A file is not as it was written."""


def write(path: Path, arrays: dict[str, np.ndarray], info: dict[str, Any]) -> None:
    """Write arrays and what JSON holds, whole or not at all.

    Raises:
        OSError: there is no room, or no permission.
    """
    laid_out = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    listed = [(name, array.dtype.str, array.shape, _checksum(array)) for name, array in laid_out.items()]
    header = json.dumps({"info": info, "arrays": listed}).encode()
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(MAGIC + f"{len(header):012d} {zlib.crc32(header):012d}\n".encode() + header)
        for array in laid_out.values():
            file.write(_bytes(array))


def info(path: Path) -> dict[str, Any]:
    """What a file holds beside its arrays.

    Raises:
        FileNotFoundError: there is none.
        Damaged: its beginning is not as it was written.
    """
    with _opened(path) as file:
        return _whole(path, lambda: _header(file)["info"])


def read(path: Path, made: Callable[[dict[str, np.ndarray], dict[str, Any]], Any] = lambda *found: found) -> Any:
    """What is made of the arrays of a file and of the rest; left out, both.

    Raises:
        FileNotFoundError: there is none.
        Damaged: it is not as it was written, or that cannot be made of it.
    """

    def whole() -> Any:
        header = _header(file)
        return made({name: _array(file, *rest) for name, *rest in header["arrays"]}, header["info"])

    with _opened(path) as file:
        return _whole(path, whole)


def _opened(path: Path) -> Any:
    """Open a file to read; a pipe or a device in its place, which may never end, counts as damaged."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise Damaged(f"{path} is damaged: it is no file")
    return path.open("rb")


def _whole(path: Path, read_in: Callable[[], Any]) -> Any:
    """What is read of a file, unless it is damaged."""
    try:
        return read_in()
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise Damaged(f"{path} is damaged: {error}") from None


def _header(file: Any) -> dict[str, Any]:
    if file.read(len(MAGIC)) != MAGIC:
        raise ValueError("it begins otherwise")
    length, checksum = map(int, file.read(26).split())
    header = file.read(min(length, os.fstat(file.fileno()).st_size))
    if zlib.crc32(header) != checksum:
        raise ValueError("its header has another checksum")
    return json.loads(header)


def _array(file: Any, dtype: str, shape: list[int], checksum: int) -> np.ndarray:
    if math.prod(shape) * max(np.dtype(dtype).itemsize, 1) > os.fstat(file.fileno()).st_size:
        raise ValueError("an array is longer than the file")
    array = np.empty(shape, dtype)
    if file.readinto(_bytes(array)) != array.nbytes or _checksum(array) != checksum:
        raise ValueError("an array has another checksum")
    return array


def _checksum(array: np.ndarray) -> int:
    return zlib.crc32(_bytes(array))


def _bytes(array: Any) -> memoryview:
    return memoryview(array.reshape(-1).view(np.uint8))
