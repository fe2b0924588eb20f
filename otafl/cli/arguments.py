"""Arguments that several commands have."""

from pathlib import Path
from typing import Annotated, Any

import tyro

from otafl.cli.engine import EngineOptions
from otafl.cli.options import overrides as options
from otafl.cli.options import plot_options

Name = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME", help="scenario name or path to a TOML file")]
Out = Annotated[
    Path | None,
    tyro.conf.arg(
        metavar="DIR", help="folder for NAME.nc, NAME.png and NAME.pdf", help_behavior_hint="(default: results/NAME)"
    ),
]
StoreFolder = Annotated[
    Path | None,
    tyro.conf.arg(
        metavar="DIR",
        help="folder of runs that all studies share",
        help_behavior_hint="(default: OTAFL_STORE_DIR, or otafl in the user's cache folder)",
    ),
]
Folder = Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="DIR")]
Where = Annotated[EngineOptions, tyro.conf.arg(name="")]
PlotKeys = Annotated[Any, tyro.conf.arg(name="plot", constructor_factory=plot_options)]
Keys = Annotated[Any, tyro.conf.arg(name="", constructor_factory=options)]
