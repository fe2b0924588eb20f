"""Texts from files on a terminal: whatever they hold, they cannot steer it."""

from collections.abc import Iterator
from typing import Any


def printable(text: str, also: str = "") -> str:
    """Return a text with a space in place of each character that is not printed, but for some (``also``)."""
    return "".join(character if character.isprintable() or character in also else " " for character in text)


def shortened(text: str, longest: int) -> str:
    """Return a text without its middle if it has more characters than the longest allowed."""
    return text if len(text) <= longest else f"{text[: longest // 2]}...{text[-longest // 2 :]}"


def console(**options: Any) -> Any:
    """Return a ``rich.console.Console`` that prints texts as they are, without markup and control characters."""
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class PlainConsole(Console):
        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
            for segment in super().render(renderable, options):  # but not the sequences of rich itself
                yield segment if segment.control else segment._replace(text=printable(segment.text, "\n"))

    return PlainConsole(markup=False, highlight=False, emoji=False, **options)
