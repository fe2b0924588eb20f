"""Validation of tables by pydantic, with one error of our own."""

from collections.abc import Mapping
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from otafl.errors import OtaflError
from otafl.scenario.dotted_keys import fields
from otafl.settings.types import Value

Validated = TypeVar("Validated", bound=BaseModel)


def validated(model: type[Validated], tables: Mapping[str, Value], strip: str = "", under: str = "") -> Validated:
    """Return an instance of a pydantic class from nested tables, or raise the first refusal as an ``OtaflError``."""
    try:
        return model.model_validate(tables)
    except ValidationError as error:
        details = error.errors()
    key = _dotted(details[0], strip)
    rules = " or ".join(detail["msg"] for detail in details if _dotted(detail, strip) == key)
    plain = rules.replace("Value error, ", "").replace("Input should be", "must be").replace("or must", "or")
    plain = plain.replace("a valid boolean", "true or false")
    raise OtaflError(under + key, details[0]["input"], plain)


def _dotted(detail: ErrorDetails, strip: str) -> str:
    """Return the scenario key of a refusal; pydantic's own path where there is none."""
    path = ".".join(map(str, detail["loc"])).removeprefix(strip)
    leaf = ".".join(path.split(".")[:2])
    return leaf if leaf in fields() else path
