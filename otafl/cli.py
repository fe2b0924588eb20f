"""The command line. Nothing heavy is imported before a command needs it."""

import contextlib
import functools
import io
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import tyro

from otafl.errors import OtaflError, Remark
from otafl.scenario import file as scenarios
from otafl.scenario import options
from otafl.scenario.reads import keys_read_by

DESCRIPTION = "Federated learning over a wireless channel, down to the physical layer."
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130


Name = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME", help="scenario name or path to a TOML file")]
Out = Annotated[
    Path | None,
    tyro.conf.arg(
        metavar="DIR", help="folder for NAME.nc, NAME.png and NAME.pdf", help_behavior_hint="(default: results/NAME)"
    ),
]
Keys = Annotated[Any, tyro.conf.arg(name="", constructor=options.Overrides)]


def list_scenarios() -> None:
    """List the scenarios, with a line each."""
    from rich.console import Console
    from rich.table import Table

    grid = Table(box=None, show_header=False)
    for name in scenarios.names():
        grid.add_row(name, scenarios.title(name))
    Console().print(grid)


def show(name: Name, overrides: Keys) -> None:
    """Print a resolved scenario as TOML, and in comments which keys no run reads and what its workers have."""
    resolved = scenarios.load(name, options.values(overrides))
    _, settings = next(resolved.points())
    summary = []
    if settings.problem.kind == "classification":
        from otafl.data import shares

        summary = ["", *(f"# {line}" for line in shares.summary(settings, settings.run.seed))]
    read = keys_read_by(point for _, point in resolved.points())
    print(resolved.to_toml(read) + "\n".join(summary))


def run(name: Name, overrides: Keys, out: Out = None) -> None:
    """Run a scenario; leave its result, its figure and a summary. Several values of a key sweep it."""
    resolved = scenarios.load(name, options.values(overrides))
    folder = out or Path("results") / resolved.name
    import numpy as np
    from rich.console import Console

    import otafl

    console = Console(markup=False, highlight=False)
    with _Bar(console) as progress, _remarks():
        try:
            data = otafl.run(resolved, out=folder, progress=progress)
        except KeyboardInterrupt as stopped:
            _stopped(stopped, folder, resolved.name)
            sys.exit(EXIT_INTERRUPTED)
    from otafl.results import plot, report

    with np.errstate(over="ignore", invalid="ignore"):
        paths = [folder / f"{resolved.name}.nc", *plot.save(plot.figure(data), folder / resolved.name)]
    _print_whole(report.summary(data))
    console.print("wrote " + ", ".join(map(str, paths)), soft_wrap=True)


def _stopped(interrupt: KeyboardInterrupt, folder: Path, name: str) -> None:
    """Say what an interrupted run has left; where that is nothing, it goes on as an interrupt."""
    data = getattr(interrupt, "data", None)
    if data is None or data["time_slots"].isnull().all():
        raise interrupt
    from otafl.results import file, report

    _print_whole(report.summary(data))
    part = file.partial_path(folder, name)
    print(
        f"otafl: interrupted; finished runs are kept in {part}, and the same command goes on from there",
        file=sys.stderr,
    )


def _print_whole(table: Any) -> None:
    """Print a table on lines as long as it takes."""
    from rich.console import Console

    Console(width=max(Console().width, Console(width=1000).measure(table).maximum)).print(table)


def plot(result: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RESULT.nc")]) -> None:
    """Draw the figure of a result beside it, as PNG and PDF."""
    from otafl.results import file
    from otafl.results import plot as plots

    with _remarks():
        data = file.load(result)
    for path in plots.save(plots.figure(data), result.with_suffix("")):
        print(path)


@contextlib.contextmanager
def _remarks() -> Iterator[None]:
    """Our own warnings as plain lines."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", Remark)
        warnings.showwarning = lambda message, *_: print(f"note: {message}", file=sys.stderr)
        yield


class _Bar:
    """A progress bar that listens to ``otafl.run``."""

    def __init__(self, console: Any) -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        text = TextColumn("{task.description}", markup=False)
        rate = TextColumn("{task.fields[rate]}", markup=False)
        columns = (text, BarColumn(), MofNCompleteColumn(), rate, TimeElapsedColumn(), TimeRemainingColumn())
        self.bar = Progress(*columns, console=console)
        self.task = self.bar.add_task("preparing", total=None, rate="")

    def __enter__(self) -> "_Bar":
        return self

    def __exit__(self, *error: object) -> None:
        if self.bar.live.is_started:
            self.bar.stop()

    def __call__(self, label: str, done: int, total: int) -> None:
        self.bar.start()
        speed = self.bar.tasks[0].speed
        rate = f"{speed:,.0f} iterations/s" if speed and speed >= 10 else f"{speed:.1f} iterations/s" if speed else ""
        self.bar.update(self.task, description=label, completed=done, total=total, rate=rate)


COMMANDS = {"list": list_scenarios, "show": show, "run": run, "plot": plot}


def _dispatch(words: list[str]) -> None:
    """Run a command; the options of the others, which take a while to set up, are left alone."""
    later = {name: _later(command) for name, command in COMMANDS.items()}
    with _plain_refusals(words):
        if words and words[0] in COMMANDS:
            command = tyro.cli(later[words[0]], prog=f"otafl {words[0]}", args=words[1:])
        else:
            command = tyro.extras.subcommand_cli_from_dict(later, prog="otafl", description=DESCRIPTION, args=words)
    command()


def _later(command: Callable[..., None]) -> Callable[..., Callable[[], None]]:
    """A command that is only made ready, so that what it says itself is not taken for the parser's."""

    @functools.wraps(command)
    def ready(*arguments: Any, **options: Any) -> Callable[[], None]:
        return functools.partial(command, *arguments, **options)

    return ready


@contextlib.contextmanager
def _plain_refusals(words: list[str]) -> Iterator[None]:
    """A parser's refusal, which it frames and explains over many lines, as one of ours.

    Raises:
        OtaflError: the parser refuses the words.
    """
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            yield
    except SystemExit as end:
        if not end.code:
            raise
        text = "\n".join(line.strip(" │╰╯") for line in said.getvalue().splitlines()[1:]).strip("─-\n")
        why, *more = re.split(r"^[─-]+$", text, maxsplit=1, flags=re.MULTILINE)
        meant = re.findall(r"^--.*", "".join(more), re.MULTILINE)[:3]
        hint = f"; perhaps you meant {' or '.join(meant)}" if meant else "; otafl --help says more"
        raise OtaflError("command line", " ".join(words), " ".join(why.split()).rstrip(".") + hint) from None


def main() -> None:
    """The ``otafl`` command. Exit code 2 on bad input, 130 when interrupted."""
    try:
        _dispatch(sys.argv[1:])
    except OtaflError as error:
        print(f"otafl: {error}", file=sys.stderr)
        sys.exit(EXIT_BAD_INPUT)
    except MemoryError:
        print("otafl: the machine's memory does not suffice; make the study smaller", file=sys.stderr)
        sys.exit(EXIT_BAD_INPUT)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # who reads has seen enough
    except KeyboardInterrupt:
        print("otafl: interrupted before anything was finished; nothing is kept", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)


if __name__ == "__main__":
    main()
