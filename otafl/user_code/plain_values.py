"""Digests of plain values: numbers, texts, arrays, functions, and collections and records of plain values."""

import dataclasses
import enum
import hashlib
import types
from pathlib import PurePath
from typing import Any

import numpy as np

SCALARS = (type(None), bool, int, float, complex, str, bytes, range, slice, PurePath, enum.Enum)


class _Other(Exception):
    """Error of a value that is not plain."""


def digest(value: Any) -> str:
    """Return the digest of a plain value, the same in every process; empty for any other value.

    Plain are None, numbers, texts, paths, arrays, functions, and lists, sets, dictionaries and dataclasses of plain
    values.

    Arguments:
        value: any object.

    Returns:
        First 16 hexadecimal digits of SHA-256, or "".
    """
    try:
        form = _form(value)
    except (_Other, RecursionError):
        return ""
    return hashlib.sha256(form.encode(errors="surrogatepass")).hexdigest()[:16]


def _form(value: Any) -> str:
    """Return a plain value as text."""
    name = type(value).__qualname__
    if isinstance(value, types.FunctionType):
        return _code(value.__code__)
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        return f"{value.dtype.str}{value.shape}{hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    if isinstance(value, SCALARS):
        return f"{name}({value!s})"
    if isinstance(value, list | tuple):
        return f"{name}[{','.join(map(_inner, value))}]"
    if isinstance(value, set | frozenset):
        return f"{name}[{','.join(sorted(map(_inner, value)))}]"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}
    if isinstance(value, dict | types.MappingProxyType):
        return f"{name}[{','.join(f'{_inner(key)}:{_inner(held)}' for key, held in value.items())}]"
    raise _Other


def _inner(value: Any) -> str:
    form = _form(value)
    return f"{len(form)} {form}"


def _code(code: types.CodeType) -> str:
    inner = [_code(one) if isinstance(one, types.CodeType) else repr(one) for one in code.co_consts]
    return f"{code.co_code.hex()}{code.co_names}{inner}"
