"""Commands of the command line; a command imports heavy libraries when it needs them."""

import importlib
import math
import os
import sys
import threading
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import FlagCreatePairsOff as Flag

from otafl.cli import listing, snr, stored_study, upload
from otafl.cli.arguments import Folder, Keys, Name, Out, PlotKeys, Plugins, StoreFolder, Where
from otafl.cli.engine import PROCESSES
from otafl.cli.options import plot_of, values
from otafl.cli.privacy import privacy
from otafl.cli.table import table
from otafl.cli.terminal import print_whole, remarks, say
from otafl.engine.runtime import garbage
from otafl.errors import OtaflError
from otafl.plain_text import console, printable
from otafl.scenario import file as scenarios
from otafl.scenario import user_classes
from otafl.store.store import default_folder
from otafl.study.progress_bar import Bar
from otafl.uplinks.physical_layer import budget_lines

EXIT_FAILED = 1
"""Exit code of a study with runs that failed."""
EXIT_INTERRUPTED = 130
"""Exit code of an interrupted study."""
AHEAD = ("otafl.results.figure_files", "h5netcdf", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_pdf")
"""Modules for files and figures, which take long to import."""
AHEAD_S = 1.0
"""Time after which worker processes load their libraries, and this process is idle [s]."""


def show(
    name: Name,
    overrides: Keys,
    read: Annotated[bool, Flag, tyro.conf.arg(help="leave out keys that no run reads")] = False,
) -> None:
    """Print a resolved scenario as TOML; comments mark unread keys, and describe schemes, SNRs, model, uploads, data.

    Arguments:
        name: scenario name or path to a TOML file.
        overrides: scenario keys given as options; several values of a key sweep it.
        read: True to leave out keys that no run reads.
    """
    with remarks():
        resolved = scenarios.load(name, values(overrides))
    _, settings = next(resolved.points())
    summary = [f"# {line}" for line in resolved.scheme_lines]
    summary += [line and f"# {line}" for line in (*snr.lines(resolved), *upload.lines(resolved))]
    summary += ["", *(f"# {line}" for line in budget_lines(settings))] if settings.cell.radius_m else []
    if settings.problem.kind == "classification":
        from otafl.data import shares

        summary += ["", *(f"# {line}" for line in shares.summary(settings, settings.run.seed))]
        if settings.federation.largest_loss_db:
            from otafl.engine.channel_process import ChannelProcess

            beyond = ChannelProcess(settings, [settings.run.seed]).beyond
            summary += [f"# {shares.bias(settings, settings.run.seed, beyond)}"]
    say(resolved.to_toml(resolved.read, only=read) + "\n".join(map(printable, summary)))


def run(
    name: Name,
    overrides: Keys,
    engine: Where,
    out: Out = None,
    store: StoreFolder = None,
    no_store: Annotated[bool, Flag, tyro.conf.arg(help="read no run from the store, and save none there")] = False,
    overwrite: Annotated[bool, Flag, tyro.conf.arg(help="replace a result that has other runs")] = False,
) -> None:
    """Run a scenario; save its result and its figure, and print a summary. Several values of a key sweep it. Runs in
    the store are not computed again.

    Arguments:
        name: scenario name or path to a TOML file.
        overrides: scenario keys given as options; several values of a key sweep it.
        engine: options of the engine that computes the runs.
        out: folder for NAME.nc, NAME.png and NAME.pdf; None: results/NAME.
        store: folder of runs that all studies share; None: the user's.
        no_store: True to read no run from the store, and to save none there.
        overwrite: True to replace a result that has other runs.
    """
    with remarks():
        resolved = scenarios.load(name, values(overrides))
    folder = out or Path("results") / resolved.name
    shared = None if no_store or overwrite or not engine.of_this_machine else store or default_folder()
    if shared and stored_study.shown(resolved, folder, shared):
        return
    import numpy as np

    import otafl

    chosen = engine.chosen()
    _load_ahead()
    with Bar(console()) as progress, remarks():
        try:
            data = otafl.run(resolved, None, folder, progress, False if no_store else store or True, overwrite, chosen)
        except KeyboardInterrupt as stopped:
            _stopped(stopped)
            sys.exit(EXIT_INTERRUPTED)
    from otafl.results import figure_files, summary, summary_table

    with np.errstate(over="ignore", invalid="ignore"), remarks() as said:
        figures = figure_files.written(figure_files.figure(data), folder / resolved.name)
    read = summary.summary(data)
    print_whole(summary_table.grid(resolved.name, read))
    say("wrote " + ", ".join(map(str, (folder / f"{resolved.name}.nc", *figures))))
    failed = int((data["outcome"] == "failed").sum())
    if failed:
        runs = data["outcome"].size
        say(f"otafl: {failed} of {runs} runs failed; the same command tries them again", error=True)
        sys.exit(EXIT_FAILED)
    if shared and not said:
        stored_study.note(resolved, folder, shared, data, read, figures)


def _load_ahead() -> None:
    """Import the libraries for files and figures while worker processes compute."""
    timer = threading.Timer(AHEAD_S, _import_ahead)
    timer.daemon = True
    timer.start()


def _import_ahead() -> None:
    with garbage.put_off():
        for name in AHEAD:
            importlib.import_module(name)


def plan(
    name: Name, overrides: Keys, store: StoreFolder = None, processes: Annotated[int | None, PROCESSES] = None
) -> None:
    """Forecast the time and the memory of a study, from some iterations of each kind of missing run.

    Arguments:
        name: scenario name or path to a TOML file.
        overrides: scenario keys given as options; several values of a key sweep it.
        store: folder of runs that all studies share; None: the user's.
        processes: number of worker processes; None: the default.
    """
    from otafl.cli import forecast

    with remarks():
        grid, line = forecast.shown(scenarios.load(name, values(overrides)), store, processes)
    print_whole(grid)
    say(line)


def _stopped(interrupt: KeyboardInterrupt) -> None:
    """Print the summary of an interrupted study; raise the interrupt again if nothing is kept."""
    data = getattr(interrupt, "data", None)
    if data is None or not getattr(interrupt, "kept", False):
        raise interrupt
    from otafl.results import summary

    if data["time_slots"].notnull().any():
        print_whole(summary.table(data))
    say("otafl: interrupted; what is done is kept, and the same command goes on from there", error=True)


def status(folder: Folder) -> None:
    """Print the status of the runs of the studies in a folder.

    Arguments:
        folder: folder of studies
    """
    from otafl.cli.status import table
    from otafl.study.status import point_statuses

    with remarks():
        print_whole(table(point_statuses(folder)))


def watch(folder: Folder) -> None:
    """Follow the studies in a folder until they are done, from any terminal.

    Arguments:
        folder: folder of studies
    """
    from otafl.cli import status

    with remarks():
        status.follow(folder)


def collect(
    folders: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="DIR [DIR ...]")],
    out: Annotated[Path | None, tyro.conf.arg(metavar="RESULT.nc", help="file for the result")] = None,
    overwrite: Annotated[bool, tyro.conf.arg(help="replace that file")] = False,
    plugins: Plugins = (),
) -> None:
    """Collect the runs of one study, finished or not, from folders with different seeds of it, into one result.

    Arguments:
        folders: folders of the study
        out: file for the result; None: it is not written.
        overwrite: True to replace that file.
        plugins: names or paths of the user's modules to import.
    """
    from otafl.results import file, summary
    from otafl.study.collect import collect as collected

    if out and out.exists() and not overwrite:
        raise OtaflError("--out", str(out), "must be a new file, or add --overwrite")
    with remarks():
        data = collected(list(folders), plugins).dataset()
    if out:
        file.save(data, out)
    print_whole(summary.table(data))


def store(
    folder: Annotated[StoreFolder, tyro.conf.arg(name="store")] = None,
    prune: Annotated[
        float | None, tyro.conf.arg(metavar="DAYS", help="remove files older than this number of days")
    ] = None,
) -> None:
    """Print the size of the store of runs, or remove old runs from it.

    Arguments:
        folder: folder of runs that all studies share; None: the user's.
        prune: age in days above which files are removed; None: none are.
    """
    from otafl.store.store import Store

    if prune is not None and not 0 < prune < math.inf:
        raise OtaflError("--prune", prune, "must be a positive number of days")
    runs = Store(folder or default_folder())
    if os.path.lexists(runs.folder) and not runs.folder.is_dir():
        raise OtaflError("--store", str(runs.folder), "must be a folder")
    if prune is not None:
        say("removed {:,} files, {:.1f} MB".format(*_in_mb(runs.pruned(prune))))
    say("{:,} files, {:.1f} MB in {}".format(*_in_mb(runs.size), runs.folder))


def _in_mb(found: tuple[int, int]) -> tuple[int, float]:
    return found[0], found[1] / 1e6


def plot(
    results: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="RESULT.nc [RESULT.nc ...]")],
    overrides: PlotKeys,
    out: Annotated[Path | None, tyro.conf.arg(metavar="STEM", help="path of the figure without .png and .pdf")] = None,
    map: Annotated[bool, Flag, tyro.conf.arg(help="draw the places of the workers in place of the figure")] = False,
    plugins: Plugins = (),
) -> None:
    """Draw the figure of a result, or of several results together, as PNG and PDF in the folder of the first.

    Keys of the figure replace those of the first result's scenario.

    Arguments:
        results: files of results
        overrides: keys of the figure
        out: path of the figure without .png and .pdf; None: that of the first result.
        map: True to draw the places of the workers in place of the figure.
        plugins: names or paths of the user's modules to import.
    """
    from otafl.results import kept

    if not results:
        raise OtaflError("RESULT.nc", "", "must name a result, or several")
    user_classes.load(plugins)
    stem = results[0].parent / results[0].stem
    stem = out or (stem.parent / f"{stem.name}-map" if map else stem)

    def draw() -> bool:
        from otafl.results import analysis, figure_files, file

        with remarks() as said:
            loaded = [file.load(result) for result in results]
            if map:
                drawn = importlib.import_module("otafl.results.cell_map").figure(loaded[0], plugins)
            else:
                asked = plot_of(file.about(loaded[0]).plot, overrides, analysis.swept(loaded[0]))
                drawn = figure_files.figure(*loaded, asked=asked)
            figure_files.save(drawn, stem)
        return not (said or map or plugins)

    told = ["figure", map, plugins, repr(overrides), [str(result.absolute()) for result in results]]
    kept.made(told, results, paths := kept.figure_paths(stem), draw)
    for path in paths:
        say(path)


def report(
    result: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RESULT.nc|DIR")],
    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE.html")] = None,
    plugins: Plugins = (),
) -> None:
    """Write a result as one HTML page in its folder: figure, costs, outcomes, scenario and environment. The page of a
    study's folder, finished or not, also has the computing times.

    Arguments:
        result: file of a result, or folder of a study
        out: file for the page, beside the result unless given
        plugins: names or paths of the user's modules to import.
    """
    from otafl.results import kept

    user_classes.load(plugins)
    path = out or result.parent / f"{result.stem}.html"

    def write() -> bool:
        from otafl.results import report as reports

        with remarks() as said:
            reports.write(result, path)
        return not (said or plugins)

    if result.is_dir():
        path = _study_report(result, out, plugins)
    else:
        kept.made(["report", plugins], [result], [path], write)
    say(path)


def _study_report(folder: Path, out: Path | None, plugins: Plugins) -> Path:
    """Write the report of a study's folder, with computing times; return its path."""
    from otafl.results import report as reports
    from otafl.study.collect import collect as collected

    place = folder.parent if folder.suffix == ".runs" else folder
    with remarks():
        data = collected([folder], plugins).with_times()
        return reports.save(data, out or place / f"{data.attrs['name']}.html")


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
    "privacy": privacy,
    "store": store,
}
