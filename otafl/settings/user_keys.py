"""Keys that schemes bring: one that is registered has parameters, and they become keys of a table."""

import contextlib
import dataclasses
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import PydanticUserError
from pydantic.fields import FieldInfo

from channels import class_origins
from channels.registry import Registry
from otafl.errors import OtaflError
from otafl.settings.keys import Settings, takes_float
from otafl.settings.part_keys import REGISTRIES, of_dataclass, of_package
from otafl.settings.types import Table
from otafl.user_code import class_digests

WITH_KEYS: set[type] = {made for some in REGISTRIES.values() for one in some for made in of_package(one).values()}
"""Parts whose parameters are keys: those of the package from the start."""
ADDED: dict[str, str] = {}
"""Dotted keys that schemes have brought as they were registered, with the scheme that did."""
_held: set[str] = set()
"""Tables that are not rebuilt for each key."""


def added(table: str, parameters: Mapping[str, FieldInfo], scheme: str) -> tuple[list[str], list[str]]:
    """Add the parameters of a scheme to a table; returns the dotted names of numbers, and of the others.

    Raises:
        OtaflError: one of them is not made by ``key``, or cannot be added.
    """
    for name, field in parameters.items():
        if not isinstance(field, FieldInfo):
            raise OtaflError(scheme, name, f"must be made by otafl.key(default, description), and is {field!r}")
    names = {add(table, name, field, scheme): takes_float(field.annotation) for name, field in parameters.items()}
    return [name for name, real in names.items() if real], [name for name, real in names.items() if not real]


def require_new(what: str, name: Any, known: Any, made: Any, base: type) -> None:
    """Refuse a scheme that is none, or whose name another one has.

    Arguments:
        what: is registered, in words.
        name: under which.
        known: the class that has the name; None where there is none.
        made: the class.
        base: what it must be a kind of.

    Raises:
        OtaflError: it cannot be registered.
    """
    if not (isinstance(made, type) and issubclass(made, base)):
        raise OtaflError(what, name, f"must be a class derived from {base.__name__}, not {made!r}")
    if not isinstance(name, str) or not re.fullmatch(r"[^\s@,]+", name) or re.search(r"-\d+x$", name):
        raise OtaflError(what, name, "must be a name without spaces, commas, @ and -10x at its end")
    if known is not None and (known.__module__, known.__qualname__) != (made.__module__, made.__qualname__):
        raise OtaflError(what, name, f"is the name of {known.__module__}.{known.__qualname__} already")
    class_origins.note(made)
    class_digests.note(made)


def add(table: str, name: str, field: FieldInfo, scheme: str) -> str:
    """Add a key to a table of scenarios, for a scheme; returns its dotted name.

    Raises:
        OtaflError: there is a key of that name, other than the scheme's own, or the default breaks its rules.
    """
    dotted, model = f"{table}.{name}", type(Settings.model_fields[table].default)
    known = model.model_fields.get(name)
    if known is not None and _says(known) == _says(field):
        return dotted
    if known is not None and ADDED.get(dotted) != scheme:
        rule = f"is a key of {ADDED.get(dotted, 'otafl')} already, which says something else; take another name"
        raise OtaflError(scheme, dotted, rule)
    if not name.isidentifier():
        raise OtaflError(scheme, name, "must be a name of letters, digits and underscores")
    _put(table, model, name, field)
    ADDED[dotted] = scheme
    return dotted


def _says(field: FieldInfo) -> tuple:
    return field.annotation, field.default, field.description, tuple(map(repr, field.metadata))


def _put(table: str, model: type[Table], name: str, field: FieldInfo) -> None:
    """Make a field one of a table's, and of all that hold such a table; those made already have its default."""
    before = model.__pydantic_fields__.get(name)
    model.__pydantic_fields__[name] = field
    try:
        _rebuild(table)
        setattr(model, name, field.default)
    except (ValueError, TypeError, PydanticUserError) as error:
        model.__pydantic_fields__.pop(name)
        model.__pydantic_fields__.update({name: before} if before else {})
        _rebuild(table)
        raise OtaflError(f"{table}.{name}", field.default, _plain(error)) from None


@contextlib.contextmanager
def rebuilt_once(table: str) -> Iterator[None]:
    """Context in which many keys are added to a table, which has them behind it."""
    _held.add(table)
    try:
        yield
    finally:
        _held.remove(table)
    _rebuild(table)


def _rebuild(table: str) -> None:
    """Rebuild a table of settings, and those that hold it, in the order in which they were made."""
    if table in _held:
        return
    model, tables = type(Settings.model_fields[table].default), Table.__subclasses__()
    model.model_rebuild(force=True)
    Settings.__pydantic_fields__[table].default = model()
    for made in tables[tables.index(Settings) :]:
        made.model_rebuild(force=True)


def _plain(error: Exception) -> str:
    details = getattr(error, "errors", list)()
    return f"breaks its own rule: {details[0]['msg']}" if details else " ".join(str(error).split())


def add_parts() -> None:
    """Make the parameters of all parts that are registered keys of their tables.

    Raises:
        OtaflError: one of them cannot be a key; its model is registered no more, nor its module imported.
    """
    for table, registries in REGISTRIES.items():
        for registry in registries:
            for name, made in list(registry.items()):
                if made not in WITH_KEYS:
                    _add_part(table, registry, name, made)


def _add_part(table: str, registry: Registry, name: str, made: type) -> None:
    class_digests.note(made)
    try:
        for field in dataclasses.fields(made):
            if field.init:
                add(table, field.name, of_dataclass(registry.kind, name, field), f"{registry.kind} {name!r}")
    except OtaflError:
        del registry[name]
        if made.__module__ != "__main__":
            sys.modules.pop(made.__module__, None)
        raise
    WITH_KEYS.add(made)
