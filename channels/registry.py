"""Registries by name of fading models and parts of uplinks: frozen dataclasses whose fields are parameters."""

import copy
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, ClassVar, Self, TypeVar

from . import class_origins

Made = TypeVar("Made", bound=type)
KINDS = (bool, int, float, str)
"""Types of parameters."""


class Part:
    """Part of an uplink: a frozen dataclass whose fields are scenario keys of the table ``uplink``.

    Every field has a default; its ``metadata`` may have a ``description``, ``label``, ``unit``, ``symbol`` and bounds.
    """

    shapes: ClassVar[tuple[str, ...]] = ()
    """Names of fields that shape a compiled program; the other fields are tensors of shape [runs] inside one."""

    version: ClassVar[int] = 1
    """Version of the part's numbers, raised when a correction changes them; from 2 on it is in the names of runs."""
    replaces: ClassVar[tuple[str, ...]] = ()
    """Names of fields of other parts whose values follow from this part."""

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Return the reason why a run cannot have this part, the end of an error message; by default empty: it can.

        Arguments:
            chain: the run's ``otafl.uplinks.chain.Chain``, all parts of its uplink, such as ``chain.precoder``.
            settings: the run's ``Settings``, its keys table by table, such as ``settings.channel.snr_db``.
            method: the run's ``otafl.algorithms.Method``, which says what it sends.
        """
        return ""

    def remark(self, chain: Any, settings: Any) -> str:
        """Return a remark for the user on an effect that is easily overlooked; empty without one, as by default.

        Arguments:
            chain: the run's ``otafl.uplinks.chain.Chain``, all parts of its uplink, such as ``chain.precoder``.
            settings: the run's ``Settings``, its keys table by table, such as ``settings.channel.fading``.
        """
        return ""

    def weighed(self, weight: float) -> Self:
        """Return the part for messages that workers multiply by weights of a given mean; by default unchanged.

        Arguments:
            weight: mean of the workers' weights, no unit: 1/N for N workers whose weights add up to 1.
        """
        return self

    def numbers(self) -> dict[str, Any]:
        """Return the values of the fields that do not shape a compiled program, by name.

        An example is {"update_norm": 1.0, "update_norm_decay": 0.5}.
        """
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in self.shapes}  # pyright: ignore[reportArgumentType]

    def with_numbers(self, numbers: Mapping[str, Any]) -> Self:
        """Return the part with other values of some fields, which are not checked.

        Arguments:
            numbers: new values by name of the field: real numbers, tensors of shape [runs], or None where any would do.
        """
        made = copy.copy(self)
        for name, value in numbers.items():
            object.__setattr__(made, name, value)
        return made


def _fault(made: type[Any], parameter: Field[Any]) -> str:
    """Return the rule that a parameter of a class breaks; empty: none."""
    if parameter.default is not MISSING and parameter.init and type(parameter.default) not in KINDS:
        return "must be a truth value, a number or a text"
    found = (vars(base).get(parameter.name) for base in made.__mro__[1:])
    return "must have another name, as its base has a method of this one" if any(map(callable, found)) else ""


class Registry(dict[str, type[Any]]):
    """Registry of frozen dataclasses of one kind: a dictionary from names, such as "rayleigh", to classes.

    Arguments:
        kind: word for the kind in messages, such as "precoder".
        base: class from which all are derived; None: any.
        methods: names of methods, of which each class has at least one; empty: none is required.
    """

    def __init__(self, kind: str, base: type | None = None, methods: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.kind, self.base, self.methods = kind, base, methods

    def register(self, name: str) -> Callable[[Made], Made]:
        """Register a frozen dataclass under a name, as a decorator.

        Arguments:
            name: the name, by which scenarios and ``make`` choose the class.

        Returns:
            Decorator that registers a class and returns it unchanged.

        Raises:
            ValueError: the name is taken, the class is no frozen dataclass of this kind, or a field is no parameter.
        """

        def taken(made: Made) -> Made:
            self._require(name, made)
            self[name] = made
            class_origins.note(made)
            return made

        return taken

    def _require(self, name: str, made: Any) -> None:
        parameters = getattr(made, "__dataclass_params__", None)
        derived = self.base is None or (isinstance(made, type) and issubclass(made, self.base))
        able = not self.methods or any(hasattr(made, method) for method in self.methods)
        if not (parameters and parameters.frozen and derived and able):
            kind = f" that is derived from {self.base.__name__}" if self.base else ""
            kind += f" with a method {' or '.join(self.methods)}" if self.methods else ""
            raise ValueError(f"{self.kind} = {name!r}: must be a frozen dataclass{kind}, not {made!r}")
        for parameter in fields(made):
            if why := _fault(made, parameter):
                raise ValueError(f"{self.kind} = {name!r}: {parameter.name} = {parameter.default!r}: {why}")
        known = self.get(name, made)
        if (known.__module__, known.__qualname__) != (made.__module__, made.__qualname__):
            raise ValueError(f"{self.kind} = {name!r}: is already the name of {known.__module__}.{known.__qualname__}")

    def parameters(self, name: str) -> tuple[str, ...]:
        """Return the names of the parameters (fields) of a registered class, such as ("rician_k_db",).

        Arguments:
            name: name of the class in the registry, such as "rician".

        Raises:
            ValueError: no class has that name.
        """
        if name not in self:
            raise ValueError(f"{self.kind} = {name!r}: must be one of {', '.join(self)}")
        return tuple(field.name for field in fields(self[name]) if field.init)

    def make(self, name: str, /, **given: Any) -> Any:
        """Return an instance of a registered class, with the given parameters that it has; others are ignored.

        Arguments:
            name: name of the class in the registry, such as "rician".
            given: values of parameters by name; those left out have their defaults.

        Raises:
            ValueError: no class has that name.
        """
        parameters = self.parameters(name)
        return self[name](**{key: given[key] for key in parameters if key in given})
