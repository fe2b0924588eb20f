"""What stands on an axis of a result: a variable, or a swept key."""

from otafl.scenario.dotted_keys import fields, last_part
from otafl.variables import COORDINATES, VARIABLES, Quantity


def quantity(name: str) -> Quantity:
    """The quantity of a variable or coordinate by its name, a swept key's being its last part."""
    return VARIABLES.get(name) or COORDINATES.get(name) or _of_key(name)


def _of_key(name: str) -> Quantity:
    """What a key is annotated with; where it is with nothing, its name in words."""
    named = [field for key, field in fields().items() if name in (last_part(key), key.replace(".", "_"))]
    metadata = [entry for field in named for entry in field.metadata]
    quantities = [entry for entry in metadata if isinstance(entry, Quantity)]
    return quantities[0] if quantities else Quantity(name.replace("_", " "))
