"""Arguments shared by several commands."""

from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import FlagCreatePairsOff as Flag

from otafl.cli.engine import EngineOptions
from otafl.cli.options import overrides as options
from otafl.cli.options import plot_options

Name = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME", help="scenario name or path to a TOML file")]


def folder_option(holds: str, default: str) -> object:
    """Return the description of an option that is a folder, by its content and its default in words."""
    return tyro.conf.arg(metavar="DIR", help=f"folder {holds}", help_behavior_hint=f"(default: {default})")


Small = Annotated[bool, Flag, tyro.conf.arg(help="take the small study beside it, NAME_small")]
Out = Annotated[Path | None, folder_option("for NAME.nc, NAME.png and NAME.pdf", "results/NAME")]
StoreFolder = Annotated[
    Path | None, folder_option("of runs that all studies share", "OTAFL_STORE_DIR, or otafl in the user's cache folder")
]
Folder = Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="DIR", help="folder of studies")]
ResultFiles = Annotated[
    tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="RESULT.nc [RESULT.nc ...]", help="files of results")
]
MODULES = tyro.conf.arg(
    metavar="MODULE ...", help="your own modules to import, by name or as .py files", help_behavior_hint=""
)
Plugins = Annotated[tuple[str, ...], MODULES]
Where = Annotated[EngineOptions, tyro.conf.arg(name="")]
PlotKeys = Annotated[object, tyro.conf.arg(name="plot", constructor_factory=plot_options)]
Keys = Annotated[object, tyro.conf.arg(name="", constructor_factory=options)]
