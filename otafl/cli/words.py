"""Words of the command line: ranges, values as TOML reads them, and the help of an option."""

import itertools
import re
import tomllib
from fractions import Fraction

import tyro

from otafl.errors import OtaflError

NUMBER = r"-?\d+(\.\d+)?"
RANGE = re.compile(f"{NUMBER}:{NUMBER}:{NUMBER}")


def described(metavar: str, text: str | None, default: object = None) -> object:
    """Return the description of an option, for tyro: what it takes, its help, and its default in words."""
    hint = "" if default is None else f"(default: {default})"
    return tyro.conf.arg(metavar=metavar, help=text, help_behavior_hint=hint)


def expanded(words: list[str]) -> list[str]:
    """Return the words of a command with each range first:last:step as its numbers: "0:20:10" as "0", "10", "20"."""
    return list(itertools.chain.from_iterable(_range(word) if RANGE.fullmatch(word) else [word] for word in words))


def _range(word: str) -> list[str]:
    from otafl.scenario.sweeps import MOST_POINTS

    first, last, step = map(Fraction, word.split(":"))
    if step == 0 or not 0 <= (last - first) / step <= MOST_POINTS:
        raise OtaflError("command line", word, f"must be first:last:step, a list of 1 to {MOST_POINTS:,} numbers")
    numbers = [first + place * step for place in range(int((last - first) / step) + 1)]
    return [str(int(number)) if number.denominator == 1 else str(float(number)) for number in numbers]


def toml_value(word: str) -> object:
    """Return the value of a word as TOML reads it, such as 20.0 for "20.0"; the word itself if it is not TOML."""
    try:
        (value,) = tomllib.loads(f"value = {word}").values()
    except (ValueError, RecursionError):
        return word
    return value
