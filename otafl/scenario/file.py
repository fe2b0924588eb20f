"""Files of scenarios: those that come with otafl, by name, and a user's own, by path."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from otafl.errors import OtaflError, UnknownName
from otafl.scenario.scenario import Scenario


def folder() -> Path:
    """The folder of scenarios: inside the installed package, or beside it in a checkout."""
    installed = Path(__file__).parents[1] / "scenarios"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "scenarios"


def names() -> list[str]:
    """Names of the scenarios that come with otafl."""
    return sorted(path.stem for path in folder().glob("*.toml"))


def find(name_or_path: str | Path) -> Path:
    """The file of a scenario, given by name or by a path that ends in ``.toml``.

    Raises:
        UnknownName: no scenario of that name.
    """
    path = Path(name_or_path)
    if path.suffix == ".toml":
        return path
    if str(name_or_path) not in names():
        raise UnknownName("scenario", str(name_or_path), names())
    return folder() / f"{name_or_path}.toml"


def load(name_or_path: str | Path, overrides: Mapping[str, Any] | None = None) -> Scenario:
    """Load a scenario by name or from a TOML file.

    Arguments:
        name_or_path: a name that ``otafl list`` prints, or a path that ends in ``.toml``.
        overrides: dotted scenario keys and their values; a list sweeps the key.

    Raises:
        OtaflError: an unknown name or key, a value that breaks a rule, or parts that contradict each other.
    """
    path = find(name_or_path)
    return Scenario.from_tables(path.stem, _read(path), overrides or {})


def parse(name: str, text: str, overrides: Mapping[str, Any] | None = None) -> Scenario:
    """A scenario from the text of its TOML.

    Raises:
        OtaflError: as ``load`` does.
    """
    return Scenario.from_tables(name, tables(text, name), overrides or {})


def _read(path: Path) -> dict[str, Any]:
    """The tables of a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise OtaflError("scenario", str(path), f"the file cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise OtaflError("scenario", str(path), f"must be a TOML file; {error}") from None
    return tables(text, str(path))


def tables(text: str, source: str) -> dict[str, Any]:
    """The tables of a TOML text; ``source`` names it in messages.

    Raises:
        OtaflError: it is not TOML.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise OtaflError("scenario", source, f"must be a TOML file; {error}") from None
