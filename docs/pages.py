"""The reference, written from the code: every key, method, fading model, uplink and scenario."""

import inspect
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from channels.fading import FADING
from otafl import key_reference
from otafl.scenario import file
from otafl.settings.keys import Settings
from otafl.settings.plot import Plot
from otafl.uplinks import UPLINKS
from otafl.variables import VARIABLES


def write(folder: Path) -> None:
    """Write all pages into a folder, those that have not changed excepted."""
    folder.mkdir(exist_ok=True)
    made = {"keys": _keys(), "methods": _methods(), "channels": _channels(), "scenarios": _scenarios()}
    for name, text in (made | {"results": _results()}).items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    cells = [list(headings), ["---"] * len(list(headings)), *([_cell(text) for text in row] for row in rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("*", "\\*").replace("<", "\\<")


def _keys() -> str:
    parts = ["# Scenario keys\n", "A TOML file has a table for each heading. `inf` is a number there.\n"]
    for table, entries in groupby(key_reference.keys(), key=lambda entry: entry.name.split(".")[0]):
        rows = [(f"`{one.name}`", one.takes, one.default and f"`{one.default}`", one.unit, one.doc) for one in entries]
        parts += [f"## {table}\n", _summary(table), _table(("key", "takes", "default", "unit", "what it is"), rows)]
    return "\n".join(parts)


def _summary(table: str) -> str:
    made = Plot if table == "plot" else type(Settings.model_fields[table].default)
    return f"{(inspect.getdoc(made) or '').splitlines()[0]}\n" if made not in (str, tuple) else ""


def _methods() -> str:
    parts = ["# Methods\n"]
    for one in key_reference.methods():
        own = ", ".join(f"`{key}`" for key in one.keys) or "none of its own"
        parts.append(
            f"## {one.name}\n\n{one.doc}\n\nFrom: *{one.source}*. A worker uploads {one.sends} in a round, over "
            f"{', '.join(one.uplinks)}. Keys: {own}.\n"
        )
    return "\n".join(parts)


def _channels() -> str:
    parts = ["# Fading models and uplinks\n", "## Fading\n"]
    parts += [f"### {name}\n\n{inspect.getdoc(made)}\n" for name, made in FADING.items()]
    parts.append("## Uplinks\n")
    for name, made in UPLINKS.items():
        parts.append(
            f"### {name}\n\n{inspect.getdoc(made)}\n\nKeys: {', '.join(f'`{key}`' for key in made.keys) or 'none'}\n"
        )
    return "\n".join(parts)


def _scenarios() -> str:
    rows = [(f"`{name}`", *file.title(name)) for name in file.names()]
    return "# Scenarios\n\n" + _table(("name", "what it shows", "time on two cores"), rows)


def _results() -> str:
    rows = [
        (f"`{name}`", one.long_name, one.unit, "cumulative" if one.is_cost else "") for name, one in VARIABLES.items()
    ]
    return "# Variables of results\n\n" + _table(("name", "what it is", "unit", ""), rows)
