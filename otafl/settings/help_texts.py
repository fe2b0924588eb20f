"""Help texts of scenario keys: the descriptions of fields, or docstrings, which are read when help is asked for."""

import functools

import docstring_parser

from otafl.settings.types import Table


def help_text(table: type[Table], key: str) -> str:
    """Return the help text of a key of a table on one line, without a full stop."""
    text = table.model_fields[key].description or _docstrings(table).get(key, "")
    return " ".join(text.split()).removesuffix(".")


@functools.cache
def _docstrings(table: type[Table]) -> dict[str, str]:
    parsed = docstring_parser.parse_from_object(table)
    return {key.arg_name: key.description or "" for key in parsed.params}
