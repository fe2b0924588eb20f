"""Arguments shared by several commands, and what they stand for."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro
from tyro.conf import FlagCreatePairsOff as Flag

from otafl.cli.engine import EngineOptions
from otafl.cli.words import described

if TYPE_CHECKING:
    from otafl.scenario.scenario import Scenario


Name = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME", help="scenario name or path to a TOML file")]
Small = Annotated[bool, Flag, tyro.conf.arg(help="take the small study beside it, NAME_small")]
Out = Annotated[Path | None, described("DIR", "folder for NAME.nc, NAME.png and NAME.pdf", "results/NAME")]
STORE_FOLDER = "OTAFL_STORE_DIR, or otafl in the user's cache folder"
StoreFolder = Annotated[Path | None, described("DIR", "folder of runs that all studies share", STORE_FOLDER)]
Folder = Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="DIR", help="folder of studies")]
ResultFiles = Annotated[
    tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="RESULT.nc [RESULT.nc ...]", help="files of results")
]
Plugins = Annotated[tuple[str, ...], described("MODULE ...", "your own modules to import, by name or as .py files")]
Where = Annotated[EngineOptions, tyro.conf.arg(name="")]
PlotKeys = Annotated[object, "keys of the figure"]
Keys = Annotated[object, "keys of a scenario"]
"""Keys as options, for which ``dispatch`` makes a class."""


def scenario_of(name: Name, overrides: Keys, small: Small) -> "Scenario":
    """Return the scenario that arguments name, with the values of keys that they give."""
    from otafl.cli import options
    from otafl.scenario import file

    return file.load(name, options.values(overrides), small)


def load_plugins(plugins: Plugins) -> None:
    if plugins:
        from otafl.scenario import user_classes

        user_classes.load(plugins)
