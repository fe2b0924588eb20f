"""Parser of the command line, which runs the command that it finds."""

import contextlib
import difflib
import functools
import io
import re
from collections.abc import Callable, Iterator

import tyro

from otafl.cli.arguments import Name
from otafl.cli.commands import COMMANDS
from otafl.cli.terminal import remarks
from otafl.cli.words import expanded
from otafl.errors import OtaflError
from otafl.system import machine

DESCRIPTION = "Federated learning over a wireless channel, down to the physical layer."


def dispatch(words: list[str]) -> None:
    """Parse and run a command; options of other commands, which take time to set up, are not built."""
    machine.require_folder()
    words = expanded(words)
    later = {name: _later(command) for name, command in COMMANDS.items()}
    named = words[0] if words and words[0] in COMMANDS else ""
    of_scenario = bool(named) and Name in COMMANDS[named].__annotations__.values()
    if of_scenario or any(word.startswith("--plugins") for word in words):
        from otafl.cli import options

        options.prepare(words, of_scenario)
    with _plain_refusals(words):
        if named:
            command = tyro.cli(later[named], prog=f"otafl {named}", args=words[1:])
        else:
            command = tyro.extras.subcommand_cli_from_dict(later, prog="otafl", description=DESCRIPTION, args=words)
    with remarks():
        command()


def _later(command: Callable[..., None]) -> Callable[..., Callable[[], None]]:
    """Return a function that binds a command's arguments, so that the command runs outside of the parser."""
    return functools.wraps(command)(lambda *values, **options: functools.partial(command, *values, **options))


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
