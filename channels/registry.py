"""Registries by name of fading models and parts of uplinks: frozen dataclasses whose fields are parameters."""

import copy
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, field, fields
from typing import ClassVar, Generic, Self, TypeVar

from . import class_origins
from .errors import ParameterError

Kind = TypeVar("Kind")
Class = TypeVar("Class", bound=type)
KINDS = (bool, int, float, str)


def parameter(default: Kind, description: str, **shown: object) -> Kind:
    """Return a field of a model or part: a parameter with a help text, which settings and pages show.

    ``shown`` may have ``label``, ``unit``, ``symbol``, ``choices``, and the bounds ``gt``, ``ge``, ``lt`` and ``le``.
    """
    return field(default=default, metadata={"description": description, **shown})


class Part:
    """Part of an uplink: a frozen dataclass whose fields, all with defaults, are keys of the table ``uplink``."""

    shapes: ClassVar[tuple[str, ...]] = ()
    """Names of fields that shape a compiled program; the other fields are tensors of shape [runs] inside one."""

    version: ClassVar[int] = 1
    """Version of the part's numbers, raised when a correction changes them; from 2 on it is in the names of runs."""
    replaces: ClassVar[tuple[str, ...]] = ()
    """Names of fields of other parts whose values follow from this part."""

    def weighed(self, weight: float) -> Self:
        """Return the part for messages that workers multiply by weights of a mean, such as 1/N of N workers."""
        return self

    def numbers(self) -> dict[str, object]:
        """Return the values of the fields that do not shape a compiled program, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in self.shapes}  # pyright: ignore[reportArgumentType]

    def with_numbers(self, numbers: Mapping[str, object]) -> Self:
        """Return the part with other values of some fields, unchecked, such as tensors of shape [runs]."""
        changed = copy.copy(self)
        for name, value in numbers.items():
            object.__setattr__(changed, name, value)
        return changed


def _fault(registered: type, parameter: Field) -> str:
    """Return the rule that a parameter of a class breaks; empty: none."""
    if parameter.default is not MISSING and parameter.init and type(parameter.default) not in KINDS:
        return "must be a truth value, a number or a text"
    inherited = (vars(base).get(parameter.name) for base in registered.__mro__[1:])
    return "must have another name, as its base has a method of this one" if any(map(callable, inherited)) else ""


class Registry(dict[str, type[Kind]], Generic[Kind]):
    """Registry of frozen dataclasses of one kind: a dictionary from names, such as "rayleigh", to classes.

    >>> from otafl.channels.precoding import PRECODERS
    >>> PRECODERS.make("truncated_inversion", inversion_threshold=0.5, another_key=1.0)
    TruncatedInversion(inversion_threshold=0.5)

    Arguments:
        kind: word for the kind in messages, such as "precoder".
        base: class from which all are derived; None: any.
        methods: names of methods, of which each class has at least one; empty: none is required.
    """

    def __init__(self, kind: str, base: type[Kind] | None = None, methods: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.kind, self.base, self.methods = kind, base, methods

    def register(self, name: str) -> Callable[[Class], Class]:
        """Return a decorator that registers a frozen dataclass under a name, by which scenarios choose it.

        Raises:
            ParameterError: the name is taken, the class is no frozen dataclass of this kind, or a field none.
        """

        def decorate(registered: Class) -> Class:
            self._require(name, registered)
            self[name] = registered  # pyright: ignore[reportArgumentType]
            class_origins.note(registered)
            return registered

        return decorate

    def _require(self, name: str, registered: type) -> None:
        dataclass_parameters = getattr(registered, "__dataclass_params__", None)
        derived = self.base is None or (isinstance(registered, type) and issubclass(registered, self.base))
        able = not self.methods or any(hasattr(registered, method) for method in self.methods)
        if not (dataclass_parameters and dataclass_parameters.frozen and derived and able):
            kind = f" that is derived from {self.base.__name__}" if self.base else ""
            kind += f" with a method {' or '.join(self.methods)}" if self.methods else ""
            raise ParameterError(self.kind, name, f"must be a frozen dataclass{kind}, not {registered!r}")
        for parameter in fields(registered):  # pyright: ignore[reportArgumentType]
            if fault := _fault(registered, parameter):
                raise ParameterError(self.kind, name, f"{parameter.name} = {parameter.default!r}: {fault}")
        known: type = self.get(name, registered)
        # A module that is imported again defines its classes anew.
        if (known.__module__, known.__qualname__) != (registered.__module__, registered.__qualname__):
            raise ParameterError(self.kind, name, f"is already the name of {known.__module__}.{known.__qualname__}")

    def parameters(self, name: str) -> tuple[str, ...]:
        """Return the names of the parameters (fields) of a registered class, such as ("rician_k_db",)."""
        if name not in self:
            raise ParameterError(self.kind, name, f"must be one of {', '.join(self)}")
        return tuple(field.name for field in fields(self[name]) if field.init)  # pyright: ignore[reportArgumentType]

    def make(self, name: str, /, **given: object) -> Kind:
        """Return an instance of a registered class, with the given parameters that it has; others are ignored."""
        parameters = self.parameters(name)
        return self[name](**{key: given[key] for key in parameters if key in given})
