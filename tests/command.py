"""The command in the tests' own process."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from otafl import cli


class Answer(NamedTuple):
    """Exit code and text of a command."""

    code: int
    stdout: str
    stderr: str

    @property
    def messages(self) -> list[str]:
        """The lines, on either stream, with which the command addresses its user."""
        return [line for line in (self.stdout + self.stderr).splitlines() if line.startswith("otafl: ")]


def command(folder: Path, monkeypatch: Any, capture: Any) -> Callable[..., Answer]:
    """``otafl`` as a function of its words, run in a folder; what it prints is read from a fixture of pytest."""
    monkeypatch.chdir(folder)

    def call(*words: str) -> Answer:
        monkeypatch.setattr(sys, "argv", ["otafl", *words])
        code: Any = 0
        try:
            cli.main()
        except SystemExit as stop:
            code = stop.code
        return Answer(code, *capture.readouterr())

    return call


def listing(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))
