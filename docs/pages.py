"""The reference, written from the code: every key, method, fading model, uplink, part, scenario and command, tables of
the glossary, and the gallery."""

import contextlib
import inspect
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields as parameters
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any
from unittest import mock

from otafl import cli
from otafl.algorithms import METHODS
from otafl.channels.fading import FADING
from otafl.cli import glossary, key_reference
from otafl.cli.commands import COMMANDS
from otafl.cli.key_reference import KeyEntry
from otafl.cli.listing import SUBJECTS
from otafl.data.sources import DATASETS
from otafl.losses import PROBLEMS
from otafl.metrics.result_variables import COORDINATES, VARIABLES, Quantity
from otafl.scenario import library
from otafl.scenario.dotted_keys import fields
from otafl.schemes import SCHEMES
from otafl.settings.keys import KEY_TABLES
from otafl.settings.plot import Plot
from otafl.training.models import MODELS
from otafl.uplinks import UPLINKS, chain

FIGURES = Path(__file__).parents[1] / "figures"
GROUPS = {
    "learning": ("method", "problem", "federation", "algorithm", "local"),
    "channel": ("channel", "cell"),
    "uplink": ("uplink", "energy"),
    "results": ("plot",),
    "running": ("run", "plugins"),
}
"""Tables of keys by the group of the glossary in which they stand."""
NAMED: dict[str, Mapping[str, Any]] = {
    "method": METHODS,
    "problem.kind": PROBLEMS,
    "problem.model": MODELS,
    "channel.fading": FADING,
    "uplink.kind": UPLINKS,
    **{f"uplink.{key}": registry for key, registry in chain.PARTS.items()},
}
"""Classes and functions by the key that chooses one; their docstrings say what a choice is."""


def write(folder: Path) -> None:
    """Write all pages into a folder, those that have not changed excepted."""
    folder.mkdir(exist_ok=True)
    for name, text in files().items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def files() -> dict[str, str]:
    """Pages, and tables that the glossary includes, by the names of their files."""
    written = {f"{name}.md": page() for name, page in PAGES.items()}
    return written | {f"terms_{group}.txt": _terms(group) for group in GROUPS}


def _table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    cells = [list(headings), ["---"] * len(list(headings)), *([_cell(text) for text in row] for row in rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("*", "\\*").replace("<", "\\<")


def _keys() -> str:
    parts = ["# Scenario keys\n", "A TOML file has a table for each heading. `inf` is a number there.\n"]
    for table, entries in groupby(key_reference.keys(), key=lambda entry: entry.name.split(".")[0]):
        rows = [(f"`{one.name}`", one.doc, one.takes, one.default and f"`{one.default}`", one.unit) for one in entries]
        parts += [f"## {table}\n", _summary(table), _table(("key", "what it is", "takes", "default", "unit"), rows)]
    return "\n".join(parts)


def _summary(table: str) -> str:
    made = (KEY_TABLES | {"plot": Plot}).get(table)
    return f"{(inspect.getdoc(made) or '').splitlines()[0]}\n" if made else ""


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


def _parts() -> str:
    heading = "# Parts of uplinks\n\nAn uplink is a chain of parts. A key of the table `uplink` chooses each of them.\n"
    texts = [heading, *(text for kind, registry in chain.PARTS.items() for text in _registered(kind, registry))]
    rows = [(f"`{name}`", one.uplink, _chosen_parts(one.parts), one.paper) for name, one in SCHEMES.items()]
    return "\n".join([*texts, "## Published schemes\n", _table(("`uplink.scheme`", "uplink", "parts", "paper"), rows)])


def _registered(kind: str, registry: Mapping[str, Any]) -> list[str]:
    """The section of one kind of part: each by name, with its docstring and its keys."""
    section = [f"## uplink.{kind}\n"]
    for name, made in registry.items():
        keys = ", ".join(f"`uplink.{field.name}`" for field in parameters(made)) or "none of its own"
        about = (inspect.getdoc(made) or "").split("\n\nArguments:")[0]
        section.append(f"### {name}\n\n{about}\n\nKeys: {keys}.\n")
    return section


def _chosen_parts(parts: Mapping[str, str]) -> str:
    return ", ".join(f"{kind.replace('_', ' ')} `{name}`" for kind, name in parts.items())


def _cli() -> str:
    head = "# Command line\n\nEach command says this of itself with `--help`. Keys of a scenario are options, too.\n"
    return "\n".join([head, *(f"## otafl {name}\n\n```text\n{_help(name)}\n```\n" for name in COMMANDS)])


def _help(command: str) -> str:
    """Return the help text of a command, without the options that are keys of scenarios."""
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")  # its encoding lets the parser draw boxes
    words = mock.patch.object(sys, "argv", ["otafl", command, "--help"])
    width = mock.patch.dict(os.environ, COLUMNS="80")
    with words, width, contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        cli.main()
    said.seek(0)
    boxes = re.split(r"^(?=╭)", said.read(), flags=re.MULTILINE)
    return "".join(box for box in boxes if not re.search(r"│ --\w+\.", box)).rstrip()


def _gallery() -> str:
    """The page of figures/, with its links as seen from here."""
    return _from_here((FIGURES / "README.md").read_text(encoding="utf-8"), "figures")


def _from_here(text: str, folder: str) -> str:
    """A page of a folder with its links as seen from here, each figure labelled by the name of its picture."""
    text = re.sub(r"^(?=### .*\n\n!\[.*\]\((\w+)\.png\))", r"(\1)=\n", text, flags=re.MULTILINE)
    text = re.sub(r"\]\((?:\.\./)?(\w+)/README\.md", r"](figures_\1.md", text)
    return re.sub(r"\]\((?=[\w/-]+\.png\))", f"](../../{folder}/", text).replace("](../../docs/", "](../")


def _folder(folder: str) -> str:
    """The page of a folder of figures."""
    return _from_here((FIGURES / folder / "README.md").read_text(encoding="utf-8"), f"figures/{folder}")


def _scenarios() -> str:
    parts = [f"## {subject}\n\n{_studies(subject)}" for subject in SUBJECTS]
    return "\n".join(["# Scenarios\n", _studies(""), *parts])


def _studies(subject: str) -> str:
    rows = [(f"`{name}`", *library.entries()[name][1:]) for name in library.names(subject)]
    return _table(("name", "what it shows", "time on two cores"), rows)


def _results() -> str:
    rows = [
        (f"`{name}`", one.long_name, one.unit, "cumulative" if one.is_cost else "") for name, one in VARIABLES.items()
    ]
    return "# Variables of results\n\n" + _table(("name", "what it is", "unit", ""), rows)


def _terms(group: str) -> str:
    """The tables of one group of the glossary: its keys, what they choose from, and the variables of results."""
    tables, every = GROUPS[group], key_reference.keys()
    entries = [entry for entry in every if entry.name.split(".")[0] in tables]
    rows = [(f"`{one.name}`", one.doc, _symbol(one.name), one.unit, _choices(one)) for one in entries]
    words = [(", ".join(filter(None, term[1:3])), *term[3:]) for term in glossary.terms() if term.group == group]
    parts = [
        _table(("term", "meaning", "symbol", "unit", "name"), words),
        _table(("key", "meaning", "symbol", "unit", "choices"), rows),
    ]
    if chosen := [row for entry in entries for row in _chosen(entry.name)]:
        parts.append(_table(("choice", "of", "meaning"), chosen))
    return "\n".join([*parts, _variables()] if group == "results" else parts)


def _symbol(key: str) -> str:
    field = fields().get(key)
    return "".join(one.symbol for one in (field.metadata if field else ()) if isinstance(one, Quantity))


def _choices(entry: KeyEntry) -> str:
    names = re.findall('"([^"]+)"', entry.takes)
    if entry.name == "problem.dataset":
        names = dict.fromkeys(name for known in DATASETS.values() for name in known)
    return ", ".join(f"`{name}`" for name in names)


def _chosen(key: str) -> list[tuple[str, str, str]]:
    """Rows of the choices of a key that have a docstring, or a paper."""
    if key == "uplink.scheme":
        return [(f"`{name}`", f"`{key}`", scheme.paper) for name, scheme in SCHEMES.items()]
    return [(f"`{name}`", f"`{key}`", _first(made)) for name, made in NAMED.get(key, {}).items()]


def _first(made: Any) -> str:
    """The first paragraph of a docstring; a method is an instance, whose class has it."""
    return (inspect.getdoc(made) or "").split("\n\n")[0]


def _variables() -> str:
    rows = [(f"`{name}`", one.long_name, one.unit) for name, one in (COORDINATES | VARIABLES).items()]
    return _table(("variable or coordinate", "meaning", "unit"), rows)


PAGES: dict[str, Callable[[], str]] = {
    "keys": _keys,
    "methods": _methods,
    "channels": _channels,
    "parts": _parts,
    "scenarios": _scenarios,
    "results": _results,
    "cli": _cli,
    "gallery": _gallery,
    **{f"figures_{path.parent.name}": partial(_folder, path.parent.name) for path in FIGURES.glob("*/README.md")},
}
"""Functions that write a page, by the name of the page."""
