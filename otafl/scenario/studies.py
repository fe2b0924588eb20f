"""Studies of a scenario file: its own, a small one (table ``small``), and others (tables ``studies.NAME``).

Each of these tables is written as a file is. It stands on the file's own study, or on the one that ``base`` names.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from otafl.errors import OtaflError
from otafl.scenario.dotted_keys import without
from otafl.settings.types import Tables, Value

SMALL, STUDIES = "small", "studies"
MARK = "#"
"""Character between a path and a study of that file: "mine.toml#quiet"."""


class Address(NamedTuple):
    """Place of a study: its file, and its name, which is that of the file without suffix for the file's own."""

    path: Path
    study: str

    @classmethod
    def of_path(cls, text: str) -> "Address | None":
        """Return the address of "mine.toml" or "mine.toml#quiet"; None for any other text."""
        file, _, study = text.partition(f".toml{MARK}")
        path = Path(f"{file}.toml" if study else text)
        return cls(path, study or path.stem) if path.suffix == ".toml" else None


def small_beside(name_or_path: str) -> str:
    """Return the name or path of the small study beside another."""
    address = Address.of_path(name_or_path)
    beside = f"{address.path}{MARK}{address.study}" if address else name_or_path
    return f"{beside}_{SMALL}"


def studies(tables: Mapping[str, Value], path: Path) -> dict[str, Tables]:
    """Return the TOML tables of each study of a file, by name, its own first."""
    named, others = {path.stem: without(tables, (SMALL, STUDIES))}, tables.get(STUDIES, {})
    if SMALL in tables:
        named[f"{path.stem}_{SMALL}"] = _small(tables)
    if not isinstance(others, dict):
        raise OtaflError(STUDIES, others, "must be tables of scenario keys, one for each study")
    for name, table in others.items():
        if name in named:
            raise OtaflError(f"{STUDIES}.{name}", str(path), f"must not be this file's own study, nor its [{SMALL}]")
        if not isinstance(table, dict) or not re.fullmatch(r"[\w-]+", name):
            raise OtaflError(f"{STUDIES}.{name}", table, "must be a table of scenario keys under a name without dots")
    return named | others


def _small(tables: Mapping[str, Value]) -> Value:
    given = tables[SMALL]
    if not isinstance(given, dict):
        raise OtaflError(SMALL, given, "must be a table of scenario keys")
    named = {"title": f"{tables['title']}, small"} if "title" in tables else {}
    return {**named, "duration": "1 min", **given}
