"""Command line of otafl."""

import io
import os
import signal
import sys
from typing import TextIO

from otafl import __version__
from otafl.cli.terminal import EXIT_BAD_INPUT, EXIT_FAILED, EXIT_INTERRUPTED, say
from otafl.errors import OtaflError, Unprepared
from otafl.system.home import word_at_home


def _dispatch(words: list[str]) -> None:
    if words == ["--version"]:
        say(f"otafl {__version__}")
        return
    from otafl.cli.dispatch import dispatch

    dispatch(words)


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
            _dispatch([word_at_home(word) for word in sys.argv[1:]])
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
