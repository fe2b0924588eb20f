"""Files of scenarios: those that come with otafl, by name, and a user's own, by path."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from otafl.errors import OtaflError, UnknownName
from otafl.scenario import radio_rules, user_classes
from otafl.scenario.base_scenario import derived
from otafl.scenario.dotted_keys import flatten, without
from otafl.scenario.scenario import Scenario
from otafl.scenario.sweeps import HEADINGS, flat_sweep

LARGEST_FILE = 2**20
"""Bytes of a scenario, which takes some hundred."""


def folder() -> Path:
    """The folder of scenarios: inside the installed package, or beside it in a checkout."""
    installed = Path(__file__).parents[1] / "scenarios"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "scenarios"


def names() -> list[str]:
    """Names of the scenarios that come with otafl."""
    return sorted(path.stem for path in folder().glob("*.toml"))


def find(name_or_path: str | Path, what: str = "scenario") -> Path:
    """The file of a scenario, given by name or by a path that ends in ``.toml``; messages say ``what`` is sought.

    Raises:
        UnknownName: no scenario of that name.
    """
    if not isinstance(name_or_path, str | os.PathLike):
        raise OtaflError(what, name_or_path, "must be a scenario's name, or a path to a TOML file")
    path = Path(name_or_path)
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
        overrides: dotted scenario keys and their values; a list sweeps the key.

    Raises:
        OtaflError: an unknown name or key, a value that breaks a rule, or parts that contradict each other.
    """
    path = find(name_or_path)
    own, tables_of_all = read(path)
    return computable(Scenario.from_tables(path.stem, tables_of_all, overrides or {}, str(name_or_path), _keys(own)))


def computable(scenario: Scenario) -> Scenario:
    """Return a scenario that can be computed anew, unlike some that earlier versions have computed.

    Raises:
        OtaflError: it cannot.
    """
    for _, settings in scenario.points():
        radio_rules.require_fitting(settings)
    return scenario


def read(path: str | Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tables of a file, and the same on its bases; the modules of the user's own that they name are loaded.

    Raises:
        OtaflError: a file or a module that cannot be read, or an unknown key.
    """
    path = Path(path)
    own = _read(path)
    return own, _on_base(own, path.parent, (path.resolve(),))


def parse(name: str, text: str, overrides: Mapping[str, Any] | None = None) -> Scenario:
    """A scenario from the text of its TOML; a base by path is sought from the working directory.

    Raises:
        OtaflError: as ``load`` does.
    """
    own = tables(text, name)
    return Scenario.from_tables(name, _on_base(own, Path(), ()), overrides or {}, name, _keys(own))


def _keys(own: dict[str, Any]) -> set[str]:
    """The dotted keys of runs that a scenario's own file names, fixed or swept."""
    return {*flatten(without(own, (*HEADINGS, "base"))), *flat_sweep(own.get("sweep", {}))}


def title(name: str) -> tuple[str, str]:
    """The title of a scenario that comes with otafl, and how long it takes; nothing else is looked at."""
    own = _read(find(name))
    return str(own.get("title", "")), str(own.get("duration", ""))


def _on_base(own: dict[str, Any], beside: Path, chain: tuple[Path, ...]) -> dict[str, Any]:
    """A scenario's tables on those of its base.

    Arguments:
        own: the scenario's.
        beside: the folder from which the path of a base starts.
        chain: the files that stand on each other up to here, the first one first.

    Raises:
        OtaflError: a base that is missing, or that stands on the scenario itself.
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
    return derived(_on_base(_read(path), path.parent, chain), without(own, ["base"]))


def _read(path: Path) -> dict[str, Any]:
    """The tables of a file."""
    try:
        if path.exists() and not path.is_file():
            raise OtaflError("scenario", str(path), "must be a TOML file, not a folder, a pipe or a device")
        if path.stat().st_size > LARGEST_FILE:
            raise OtaflError("scenario", str(path), f"must be a TOML file of at most {LARGEST_FILE:,} bytes")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise OtaflError("scenario", str(path), f"the file cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise OtaflError("scenario", str(path), f"must be a TOML file; {error}") from None
    read = tables(text, str(path))
    user_classes.load(read.get("plugins", []))
    return read


def tables(text: str, source: str) -> dict[str, Any]:
    """The tables of a TOML text; ``source`` names it in messages.

    Raises:
        OtaflError: it is not TOML.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise OtaflError("scenario", source, f"must be a TOML file; {error}") from None
