"""Scenario files: those that come with otafl, by name, and a user's own, by path."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from otafl.errors import OtaflError, UnknownName
from otafl.scenario import user_classes
from otafl.scenario.base_scenario import derived
from otafl.scenario.dotted_keys import flatten, without
from otafl.scenario.scenario import FIGURE, Scenario
from otafl.scenario.sweeps import HEADINGS, flat_sweep, plot_table
from otafl.system import machine

LARGEST_FILE = 2**20
"""Largest size of a scenario file in bytes; some hundred are common."""
LONGEST_CHAIN = 50
"""Largest number of scenarios each of which stands on the next; five are many."""


def folder() -> Path:
    """Return the folder of scenarios: inside the installed package, or beside it in a checkout."""
    installed = Path(__file__).parents[1] / "scenarios"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "scenarios"


def names() -> list[str]:
    """Return the names of the scenarios that come with otafl, sorted."""
    return sorted(path.stem for path in folder().glob("*.toml"))


def find(name_or_path: str | Path, what: str = "scenario") -> Path:
    """Return the file of a scenario.

    Arguments:
        name_or_path: name of a scenario that comes with otafl, or a path that ends in ``.toml``.
        what: thing that is sought, for messages.

    Raises:
        UnknownName: no scenario has this name.
        OtaflError: neither a name nor a path.
    """
    if not isinstance(name_or_path, str | os.PathLike):
        raise OtaflError(what, name_or_path, "must be a scenario's name, or a path to a TOML file")
    path = Path(name_or_path)
    if str(path).encode(errors="ignore").decode() != str(path):
        raise OtaflError(what, str(path), "must be a path in UTF-8, as results name it")
    if path.suffix == ".toml":
        return path
    file = folder() / f"{name_or_path}.toml"
    if path.name != str(name_or_path) or not os.path.isfile(file):
        raise UnknownName(what, str(name_or_path), names(), see="`otafl list` has all of them")
    return file


def load(name_or_path: str | Path, overrides: Mapping[str, Any] | None = None) -> Scenario:
    """Load a scenario by name or from a TOML file.

    Arguments:
        name_or_path: a name that ``otafl list`` prints, or a path that ends in ``.toml``.
        overrides: values by dotted scenario key; a list sweeps the key.

    Returns:
        The scenario with its settings, swept keys and figure.

    Raises:
        OtaflError: an unknown name or key, a value that breaks a rule, or keys that contradict each other.
    """
    path = find(name_or_path)
    own, tables_of_all = read(path)
    keys = _keys(own)
    return Scenario.from_tables(path.stem, tables_of_all, overrides or {}, str(name_or_path), keys)


def read(path: str | Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the TOML tables of a scenario file, and import the user's modules (plugins) that it names.

    Arguments:
        path: path of the TOML file.

    Returns:
        Two nested dictionaries: the tables of the file itself, and these on top of the tables of its bases.

    Raises:
        OtaflError: a file or a module cannot be read, or a key is unknown.
    """
    machine.require_folder()
    path = Path(path)
    own = _read(path)
    return own, _on_base(own, path.parent, (path.resolve(),))


def parse(name: str, text: str, overrides: Mapping[str, Any] | None = None) -> Scenario:
    """Return the scenario of a TOML text.

    Arguments:
        name: name of the scenario.
        text: its TOML; the path of a base starts in the working directory.
        overrides: values by dotted scenario key; a list sweeps the key.

    Raises:
        OtaflError: the text is not TOML, a key is unknown, a value breaks a rule, or keys contradict each other.
    """
    own = tables(text, name)
    return Scenario.from_tables(name, _on_base(own, Path(), ()), overrides or {}, name, _keys(own))


def _keys(own: dict[str, Any]) -> set[str]:
    """Return the dotted keys of runs that a scenario's own file names, fixed or swept, and those of its figure."""
    runs = {*flatten(without(own, (*HEADINGS, "base"))), *flat_sweep(own.get("sweep", {}))}
    return runs | {f"{FIGURE}{key}" for key in plot_table(own)}


def title(name: str) -> tuple[str, str]:
    """Return the title of a scenario that comes with otafl, and its computing time in words; only its own file is read.

    Arguments:
        name: name of the scenario.

    Returns:
        Title and time, such as "5 min"; "" where the file has none.

    Raises:
        OtaflError: no scenario has this name, or its file cannot be read.
    """
    own = _read(find(name))
    return str(own.get("title", "")), str(own.get("duration", ""))


def _on_base(own: dict[str, Any], beside: Path, chain: tuple[Path, ...]) -> dict[str, Any]:
    """Return a scenario's tables on top of those of its base.

    Arguments:
        own: tables of the scenario.
        beside: folder in which the path of a base starts.
        chain: files from the first scenario to this one, each the base of the one before.

    Raises:
        OtaflError: the base is missing, leads back to the scenario itself, or stands on too many others.
    """
    if "base" not in own:
        return own
    path = beside / find(own["base"], what="base")
    if not os.path.isfile(path):
        rule = f"must be a scenario's name, or a path from {beside.resolve()} to a TOML file"
        raise OtaflError("base", own["base"], rule)
    chain = (*chain, path.resolve())
    if path.resolve() in chain[:-1]:
        names_of_chain = " on ".join(file.stem for file in chain)
        raise OtaflError("base", own["base"], f"must not lead back to the scenario itself: {names_of_chain}")
    if len(chain) > LONGEST_CHAIN:
        rule = f"must not make a chain of more than {LONGEST_CHAIN} scenarios, each the base of the one before"
        raise OtaflError("base", own["base"], rule)
    return derived(_on_base(_read(path), path.parent, chain), without(own, ["base"]))


def _read(path: Path) -> dict[str, Any]:
    """Return the tables of a file, and import the user's modules that it names."""
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
    read = tables(text, str(path))
    user_classes.load(read.get("plugins", []))
    return read


def tables(text: str, source: str) -> dict[str, Any]:
    """Return the tables of a TOML text as nested dictionaries.

    Arguments:
        text: TOML.
        source: name of the text in messages.

    Raises:
        OtaflError: the text is not TOML.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise OtaflError("scenario", source, f"must be a TOML file; {error}") from None
