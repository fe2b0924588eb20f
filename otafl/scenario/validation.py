"""Tables checked by their pydantic model, with our one error for what it refuses."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from otafl.errors import OtaflError
from otafl.scenario.dotted_keys import fields

Validated = TypeVar("Validated", bound=BaseModel)


def validated(model: type[Validated], tables: Mapping[str, Any], strip: str = "", under: str = "") -> Validated:
    """An instance of a model from tables; in messages keys are without the prefix ``strip``, behind ``under``.

    Raises:
        OtaflError: names the first dotted key that is refused, its value and all rules that it could obey.
    """
    try:
        return model.model_validate(tables)
    except ValidationError as error:
        raise _first_refused(error.errors(), strip, under) from None


def _first_refused(details: list[ErrorDetails], strip: str, under: str) -> OtaflError:
    key = _dotted(details[0], strip)
    rules = " or ".join(detail["msg"] for detail in details if _dotted(detail, strip) == key)
    plain = rules.replace("Value error, ", "").replace("Input should be", "must be").replace("or must", "or")
    plain = plain.replace("a valid boolean", "true or false")
    return OtaflError(under + key, details[0]["input"], plain)


def _dotted(detail: ErrorDetails, strip: str) -> str:
    """The scenario key that a refusal is about; pydantic's own path where it is none."""
    path = ".".join(map(str, detail["loc"])).removeprefix(strip)
    leaf = ".".join(path.split(".")[:2])
    return leaf if leaf in fields() else path
