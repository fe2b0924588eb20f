"""Plain values: numbers, texts, arrays, functions, collections and records of such; and digests of them."""

import dataclasses
import enum
import hashlib
import types
from pathlib import PurePath
from typing import Any

import numpy as np

SCALARS = (type(None), bool, int, float, complex, str, bytes, range, slice, PurePath)
NAMED = (types.FunctionType, types.BuiltinFunctionType, type, np.ufunc)
"""Kinds of functions and classes."""


def digest(value: Any) -> str:
    """A digest of a plain value, the same in every process; empty for all else."""
    try:
        form = named(value) if isinstance(value, types.FunctionType) else _form(value)
    except RecursionError:
        return ""
    return form and hashlib.sha256(form.encode(errors="surrogatepass")).hexdigest()[:16]


def _form(value: Any) -> str:
    """A plain value as text; what else lies in a collection is there by its type."""
    name = type(value).__qualname__
    if isinstance(value, enum.Enum):
        return f"{name}.{value.name}"
    if name == "EagerTensor" or isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        held = repr(array.tolist()) if array.dtype.hasobject else hashlib.sha256(array.tobytes()).hexdigest()
        return f"{array.dtype.str}{array.shape}{held}"
    if isinstance(value, SCALARS):
        return f"{name}({value!s})" if isinstance(value, PurePath | str) else f"{name}({value!r})"
    if isinstance(value, list | tuple):
        return f"{name}[{','.join(map(_inner, value))}]"
    if isinstance(value, set | frozenset):
        return f"{name}[{','.join(sorted(map(_inner, value)))}]"
    if isinstance(value, types.SimpleNamespace) or (dataclasses.is_dataclass(value) and not isinstance(value, type)):
        value = dict(getattr(value, "__dict__", {}))
    if isinstance(value, dict | types.MappingProxyType):
        return f"{name}[{','.join(sorted(f'{_inner(key)}:{_inner(held)}' for key, held in value.items()))}]"
    return ""


def _inner(value: Any) -> str:
    form = _form(value) or (named(value) if isinstance(value, NAMED) else type(value).__qualname__)
    return f"{len(form)} {form}"


def named(value: Any) -> str:
    """A function or class as text: its name, and a function's code."""
    return value.__name__ + _code(getattr(value, "__code__", None))


def _code(code: Any) -> str:
    if not isinstance(code, types.CodeType):
        return ""
    return f"{code.co_code.hex()}{code.co_names}{[_code(one) or _inner(one) for one in code.co_consts]}"
