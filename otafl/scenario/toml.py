"""TOML of scenarios: read from a file or a text, and written with comments."""

import tomllib
from collections.abc import Collection
from pathlib import Path

from otafl.errors import OtaflError
from otafl.settings.types import Tables
from otafl.system.home import at_home

LARGEST_FILE = 2**20
"""Largest size of a scenario file in bytes; some hundred are common."""


def read(path: Path) -> Tables:
    try:
        if path.exists() and not path.is_file():
            raise OtaflError("scenario", str(path), "must be a TOML file, not a folder, a pipe or a device")
        if path.stat().st_size > LARGEST_FILE:
            raise OtaflError("scenario", str(path), f"must be a TOML file of at most {LARGEST_FILE:,} bytes")
        text = path.read_text(encoding="utf-8-sig")  # with the mark with which some editors begin a file
    except OSError as error:
        raise OtaflError("scenario", str(path), f"the file cannot be read ({error.strerror})") from None
    except OtaflError:
        raise
    except ValueError as error:
        raise OtaflError("scenario", str(path), f"must be a TOML file; {error}") from None
    return tables(text, str(path))


def tables(text: str, source: str) -> Tables:
    try:
        return _at_home(tomllib.loads(text))
    except (ValueError, RecursionError) as error:
        raise OtaflError("scenario", source, f"must be a TOML file; {error}") from None


def _at_home(tables: Tables) -> Tables:
    left = [tables]
    while left:  # and no recursion, as tables may be nested deeply
        table = left.pop()
        left += [value for value in table.values() if isinstance(value, dict)]
        table |= {key: at_home(value) for key, value in table.items() if not isinstance(value, dict)}
    return tables


def marked(text: str, keys: Collection[str], remark: str) -> str:
    """Return a scenario's TOML text with a comment behind some keys, on the first line of each."""
    table, lines = "", []
    for line in text.splitlines():
        table = line.strip("[]") if line.startswith("[") else table
        lines.append(f"{line}  # {remark}" if _key(table, line) in keys else line)
    return "\n".join(lines) + "\n"


def _key(table: str, line: str) -> str:
    """Return the dotted key that a line of a table sets; empty where it sets none."""
    name, equals, _ = line.partition(" = ")
    if not equals or line.startswith(" "):
        return ""
    dotted_already = not table or table == "sweep" or table.startswith("per_method.")
    return name.strip('"') if dotted_already else f"{table}.{name}"
