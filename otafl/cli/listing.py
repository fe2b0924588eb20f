"""Commands that list scenarios and methods, and explain keys."""

from typing import Annotated

import tyro

from otafl.cli.arguments import Plugins
from otafl.cli.terminal import print_whole, say
from otafl.scenario import file

GROUPS = {
    ("quickstart", "digits"): "To begin with",
    "problems": "Convex problems other than linear regression",
    "linreg": "A-FADMM paper: linear regression",
    "mnist": "A-FADMM paper: image classification",
    "gong": "FedADMM of Gong et al.",
    "wang": "FedADMM of Wang et al.",
    "fedvra": "FedVRA",
    "insa": "FedADMM-InSa",
    "air": "Federated methods over the air",
    "channel": "Channels: estimated, out of step, in time, with antennas, in a cell",
    "cell": "A-FADMM in a cell, by its weights",
    ("family", "fails", "surface"): "Families: votes by energy, digital sums, surfaces, neighbours, workers that fail",
    "scheme": "Schemes of uplinks: precoders, COTAF, one-bit votes",
    "compare": "Schemes against each other at their operating points",
    "adapters": "Adapters of low rank: fewer numbers to upload",
    "field": "Published figures of learning over the air",
}
"""Headings of scenarios, by the prefix of their names."""


def scenarios() -> None:
    """List the scenarios by subject, with a title and the time on two cores each."""
    from rich.table import Table as Grid

    grid = Grid(box=None, show_header=False, pad_edge=False)
    for begin, heading in GROUPS.items():
        grid.add_row(heading, style="bold")
        for name in file.names():
            if name.startswith(begin):
                grid.add_row(f"  {name}", *file.title(name))
    print_whole(grid)


def methods(plugins: Plugins = ()) -> None:
    """List the methods: their papers, a worker's upload in a round, the uplinks that carry it, and their keys.

    Arguments:
        plugins: names or paths of the user's modules to import.
    """
    from rich import box
    from rich.table import Table as Grid

    from otafl.cli import key_reference
    from otafl.scenario import user_classes

    user_classes.load(list(plugins))
    grid = Grid(box=box.SIMPLE_HEAD)
    for heading in ("method", "paper", "uploads", "uplinks", "keys of the table algorithm"):
        grid.add_column(heading)
    for entry in key_reference.methods():
        own = ", ".join(key.removeprefix("algorithm.") for key in entry.keys)
        grid.add_row(entry.name, entry.source, entry.sends, ", ".join(entry.uplinks), own)
    print_whole(grid)


def explain(
    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME", help="of any of these")],
    plugins: Plugins = (),
) -> None:
    """Explain a scenario key or one of its choices, a method, a fading model, an uplink or a result's variable.

    Any other word is looked up in the help of all of these.

    Arguments:
        name: name of one of these, or a word.
        plugins: names or paths of the user's modules to import.
    """
    from otafl.cli import key_reference
    from otafl.scenario import user_classes

    user_classes.load(list(plugins))
    say(key_reference.explain(name))
