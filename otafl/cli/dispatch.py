"""Parser of the command line, which runs the command that it finds."""

import contextlib
import difflib
import functools
import inspect
import io
import re
from collections.abc import Callable, Collection, Iterator
from typing import Annotated

import tyro

from otafl.cli.arguments import Keys, Name, PlotKeys
from otafl.cli.commands import COMMANDS
from otafl.cli.terminal import remarks
from otafl.cli.words import expanded
from otafl.errors import OtaflError
from otafl.system import machine

DESCRIPTION = "Federated learning over a wireless channel, down to the physical layer."


def dispatch(words: list[str]) -> None:
    machine.require_folder()
    words = expanded(words)
    named = words[0] if words and words[0] in COMMANDS else ""
    of_scenario = bool(named) and Name in COMMANDS[named].__annotations__.values()
    if of_scenario or any(word.startswith("--plugins") for word in words):
        from otafl.cli import options

        options.prepare(words, of_scenario)
    with _plain_refusals(words):
        command = _parsed(named, words[1:]) if named else _overview(words)
    with remarks():
        command()


def _overview(words: list[str]) -> Callable[[], None]:
    """Show the help of all commands, or refuse words that name none."""
    keys = None if any(map(_shows, words)) else set[str]()
    later = {name: _later(command, keys) for name, command in COMMANDS.items()}
    return tyro.extras.subcommand_cli_from_dict(later, prog="otafl", description=DESCRIPTION, args=words)


def _parsed(name: str, words: list[str]) -> Callable[[], None]:
    """Return a command bound to its arguments. Options are made of the keys that words name, or of all to show them."""
    flags = {word.partition("=")[0] for word in words if word.startswith("-")}
    named = {flag.removeprefix("--").replace("-", "_") for flag in flags}
    if not any(map(_shows, flags)):
        with contextlib.suppress(SystemExit), contextlib.redirect_stderr(io.StringIO()):
            return tyro.cli(_later(COMMANDS[name], named), prog=f"otafl {name}", args=words)
    return tyro.cli(_later(COMMANDS[name], None), prog=f"otafl {name}", args=words)


def _shows(word: str) -> bool:
    """Return True for a word that asks for all options: for help, or for a shell's completion."""
    return word in ("-h", "--help") or word.startswith("--tyro-")


def _later(command: Callable[..., None], keys: Collection[str] | None) -> Callable[..., Callable[[], None]]:
    """Return a function that binds a command's arguments for later; its options are the scenario keys named, or all."""

    def later(*values: object, **options: object) -> Callable[[], None]:
        return functools.partial(command, *values, **options)

    kinds = {Keys: ("", "overrides"), PlotKeys: ("plot", "plot_options")}
    given = inspect.signature(command)
    parameters = [
        parameter.replace(annotation=_class_of_keys(*kinds[parameter.annotation], keys))
        if parameter.annotation in kinds
        else parameter
        for parameter in given.parameters.values()
    ]
    later.__doc__ = command.__doc__
    later.__signature__ = given.replace(parameters=parameters)
    later.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return later


def _class_of_keys(name: str, maker: str, keys: Collection[str] | None) -> object:
    """Return the type of an argument that is a class of keys, which a function of ``options`` makes when needed."""

    def made() -> type:
        from otafl.cli import options

        return getattr(options, maker)(keys)

    return Annotated[object, tyro.conf.arg(name=name, constructor_factory=made)]


@contextlib.contextmanager
def _plain_refusals(words: list[str]) -> Iterator[None]:
    """Turn the parser's refusal of words, over many framed lines, into an error of one line."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stderr(printed):
            yield
    except SystemExit as end:
        if not end.code:
            raise
        text = "\n".join(line.strip(" │╰╯") for line in printed.getvalue().splitlines()[1:]).strip("─-\n")
        why, *more = re.split(r"^[─-]+$", text, maxsplit=1, flags=re.MULTILINE)
        unknown = [word for word in words[:1] if not word.startswith("-") and word not in COMMANDS]
        commands = [name for word in unknown for name in difflib.get_close_matches(word, COMMANDS, n=1)]
        meant = commands or re.findall(r"^--\w.*", "".join(more), re.MULTILINE)[:3]
        hint = f"; perhaps you meant {' or '.join(meant)}" if meant else "; otafl --help says more"
        raise OtaflError("command line", " ".join(words), " ".join(why.split()).rstrip(".") + hint) from None
