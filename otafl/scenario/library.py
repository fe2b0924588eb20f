"""Studies that come with otafl: starters, and a folder of files for each paper or subject."""

import functools
from pathlib import Path
from typing import NamedTuple

from otafl.errors import OtaflError
from otafl.scenario import toml
from otafl.scenario.studies import Address, studies


class Entry(NamedTuple):
    """Study as lists show it: its address, one line about it, and its computing time in words, such as "5 min"."""

    address: Address
    title: str
    duration: str

    @property
    def subject(self) -> str:
        """Folder of its file; empty for a starter."""
        return self.address.path.parent.relative_to(folder()).as_posix().strip(".")


def folder() -> Path:
    """Return the folder of scenarios: inside the installed package, or beside it in a checkout."""
    installed = Path(__file__).parents[1] / "scenarios"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "scenarios"


def find(name: str) -> Address | None:
    """Return the address of a study by its name, None where there is none."""
    if path := next((path for path in folder().rglob("*.toml") if path.stem == name), None):
        return Address(path, name)  # without reading the others, which takes commands 30 ms
    return entries()[name].address if name in entries() else None


def names(subject: str | None = None) -> list[str]:
    """Return the names of the studies that come with otafl, sorted: of a folder, of starters (""), or all (None)."""
    return sorted(name for name, entry in entries().items() if subject in (None, entry.subject))


@functools.cache
def entries() -> dict[str, Entry]:
    known: dict[str, Entry] = {}
    for path in sorted(folder().rglob("*.toml")):
        for name, tables in studies(toml.read(path), path).items():
            if name in known:
                raise OtaflError("scenario", name, f"stands in {known[name].address.path} and in {path}")
            known[name] = Entry(Address(path, name), str(tables.get("title", "")), str(tables.get("duration", "")))
    return known
