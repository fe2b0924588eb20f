"""Texts from files on a terminal: whatever they hold, they cannot steer it. Times in words."""

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


def duration(seconds: float) -> str:
    """Return a time [s] in words: seconds, minutes and seconds, or hours and minutes.

    >>> duration(119.6)
    '2 min 0 s'
    """
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours:,} h {minutes} min"
