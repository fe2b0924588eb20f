"""The command line. Nothing heavy is imported before a command needs it."""

import contextlib
import dataclasses
import os
import sys
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, get_args, get_origin

import tyro

from otafl.errors import OtaflError, Remark
from otafl.scenario import dotted
from otafl.scenario import file as scenarios
from otafl.scenario.reads import keys_read_by
from otafl.settings.keys import Settings, Table

DESCRIPTION = "Federated learning over a wireless channel, down to the physical layer."
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130


def _option(field: Any) -> tuple[Any, Any]:
    """A scenario key as a command-line option that takes one value or several."""
    hint = "" if field.default is None else f"(default: {field.default})"
    option = tyro.conf.arg(metavar=f"{_kind(field.annotation)} ...", help=field.description, help_behavior_hint=hint)
    return Annotated[tuple[str, ...] | None, option], dataclasses.field(default=None)


def _kind(annotation: Any) -> str:
    """What a key takes, for the help: the choices where they are listed, else the type."""
    if get_origin(annotation) is Literal:
        return "|".join(map(str, get_args(annotation)))
    parts = [_kind(part) for part in get_args(annotation) if isinstance(part, type) or get_origin(part)]
    known = {int: "INT", float: "FLOAT", str: "TEXT"}
    return "|".join(part for part in parts if part) or known.get(annotation, "")


def _options(table: type[Table]) -> list[tuple[str, Any, Any]]:
    fields = []
    for name, field in table.model_fields.items():
        if isinstance(field.default, Table):
            nested = dataclasses.make_dataclass(name.title(), _options(type(field.default)))
            nested.__doc__ = (type(field.default).__doc__ or "").splitlines()[0]
            fields.append((name, nested, dataclasses.field(default_factory=nested)))
        else:
            fields.append((name, *_option(field)))
    return fields


Overrides = dataclasses.make_dataclass("Overrides", _options(Settings))
Overrides.__doc__ = "Scenario keys; several values sweep a key."
Name = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME", help="scenario name or path to a TOML file")]
Out = Annotated[
    Path | None,
    tyro.conf.arg(
        metavar="DIR", help="folder for NAME.nc, NAME.png and NAME.pdf", help_behavior_hint="(default: results/NAME)"
    ),
]
Result = Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RESULT.nc")]
Keys = Annotated[Any, tyro.conf.arg(name="", constructor=Overrides)]


def _values(overrides: Any) -> dict[str, Any]:
    """The options that were given, as dotted keys with one value or a list."""
    given = {}
    for key in dotted.fields():
        words = overrides
        for part in key.split("."):
            words = getattr(words, part)
        if words == ():
            raise OtaflError(f"--{key}", "", "needs a value")
        if words:
            values = [_value(word) for word in words]
            given[key] = values if len(values) > 1 else values[0]
    return given


def _value(word: str) -> Any:
    """A word as TOML reads it, text where it is none."""
    try:
        return tomllib.loads(f"value = {word}")["value"]
    except tomllib.TOMLDecodeError:
        return word


def list_scenarios() -> None:
    """List the scenarios, with a line each."""
    from rich.console import Console
    from rich.table import Table as Grid

    grid = Grid(box=None, show_header=False)
    for name in scenarios.names():
        grid.add_row(name, scenarios.title(name))
    Console().print(grid)


def show(name: Name, overrides: Keys) -> None:
    """Print a resolved scenario as TOML, and in comments which keys no run reads and what its workers have."""
    resolved = scenarios.load(name, _values(overrides))
    _, settings = next(resolved.points())
    summary = []
    if settings.problem.kind == "classification":
        from otafl.data import shares

        summary = ["", *(f"# {line}" for line in shares.summary(settings, settings.run.seed))]
    read = keys_read_by(point for _, point in resolved.points())
    print(resolved.to_toml(read) + "\n".join(summary))


def run(name: Name, overrides: Keys, out: Out = None) -> None:
    """Run a scenario; leave its result, its figure and a summary. Several values of a key sweep it."""
    resolved = scenarios.load(name, _values(overrides))
    folder = out or Path("results") / resolved.name
    import numpy as np
    from rich.console import Console

    import otafl
    from otafl.results import file, plot, summary
    from otafl.study.run import Stopped

    console = Console()
    with _Bar(console) as progress, _remarks():
        try:
            data = otafl.run(resolved, out=folder, progress=progress)
        except Stopped as stopped:
            _stopped(stopped.data, file.partial_path(folder, resolved.name))
    with np.errstate(over="ignore", invalid="ignore"):
        paths = [folder / f"{resolved.name}.nc", *plot.save(plot.figure(data), folder / resolved.name)]
    _print_whole(summary.table(data))
    console.print("wrote " + ", ".join(map(str, paths)), soft_wrap=True)


def _stopped(data: Any, part: Path) -> NoReturn:
    """Say what an interrupted run has left, and end."""
    from otafl.results import summary

    if data["time_slots"].isnull().all():
        raise KeyboardInterrupt
    _print_whole(summary.table(data))
    print(
        f"otafl: interrupted; finished runs are kept in {part}, and the same command goes on from there",
        file=sys.stderr,
    )
    sys.exit(EXIT_INTERRUPTED)


def _print_whole(table: Any) -> None:
    """Print a table on lines as long as it takes."""
    from rich.console import Console

    Console(width=max(Console().width, Console(width=1000).measure(table).maximum)).print(table)


def plot(result: Result) -> None:
    """Draw the figure of a result beside it, as PNG and PDF."""
    from otafl.results import file
    from otafl.results import plot as plots

    with _remarks():
        data = file.load(result)
    for path in plots.save(plots.figure(data), result.with_suffix("")):
        print(path)


def report(result: Result, out: Annotated[Path | None, tyro.conf.arg(metavar="FILE.html")] = None) -> None:
    """Write a result as one HTML page beside it: figure, costs, outcomes, scenario and environment."""
    from otafl.results import report as reports

    with _remarks():
        print(reports.write(result, out or result.with_suffix(".html")))


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

        text = TextColumn("[progress.description]{task.description}")
        rate = TextColumn("{task.fields[rate]}")
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


COMMANDS = {"list": list_scenarios, "show": show, "run": run, "plot": plot, "report": report}


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


if __name__ == "__main__":
    main()
