"""Search for a word in the help of all that has a name."""

import difflib
import re
from typing import NamedTuple

from otafl.errors import OtaflError
from otafl.scenario.nested_tables import without

SHORT = 2
"""Largest length of names that are not suggested, as any word is close to them."""
ALIASES: dict[str, tuple[str, ...]] = {
    "aircomp": ("analog",),
    **dict.fromkeys(("latency", "delay"), ("time_slots", "time")),
    "byzantine": ("hostile", "attack"),
    **dict.fromkeys(("ris", "irs"), ("surface_elements",)),
    "csi": ("pilots", "estimator"),
    "vote": ("majority",),
    **dict.fromkeys(("client", "clients", "device", "devices"), ("workers",)),
}
"""Names that have help, by a word of the field that is no such name, in small letters."""


class Topic(NamedTuple):
    """Help on one thing: its full name, the names that find it, the text that is searched for words, and the help.

    A key has the names of its choices, too.
    """

    title: str
    names: tuple[str, ...]
    searched: str
    help: str
    choices: tuple[str, ...] = ()


def explain(topics: list[Topic], name: str) -> str:
    """Return help on all that have a name, then the names of all whose help mentions it.

    A name is a dotted key or its last part, a registered name, one of a key's choices, or a word that means the same in
    the field. Where none has the name, those that mention it have their first sentences.

    Raises:
        OtaflError: no help mentions the name; suggests the closest one.
    """
    named = _named(topics, name) or _named(topics, _cased(topics, name))
    for other in ALIASES.get(name.lower(), ()):
        named |= _named(topics, other)
    others = without(_mentions(topics, name), named)
    if named:
        return "\n\n".join([*named.values(), *([f"mentioned by {', '.join(others)}"] if others else [])])
    if others:
        return "\n\n".join(f"{other}\n  {_first_sentence(text)}" for other, text in others.items())
    close = _closest(topics, name)
    raise OtaflError("help", name, f"nothing has that name{f'; did you mean {close!r}?' if close else ''}")


def _named(topics: list[Topic], name: str) -> dict[str, str]:
    """Return help on all that have a name, by their full names; else on the keys of which it is a choice."""
    found = {topic.title: topic.help for topic in topics if name in topic.names}
    return found or {topic.title: topic.help for topic in topics if name in topic.choices}


def _mentions(topics: list[Topic], word: str) -> dict[str, str]:
    """Return the help of all that mention a word, by name: first those whose names do."""
    if len(word) <= SHORT:
        return {}
    searched = {topic.title: " ".join(topic.searched.split()) for topic in topics}
    texts = {title: text for title, text in searched.items() if word.lower() in f"{title} {text}".lower()}
    return dict(sorted(texts.items(), key=lambda item: word.lower() not in item[0].lower()))


def _first_sentence(text: str) -> str:
    """Return the first sentence of a text without its full stop; the point of an initial ends none."""
    return re.split(r"(?<![ (][A-Z])(?<!^[A-Z])[.] ", text, maxsplit=1)[0].rstrip(".")


def _cased(topics: list[Topic], name: str) -> str:
    """Return the known name that is a text but for upper and lower case; else the text in lower case."""
    names = (known for topic in topics for known in topic.names)
    return next((known for known in names if known.lower() == name.lower()), name.lower())


def _closest(topics: list[Topic], name: str) -> str:
    """Return the shortest known name that contains a text, or else one that resembles it; empty where none does."""
    known = [text for topic in topics for text in reversed(topic.names) if len(text) > SHORT]
    holding = sorted((text for text in known if name.lower() in text.lower() and len(name) >= SHORT), key=len)
    return next(iter(holding or difflib.get_close_matches(name, known, n=1, cutoff=0.5)), "")
