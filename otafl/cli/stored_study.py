"""Answer to a study that is done, from notes on its files, without reading its curves."""

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from otafl.cli.terminal import print_whole, remarks, say
from otafl.errors import Remark
from otafl.plain_text import console
from otafl.results import kept
from otafl.scenario import user_classes
from otafl.scenario.scenario import Scenario
from otafl.store.store import Store
from otafl.study import progress_file
from otafl.study.progress_bar import Bar


def shown(scenario: Scenario, folder: Path, store: Path) -> bool:
    """Show the result of a study whose runs are stored and whose files are as a command has left them, if it is such.

    Arguments:
        scenario: the scenario of the study.
        folder: folder of its result.
        store: folder of the store.

    Returns:
        True if the result was shown; False if something has to be computed or written.

    Raises:
        OtaflError: the folder holds another study, or data cannot be loaded.
    """
    paths = [folder / f"{scenario.name}.nc", *kept.figure_paths(folder / scenario.name)]
    if not all(map(os.path.isfile, paths)) or not (found := kept.read(_name(scenario, folder, store))):
        return False
    if found["files"] != kept.digests(paths):
        return False
    from otafl.results.summary_table import Summary, grid

    with Bar(console()) as progress, remarks():
        for remark in (f"{found['runs']} of {found['runs']} runs are there already", *found["remarks"]):
            warnings.warn(remark, Remark, stacklevel=1)
        progress("done", found["iterations"], found["iterations"])
    print_whole(grid(scenario.name, Summary(*found["summary"])))
    say("wrote " + ", ".join(map(str, paths)))
    return True


def note(scenario: Scenario, folder: Path, store: Path, data: Any, read: tuple, figures: Mapping[Path, str]) -> None:
    """Note what a study shows that is done, and which files it has left.

    Arguments:
        scenario: the scenario of the study.
        folder: folder of its result.
        store: folder of the store.
        data: its result.
        read: its ``Summary``.
        figures: digests of its figures as this process has written them, by path.
    """
    from otafl.results import file, summary

    result = folder / f"{scenario.name}.nc"
    found = kept.digests([result])
    if file.load(result).attrs["scenario"] != data.attrs["scenario"]:
        return
    runs, plan = data["outcome"].size, scenario.settings.run
    told = {"files": [*found, *figures.values()], "summary": read, "remarks": summary.remarks(data)}
    kept.write(_name(scenario, folder, store), told | {"runs": runs, "iterations": runs * plan.iterations})


def _name(scenario: Scenario, folder: Path, store: Path) -> str:
    """Return the name of the note on a study; empty if it has code of the user's own, or if a file is missing."""
    from otafl.study.directory import Directory
    from otafl.study.plan import Study

    if user_classes.all_modules(settings for _, settings in scenario.points()):
        return ""
    directory = Directory(folder, Study(scenario), Store(store))
    if (directory.runs / progress_file.FILE).exists():
        return ""
    return kept.name(["study", directory.manifest], directory.files)
