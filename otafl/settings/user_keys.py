"""Scenario keys of registered methods, fading models, uplinks and parts: their parameters, added to a table."""

import contextlib
import dataclasses
import re
import sys
from collections.abc import Iterator, Mapping

from pydantic import PydanticUserError
from pydantic.fields import FieldInfo

from otafl.channels import class_origins
from otafl.channels.registry import Registry
from otafl.errors import OtaflError
from otafl.metrics import REGISTERED
from otafl.metrics.result_variables import OF_KEYS
from otafl.settings.keys import KEY_TABLES, Settings, axes, takes_float
from otafl.settings.part_keys import REGISTRIES, of_dataclass, of_package
from otafl.settings.types import Table

WITH_KEYS: set[type] = {
    part for registries in REGISTRIES.values() for registry in registries for part in of_package(registry).values()
}
"""Parts whose parameters are keys already; at first those that come with otafl."""
ADDED: dict[str, str] = {}
"""Dotted keys that were added at registration, with the name of the method or part that has them."""
_held: set[str] = set()
"""Names of tables that are rebuilt later, after many keys."""


def added(table: str, parameters: Mapping[str, FieldInfo], scheme: str) -> tuple[list[str], list[str]]:
    """Add parameters to a table of scenario keys; return the dotted keys that take real numbers, and the others."""
    for name, field in parameters.items():
        if not isinstance(field, FieldInfo):
            raise OtaflError(scheme, name, f"must be made by otafl.key(default, description), not {field!r}")
    names = {add(table, name, field, scheme): takes_float(field.annotation) for name, field in parameters.items()}
    return [name for name, real in names.items() if real], [name for name, real in names.items() if not real]


def require_new(what: str, name: object, known: type | None, new: object, base: type) -> None:
    """Refuse to register a class of the wrong base, or under a taken or invalid name; else note its module."""
    if not (isinstance(new, type) and issubclass(new, base)):
        raise OtaflError(what, name, f"must be a class derived from {base.__name__}, not {new!r}")
    if not isinstance(name, str) or not re.fullmatch(r"[^\s@,]+", name) or re.search(r"-\d+x$", name):
        raise OtaflError(what, name, "must be a name without spaces, commas or @, and without -10x at its end")
    if known is not None and (known.__module__, known.__qualname__) != (new.__module__, new.__qualname__):
        raise OtaflError(what, name, f"is already the name of {known.__module__}.{known.__qualname__}")
    class_origins.note(new)


def add(table: str, name: str, field: FieldInfo, scheme: str) -> str:
    """Add one scenario key to a table of settings, and return it, such as "channel.rician_k_db"."""
    dotted, model = f"{table}.{name}", KEY_TABLES[table]
    known = model.model_fields.get(name)
    if known is not None and _says(known) == _says(field):
        return dotted
    if known is not None and ADDED.get(dotted) != scheme:
        rule = f"is already a key of {ADDED.get(dotted, 'otafl')}, with another meaning; choose another name"
        raise OtaflError(scheme, dotted, rule)
    if not name.isidentifier() or name.startswith("_"):
        raise OtaflError(scheme, name, "must be a name of letters, digits and underscores that begins with a letter")
    if hasattr(Table, name) or isinstance(getattr(model, name, None), property):
        raise OtaflError(scheme, dotted, "must have another name, which the table does not use for something else")
    if axes(table, name) & REGISTERED.keys():
        raise OtaflError(scheme, dotted, "is already the name of a metric; choose another name")
    _put(table, model, name, field)
    ADDED[dotted] = scheme
    OF_KEYS.update(axes(table, name))
    return dotted


def _says(field: FieldInfo) -> tuple:
    return field.annotation, field.default, field.description, tuple(map(repr, field.metadata))


def _put(table: str, model: type[Table], name: str, field: FieldInfo) -> None:
    """Put a field into a table, and into all that hold the table; tables made before get its default."""
    before = model.__pydantic_fields__.get(name)
    model.__pydantic_fields__[name] = field
    try:
        _rebuild(table)
    except (ValueError, TypeError, PydanticUserError) as error:
        model.__pydantic_fields__.pop(name)
        model.__pydantic_fields__.update({name: before} if before else {})
        _rebuild(table)
        details = getattr(error, "errors", list)()
        rule = f"breaks its own rule: {details[0]['msg']}" if details else " ".join(str(error).split())
        raise OtaflError(f"{table}.{name}", field.default, rule) from None


@contextlib.contextmanager
def rebuilt_once(table: str) -> Iterator[None]:
    """Delay the rebuilding of a table's class until all keys are added; a context manager."""
    _held.add(table)
    try:
        yield
    finally:
        _held.remove(table)
    _rebuild(table)


def _rebuild(table: str) -> None:
    """Rebuild a table of settings and the tables that hold it, in the order of their making."""
    if table in _held:
        return
    tables = Table.__subclasses__()
    KEY_TABLES[table].model_rebuild(force=True)
    KEY_TABLES[table]()  # which refuses a default that breaks its own rule
    # pydantic has copied the schema of a table into those that hold it
    for holder in tables[tables.index(Settings) :]:
        holder.model_rebuild(force=True)


def add_parts() -> None:
    """Make the parameters of all registered parts scenario keys, also of the user's."""
    for table, registries in REGISTRIES.items():
        for registry in registries:
            for name, part in list(registry.items()):
                if part not in WITH_KEYS:
                    _add_part(table, registry, name, part)


def _add_part(table: str, registry: Registry, name: str, part: type) -> None:
    try:
        for field in dataclasses.fields(part):
            if field.init:
                add(table, field.name, of_dataclass(registry.kind, name, field), f"{registry.kind} {name!r}")
    except OtaflError:
        forget(registry, name)
        raise
    WITH_KEYS.add(part)


def forget(registry: Registry, name: str) -> None:
    """Unregister a part that was refused, and forget its modules, so that a mended file is imported anew."""
    part = registry.pop(name)
    for module in {part.__module__, class_origins.of.get(part, "")} - {"__main__"}:
        sys.modules.pop(module, None)
