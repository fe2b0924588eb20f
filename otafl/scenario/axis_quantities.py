"""Quantities on the axes of a result: variables, and swept keys."""

from otafl.metrics.result_variables import COORDINATES, VARIABLES, Quantity
from otafl.scenario.dotted_keys import fields
from otafl.scenario.nested_tables import last_part


def quantity(name: str) -> Quantity:
    """Return the quantity of a variable, a coordinate or a swept key: its name in words, unit and symbol.

    >>> quantity("snr_db").unit
    'dB'
    """
    if variable := VARIABLES.get(name) or COORDINATES.get(name):
        return variable
    of_name = [field for key, field in fields().items() if name in (last_part(key), key.replace(".", "_"))]
    metadata = (entry for field in of_name for entry in field.metadata)
    return next((entry for entry in metadata if isinstance(entry, Quantity)), Quantity(name.replace("_", " ")))
