"""Quantities on the axes of a result: variables, and swept keys."""

from otafl.metrics.variables import COORDINATES, VARIABLES, Quantity
from otafl.scenario.dotted_keys import fields, last_part


def quantity(name: str) -> Quantity:
    """Return the quantity of a name in a result: of a variable, a coordinate or a swept key.

    Arguments:
        name: name in the dataset; of a swept key its last part, such as "snr_db".

    Returns:
        A ``Quantity``: its name in words, unit and symbol, for the axis of a figure.
    """
    return VARIABLES.get(name) or COORDINATES.get(name) or _of_key(name)


def _of_key(name: str) -> Quantity:
    """Return the quantity in the annotation of a key, or else the name of the key in words."""
    named = [field for key, field in fields().items() if name in (last_part(key), key.replace(".", "_"))]
    metadata = [entry for field in named for entry in field.metadata]
    quantities = [entry for entry in metadata if isinstance(entry, Quantity)]
    return quantities[0] if quantities else Quantity(name.replace("_", " "))
