"""Command line of otafl."""

import contextlib
import difflib
import functools
import io
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from typing import TextIO

import tyro

from otafl import __version__
from otafl.cli import options
from otafl.cli.arguments import Name
from otafl.cli.commands import COMMANDS, EXIT_FAILED, EXIT_INTERRUPTED
from otafl.cli.terminal import remarks, say
from otafl.errors import OtaflError, Unprepared
from otafl.system import machine

DESCRIPTION = "Federated learning over a wireless channel, down to the physical layer."
EXIT_BAD_INPUT = 2
"""Exit code of bad input."""


def _dispatch(words: list[str]) -> None:
    """Parse and run a command; options of other commands, which take time to set up, are not built."""
    if words == ["--version"]:
        say(f"otafl {__version__}")
        return
    machine.require_folder()
    words = options.expanded(words)
    later = {name: _later(command) for name, command in COMMANDS.items()}
    named = words[0] if words and words[0] in COMMANDS else ""
    options.prepare(words, bool(named) and Name in COMMANDS[named].__annotations__.values())
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


def _let_go() -> None:
    """Discard the output that is not printed yet."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _forgiving(stream: TextIO | None) -> TextIO:
    """Return a stream that prints "?" in place of a character that its encoding lacks; a closed one prints nothing."""
    if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
        stream.reconfigure(errors="replace")
    return stream or open(os.devnull, "w")


def main() -> None:
    """Run the ``otafl`` command on the words of the command line, and end the process upon an error.

    Exit codes: 1 a run failed, 2 bad input, 130 interrupted.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.stdout, sys.stderr = map(_forgiving, (sys.stdout, sys.stderr))
    try:
        try:
            _dispatch(sys.argv[1:])
        finally:
            sys.stdout.flush()
    except OtaflError as error:
        say(f"otafl: {error}", error=True)
        sys.exit(EXIT_BAD_INPUT)
    except Unprepared as failure:
        say(f"otafl: a run cannot be set up: {failure}", error=True)
        sys.exit(EXIT_FAILED)
    except MemoryError:
        say("otafl: the machine's memory does not suffice; make the study smaller", error=True)
        sys.exit(EXIT_BAD_INPUT)
    except BrokenPipeError:
        _let_go()  # who reads has seen enough
    except OSError as error:
        say(f"otafl: {error}", error=True)
        _let_go()
        sys.exit(EXIT_BAD_INPUT)
    except KeyboardInterrupt:
        say("otafl: interrupted before more was finished; what was kept before is still there", error=True)
        sys.exit(EXIT_INTERRUPTED)
