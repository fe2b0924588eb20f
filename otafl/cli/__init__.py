"""The command line."""

import os
import sys
from pathlib import Path

import tyro

from otafl.cli.commands import COMMANDS, EXIT_INTERRUPTED
from otafl.errors import OtaflError

DESCRIPTION = "Federated learning over a wireless channel, down to the physical layer."
EXIT_BAD_INPUT = 2


def _dispatch(words: list[str]) -> None:
    """Run a command; the options of the others, which take a while to set up, are left alone."""
    if words and words[0] in COMMANDS:
        tyro.cli(COMMANDS[words[0]], prog=f"otafl {words[0]}", args=words[1:])
    else:
        tyro.extras.subcommand_cli_from_dict(COMMANDS, prog="otafl", description=DESCRIPTION, args=words)


def main() -> None:
    """The ``otafl`` command. Exit code 2 on bad input, 130 when interrupted."""
    sys.path.insert(0, str(Path.cwd()))  # where a user keeps the function that problem.model names
    try:
        _dispatch(sys.argv[1:])
    except OtaflError as error:
        print(f"otafl: {error}", file=sys.stderr)
        sys.exit(EXIT_BAD_INPUT)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # who reads has seen enough
    except KeyboardInterrupt:
        print("otafl: interrupted before anything was finished; nothing is kept", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)
