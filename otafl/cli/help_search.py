"""Search for a word in the help of all that has a name."""

import difflib
import re
from typing import NamedTuple

from otafl.errors import OtaflError
from otafl.scenario.dotted_keys import without

SHORT = 2
"""Largest length of names that are not suggested, as any word is close to them."""
MOST_WHOLE = 5
"""Largest number of topics that are explained; the titles of others follow."""


class Topic(NamedTuple):
    """Help on one thing: names that find it, searched text, choices of a key, and names to which a word refers."""

    title: str
    names: tuple[str, ...]
    searched: str
    help: str
    choices: tuple[str, ...] = ()
    refers: tuple[str, ...] = ()


class MethodEntry(NamedTuple):
    """Learning method in words: the title of its paper, a worker's upload in a round, its uplinks, its own keys."""

    name: str
    source: str
    sends: str
    uplinks: tuple[str, ...]
    keys: tuple[str, ...]
    doc: str


def explain(topics: list[Topic], name: str) -> str:
    """Return help on all that have a name, words of the field first, then the titles of all whose help mentions it.

    A name is a dotted key or its last part, a registered name, a word of the glossary, or one of a key's choices; its
    case, hyphens and plural do not matter. Where none has the name, those that mention it have their first sentences.
    """
    found = _found(topics, name)
    others = without(_mentions(topics, name), [topic.title for topic in found])
    if found:
        more = {"also": [topic.title for topic in found[MOST_WHOLE:]], "mentioned by": list(others)}
        lines = [f"{words} {', '.join(titles)}" for words, titles in more.items() if titles]
        return "\n\n".join([*(topic.help for topic in found[:MOST_WHOLE]), *lines])
    if others:
        return "\n\n".join(f"{other}\n  {_first_sentence(text)}" for other, text in others.items())
    close = _closest(topics, name)
    raise OtaflError("help", name, f"nothing has that name{f'; did you mean {close!r}?' if close else ''}")


def _found(topics: list[Topic], name: str) -> list[Topic]:
    """Return the topics that have a name, those to which words of the field refer behind these, or keys' choices."""
    exact = [topic for topic in topics if name in topic.names]
    named = exact or [topic for topic in topics if _plain(name) in map(_plain, topic.names)]
    named = named or [topic for topic in topics if name in topic.choices]
    terms, others = [topic for topic in named if topic.refers], [topic for topic in topics if not topic.refers]
    referred = [topic for term in terms for name in term.refers for topic in _called(others, name)]
    return list({topic.help: topic for topic in (*terms, *referred, *named)}.values())


def _called(topics: list[Topic], name: str) -> list[Topic]:
    """Return the topics of a name, that whose full name it is first; of a value without help, those of its key."""
    found = [topic for topic in topics if name in (topic.title, *topic.names)]
    key, equals, _ = name.partition(" = ")
    return sorted(found, key=lambda topic: topic.title != name) or (_called(topics, key) if equals else [])


def _plain(name: str) -> str:
    """Return a name in small letters, without what joins its words, and in the singular."""
    return re.sub(r"[ _-]", "", name.lower()).removesuffix("s")


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


def _closest(topics: list[Topic], name: str) -> str:
    """Return the shortest known name that contains a text, or else one that resembles it; empty where none does."""
    known = [text for topic in topics for text in reversed(topic.names) if len(text) > SHORT]
    holding = sorted((text for text in known if name.lower() in text.lower() and len(name) >= SHORT), key=len)
    return next(iter(holding or difflib.get_close_matches(name, known, n=1, cutoff=0.5)), "")
