"""Commands of the command line; a command imports heavy libraries when it needs them."""

import math
import os
import sys
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import FlagCreatePairsOff as Flag

from otafl.cli import arguments, listing
from otafl.cli.engine import PROCESSES
from otafl.cli.privacy import privacy
from otafl.cli.table import loaded, table
from otafl.cli.terminal import EXIT_FAILED, EXIT_INTERRUPTED, print_whole, say
from otafl.cli.waveform import waveform
from otafl.errors import OtaflError
from otafl.plain_text import console, printable


def show(
    name: arguments.Name,
    overrides: arguments.Keys,
    small: arguments.Small = False,
    read: Annotated[bool, Flag, tyro.conf.arg(help="leave out keys that no run reads")] = False,
) -> None:
    """Print a resolved scenario as TOML; comments mark unread keys, and describe schemes, SNRs, model, uploads,
    data.
    """
    resolved = arguments.scenario_of(name, overrides, small)
    from otafl.cli import comments

    lines = (f"# {printable(line)}" if line else "" for line in comments.lines(resolved))
    say(resolved.to_toml(resolved.read, only=read) + "\n".join(lines))


def run(
    name: arguments.Name,
    overrides: arguments.Keys,
    engine: arguments.Where,
    small: arguments.Small = False,
    out: arguments.Out = None,
    store: arguments.StoreFolder = None,
    no_store: Annotated[bool, Flag, tyro.conf.arg(help="read no run from the store, and save none there")] = False,
    overwrite: Annotated[bool, Flag, tyro.conf.arg(help="replace a result that has other runs")] = False,
    save_model: Annotated[bool, Flag, tyro.conf.arg(help="write the final model of runs as .keras files")] = False,
) -> None:
    """Run a scenario; save its result and its figure, and print a summary. Several values of a key sweep it. Runs in
    the store are not computed again.
    """
    resolved = arguments.scenario_of(name, overrides, small)
    if save_model:
        from otafl.scenario import rules

        rules.require_networks(resolved.settings)
    import otafl
    from otafl.study.progress_lines import Bar, Lines

    folder, chosen, shown = out or Path("results") / resolved.name, engine.chosen(), console()
    with Bar(shown) if shown.is_terminal else Lines(shown) as progress:
        try:
            data = otafl.run(resolved, None, folder, progress, False if no_store else store or True, overwrite, chosen)
        except KeyboardInterrupt as stopped:
            _stopped(stopped)
            sys.exit(EXIT_INTERRUPTED)
    from otafl.results import figure_files, summary

    failed = int((data["outcome"] == "failed").sum())
    if failed < data["outcome"].size:
        figures = figure_files.save(figure_files.figure(data), folder / resolved.name)
        print_whole(summary.table(data))
        result = folder / f"{resolved.name}.nc"
        say("wrote " + ", ".join(map(str, (result, *figures))))
        if save_model:
            from otafl.study import final_model

            say("wrote " + ", ".join(map(str, final_model.save(data, resolved, result))))
    if failed:
        said = f"otafl: {failed} of {data['outcome'].size} runs failed; the same command tries them again"
        say(said, error=True)
        sys.exit(EXIT_FAILED)


def plan(
    name: arguments.Name,
    overrides: arguments.Keys,
    small: arguments.Small = False,
    store: arguments.StoreFolder = None,
    processes: Annotated[int | None, PROCESSES] = None,
) -> None:
    """Forecast the time and the memory of a study, from some iterations of each kind of missing run."""
    from otafl.cli import forecast

    forecast.show(arguments.scenario_of(name, overrides, small), store, processes)


def _stopped(interrupt: KeyboardInterrupt) -> None:
    """Print the summary of an interrupted study; raise the interrupt again if nothing is kept."""
    data = getattr(interrupt, "data", None)
    if data is None or not getattr(interrupt, "kept", False):
        raise interrupt
    from otafl.results import summary

    if data["time_slots"].notnull().any():
        print_whole(summary.table(data))
    say("otafl: interrupted; what is done is kept, and the same command goes on from there", error=True)


def status(folder: arguments.Folder) -> None:
    """Print the status of the runs of the studies in a folder."""
    from otafl.cli.status import table
    from otafl.study.status import point_statuses

    print_whole(table(point_statuses(folder)))


def watch(folder: arguments.Folder) -> None:
    """Follow the studies in a folder until they are done, from any terminal."""
    from otafl.cli import status

    status.follow(folder)


def collect(
    folders: Annotated[
        tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="DIR [DIR ...]", help="folders of the study")
    ],
    out: Annotated[Path | None, tyro.conf.arg(metavar="RESULT.nc", help="file for the result")] = None,
    overwrite: Annotated[bool, tyro.conf.arg(help="replace that file")] = False,
    plugins: arguments.Plugins = (),
) -> None:
    """Collect the runs of one study, finished or not, from folders with different seeds of it, into one result."""
    from otafl.results import result_file, summary
    from otafl.study.collect import collect as collected

    if out and out.exists() and not overwrite:
        raise OtaflError("--out", str(out), "must be a new file, or add --overwrite")
    data = collected(list(folders), plugins).dataset()
    if out:
        result_file.save(data, out)
    print_whole(summary.table(data))


def store(
    folder: Annotated[arguments.StoreFolder, tyro.conf.arg(name="store")] = None,
    prune: Annotated[
        float | None, tyro.conf.arg(metavar="DAYS", help="remove files older than this number of days")
    ] = None,
) -> None:
    """Print the size of the store of runs, or remove old runs from it."""
    from otafl.store.store import Store, default_folder

    if prune is not None and not 0 < prune < math.inf:
        raise OtaflError("--prune", prune, "must be a positive number of days")
    runs = Store(folder or default_folder())
    if os.path.lexists(runs.folder) and not runs.folder.is_dir():
        raise OtaflError("--store", str(runs.folder), "must be a folder")
    if prune is not None:
        say("removed " + _files_in_mb(*runs.pruned(prune)))
    say(f"{_files_in_mb(*runs.size)} in {runs.folder}")


def _files_in_mb(number: int, size: int) -> str:
    return f"{number:,} files, {size / 1e6:.1f} MB"


def plot(
    results: arguments.ResultFiles,
    overrides: arguments.PlotKeys,
    out: Annotated[Path | None, tyro.conf.arg(metavar="STEM", help="path of the figure without .png and .pdf")] = None,
    map: Annotated[bool, Flag, tyro.conf.arg(help="draw the places of the workers in place of the figure")] = False,
    plugins: arguments.Plugins = (),
) -> None:
    """Draw the figure of a result, or of several results together, as PNG and PDF in the folder of the first.

    Keys of the figure replace those of the first result's scenario.
    """
    arguments.load_plugins(plugins)
    data = loaded(results)
    from otafl.results import analysis, cell_map, figure_files, result_file

    stem = results[0].parent / f"{results[0].stem}{'-map' if map else ''}"
    if map:
        figure = cell_map.figure(data[0], plugins)
    else:
        from otafl.cli.options import plot_of

        asked = plot_of(result_file.about(data[0]).plot, overrides, analysis.swept(data[0]))
        figure = figure_files.figure(*data, asked=asked)
    for path in figure_files.save(figure, out or stem):
        say(path)


def report(
    result: Annotated[
        Path,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="RESULT.nc|DIR", help="file of a result, or folder of a study"),
    ],
    out: Annotated[
        Path | None, tyro.conf.arg(metavar="FILE.html", help="file for the page, beside the result unless given")
    ] = None,
    plugins: arguments.Plugins = (),
) -> None:
    """Write a result as one HTML page in its folder: figure, costs, outcomes, scenario and environment. The page of a
    study's folder, finished or not, also has the computing times.
    """
    arguments.load_plugins(plugins)
    from otafl.results import report as reports
    from otafl.study.collect import collect as collected

    if result.is_dir():
        data = collected([result], plugins).with_times()
        page = (result.parent if result.suffix == ".runs" else result) / f"{data.attrs['name']}.html"
        say(reports.save(data, out or page))
    else:
        say(reports.write(result, out))


def cite(
    study: Annotated[
        str,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="RESULT.nc|NAME", help="file of a result, or scenario name or path to a TOML file"),
    ],
    plugins: arguments.Plugins = (),
) -> None:
    """Print BibTeX entries of otafl and of the papers of the methods, schemes, channels and data that a result or a
    scenario uses.
    """
    arguments.load_plugins(plugins)
    from otafl.cli import citations

    say(citations.of_study(study, plugins))


COMMANDS = {
    "list": listing.scenarios,
    "methods": listing.methods,
    "help": listing.explain,
    "show": show,
    "plan": plan,
    "run": run,
    "status": status,
    "watch": watch,
    "collect": collect,
    "plot": plot,
    "report": report,
    "table": table,
    "cite": cite,
    "privacy": privacy,
    "waveform": waveform,
    "store": store,
}
