"""Values that code of the user's own reads and that a session may set anew: globals, cells, attributes of modules.

Code is followed from a function or a class to all that it uses, as far as that is the user's. What the code itself
changes is left out, and so is what is no plain value, collection of such values, array or record.
"""

import dis
import functools
import os
import sys
import types
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.util import resolve_name
from typing import Any, NamedTuple

import numpy as np

from otafl.plain import NAMED, SCALARS, digest, named

ADDING, TAKING = ("append", "extend", "insert", "update", "setdefault", "add"), ("pop", "popitem", "remove", "discard")
MUTATORS = (*ADDING, *TAKING, "clear", "fill", "sort")
"""Methods that change a collection."""
GLOBALS, ATTRIBUTES = ("LOAD_GLOBAL", "LOAD_NAME"), ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM")
ITEMS = ("STORE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")
HOLDERS = (property, classmethod, staticmethod, types.MethodType, functools.cached_property)
CONSTRUCTORS = ("__init__", "__new__", "__post_init__", "__setstate__")
at_load: dict[str, dict[str, Any]] = {}
"""Digests of plain values, and all other objects, that modules held once their statements had run, by module."""
_attributes: dict[type, dict[str, str]] = {}
"""Digests of plain attributes of classes, as they were when these were first met."""


class Reading(NamedTuple):
    """Code of the user's, and digests of the values that it reads, by their names."""

    codes: frozenset[types.CodeType] = frozenset()
    values: frozenset[tuple[str, str]] = frozenset()


class _Scan(NamedTuple):
    """Names in a piece of code: globals and attributes that it reads, modules that it imports, what it changes."""

    read: set[Any]
    attributes: set[Any]
    imports: set[Any]
    changed: set[Any]


def note(module: types.ModuleType) -> None:
    """Note what a module holds, as its statements have run."""
    at_load[module.__name__] = {name: digest(value) or value for name, value in list(vars(module).items())}


def note_class(made: type) -> None:
    """Note the plain attributes of a class, once."""
    if made not in _attributes:
        _attributes[made] = {name: found for name, value in vars(made).items() if (found := digest(value))}


def of_classes(classes: Iterable[type], is_theirs: Callable[[str], bool]) -> Reading:
    """Read what classes depend on beside their files.

    Arguments:
        classes: of the user's, or others, which depend on nothing.
        is_theirs: whether a module of a name is the user's.
    """
    walk = _Walk(is_theirs)
    for made in classes:
        walk.meet("", "", made)
    return walk.reading()


def of_function(module: str, name: str, is_theirs: Callable[[str], bool], late: bool) -> Reading:
    """Read what a function of a module depends on beside its files; nothing where it is not loaded.

    Arguments:
        module, name: of the function.
        is_theirs: whether a module of a name is the user's.
        late: values with which modules were loaded are left out, as another process may not have loaded them yet.
    """
    walk = _Walk(is_theirs)
    walk.names(module, vars(sys.modules[module]) if module in sys.modules else {}, {name}, set(), late)
    return walk.reading()


class _Walk:
    """A way through all that code uses."""

    def __init__(self, is_theirs: Callable[[str], bool]) -> None:
        self.is_theirs, self.waiting, self.seen = is_theirs, [], {}
        self.codes: set[types.CodeType] = set()
        self.found: set[tuple[str, str, str]] = set()

    def reading(self) -> Reading:
        """All that is met, but for what the code itself changes."""
        while self.waiting:
            self._follow(*self.waiting.pop())
        changed = set().union(*(_scan(code).changed for code in self.codes))
        kept = {(f"{where}{name}", found) for where, name, found in self.found if name not in changed}
        return Reading(frozenset(self.codes), frozenset(kept))

    def meet(self, where: str, name: str, value: Any, known: Any = None, late: bool = False) -> None:
        """Note a value under its name, unless it is the known one or has none, and follow it later."""
        found = digest(value)
        if isinstance(value, NAMED) and value is not known and (known is not None or name != value.__name__):
            found = digest(named(value))
        same = value is known or (isinstance(known, str) and found == known)
        if found and name and not same:
            self.found.add((where, name, found))
        if not isinstance(value, (*SCALARS, np.ndarray)) and (id(value), late and same) not in self.seen:
            self.seen[id(value), late and same] = value
            self.waiting.append((value, late and same))

    def names(self, home: str, space: Mapping, names: set[str], attributes: set[str], late: bool) -> None:
        """Meet what a module holds under some names, and modules in it under those of attributes."""
        known, where = _known(home) if late else {}, os.path.basename(str(space.get("__file__", home)))
        for name in sorted(name for name in names & space.keys() if not name.startswith("__")):
            if isinstance(space[name], types.ModuleType):
                self._module(space[name], attributes, late)
            else:
                self.meet(f"{where}: ", name, space[name], known.get(name), late)

    def _module(self, module: types.ModuleType, attributes: set[str], late: bool) -> None:
        key = (id(module), frozenset(attributes), late)
        if key not in self.seen and self.is_theirs(module.__name__):
            self.seen[key] = module
            self.names(module.__name__, vars(module), attributes, attributes, late)

    def _follow(self, value: Any, late: bool) -> None:
        if isinstance(value, types.FunctionType):
            self._function(value, late)
        for name, part in _parts(value):
            self.meet("", name, part, part if late else None, late)
        for base in (value if isinstance(value, type) else type(value)).__mro__:
            if self.is_theirs(base.__module__):
                self._class(base, late)

    def _class(self, made: type, late: bool) -> None:
        """Meet a class's functions and own attributes: all where a function makes it, else those set anew."""
        note_class(made)
        known = {} if "<locals>" in made.__qualname__ else _attributes[made]
        others = [other for other in made.__mro__ if not self.is_theirs(other.__module__)]
        for name, value in list(vars(made).items()):
            counts = not (name.startswith("__") or isinstance(value, NAMED) or any(hasattr(o, name) for o in others))
            self.meet(
                made.__qualname__, f".{name}" if counts else "", value, known.get(name, value if late else None), late
            )

    def _function(self, function: types.FunctionType, late: bool) -> None:
        home = str(function.__globals__.get("__name__", ""))
        if not self.is_theirs(home):
            return
        codes = list(_nested(function.__code__))
        self.codes.update(codes)
        for name, value in _bound(function) if "<locals>" in function.__qualname__ else ():
            self.meet(f"{function.__qualname__}: ", name, value, value if late else None, late)
        read, attributes, imports = (set().union(*(_scan(code)[at] for code in codes)) for at in range(3))
        self.names(home, function.__globals__, read, attributes, late)
        package = str(function.__globals__.get("__package__") or "")
        for name in {_whole(level, name, package) for level, name in imports}:
            if name in sys.modules:
                self._module(sys.modules[name], attributes, late=True)


def _known(home: str) -> dict[str, Any]:
    """What a module held when it was loaded, or else when it is first met; nothing of a script, which goes on."""
    if home not in at_load and home in sys.modules and home != "__main__":
        note(sys.modules[home])
    return at_load.get(home, {})


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """Objects that an object holds and may call, and arguments that it gives, by name."""
    if isinstance(value, functools.partial):
        yield from [("", value.func), *((f"argument {at}", one) for at, one in enumerate(value.args))]
        yield from value.keywords.items()
    if isinstance(value, list | tuple | set | frozenset | dict):
        inner = value.values() if isinstance(value, dict) else value
        yield from (("", one) for one in list(inner) if isinstance(one, (*NAMED, functools.partial)))
    if isinstance(value, HOLDERS):
        yield from (("", getattr(value, name, None)) for name in ("__func__", "fget", "func"))
    yield from [("", value.__dict__["__wrapped__"])] if "__wrapped__" in getattr(value, "__dict__", {}) else []


def _bound(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """Values that a function has from the one that made it: in its cells, and as defaults."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if name != "__class__" and cell != types.CellType():
            yield name, cell.cell_contents
    yield from ((f"default {place}", value) for place, value in enumerate(function.__defaults__ or ()))
    yield from (function.__kwdefaults__ or {}).items()


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from _nested(one)


def _whole(level: int, name: str, package: str) -> str:
    try:
        return resolve_name("." * level + name, package)
    except ImportError:
        return ""


@functools.lru_cache(maxsize=4096)
def _scan(code: types.CodeType) -> _Scan:
    """The names in a piece of code. What a statement or a call changes begins where the change is told to stand."""
    found, loads, touched, before = _Scan(set(), set(), set(), set()), defaultdict(dict), set(), [0, 0]
    for one in dis.get_instructions(code):
        kind, name, at = one.opname, one.argval, one.positions
        where = (at.lineno, at.col_offset) if at and at.col_offset is not None else None
        found.read.update([name] if kind in GLOBALS else [])
        found.attributes.update([name] if kind in ATTRIBUTES else [])
        found.imports.update([(before[0], name)] if kind == "IMPORT_NAME" else [])
        bound = kind == "STORE_GLOBAL" or (kind == "STORE_DEREF" and name in code.co_freevars)
        found.changed.update([name] if bound else [])
        if kind in (*GLOBALS, *ATTRIBUTES, "LOAD_DEREF", "STORE_ATTR"):
            loads[where][name] = kind
        if kind in ITEMS[code.co_name in CONSTRUCTORS :] or (kind in ATTRIBUTES and name in MUTATORS):
            touched.add(where)
        before = [before[1], name]
    for names in [loads[where] for where in touched if where]:
        plain = any(kind in (*GLOBALS, "LOAD_DEREF") for kind in names.values())
        found.changed.update(name if plain else f".{name}" for name in names)
    return found
