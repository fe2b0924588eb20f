"""Parts of the physical layer and of uplinks by name: frozen dataclasses whose fields are their parameters."""

import copy
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self, TypeVar

from channels import class_origins

Made = TypeVar("Made", bound=type)


class Part:
    """Part of an uplink: a frozen dataclass whose fields are scenario keys of the table ``uplink``.

    A field has a default, and its ``metadata`` may have a ``description``, ``label``, ``unit``, ``symbol`` and bounds.
    """

    shapes: ClassVar[tuple[str, ...]] = ()
    """Fields that shape a compiled program; the others are numbers of each run, inside a program of shape [runs]."""

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Return why a run cannot have it; empty where it can.

        Arguments:
            chain: the parts of the run's uplink.
            settings: the run's keys, table by table.
            method: what the run sends.
        """
        return ""

    def remark(self, chain: Any, settings: Any) -> str:
        """Return what a user may not expect of it; empty where there is nothing."""
        return ""

    def weighed(self, weight: float) -> Self:
        """Return it for messages that workers multiply by a mean weight."""
        return self

    def numbers(self) -> dict[str, Any]:
        """Return the fields that do not shape a program, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in self.shapes}  # pyright: ignore[reportArgumentType]

    def with_numbers(self, numbers: Mapping[str, Any]) -> Self:
        """Return it with other numbers, which are not checked: tensors, or None for any."""
        made = copy.copy(self)
        for name, value in numbers.items():
            object.__setattr__(made, name, value)
        return made


class Registry(dict[str, type[Any]]):
    """Classes of one kind by name.

    Arguments:
        kind: what they are, in one word for messages, such as "precoder".
        base: the class that they derive from; None: any.
        methods: names of methods, of which each class has at least one; empty: none is asked for.
    """

    def __init__(self, kind: str, base: type | None = None, methods: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.kind, self.base, self.methods = kind, base, methods

    def register(self, name: str) -> Callable[[Made], Made]:
        """Register a frozen dataclass under a name, as a decorator.

        Raises:
            ValueError: the name is taken, or the class is no such dataclass.
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
        known = self.get(name, made)
        if (known.__module__, known.__qualname__) != (made.__module__, made.__qualname__):
            raise ValueError(f"{self.kind} = {name!r}: is the name of {known.__module__}.{known.__qualname__} already")

    def parameters(self, name: str) -> tuple[str, ...]:
        """Return the names of the parameters of a class.

        Raises:
            ValueError: no class has that name.
        """
        if name not in self:
            raise ValueError(f"{self.kind} = {name!r}: known are {', '.join(self)}")
        return tuple(field.name for field in fields(self[name]) if field.init)

    def make(self, name: str, **given: Any) -> Any:
        """Return an instance of the class of that name, with those of the given parameters that it has.

        Raises:
            ValueError: no class has that name.
        """
        parameters = self.parameters(name)
        return self[name](**{key: given[key] for key in parameters if key in given})
