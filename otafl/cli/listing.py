"""Commands that list scenarios and methods, and explain keys."""

import itertools
from typing import Annotated

import tyro

from otafl.cli import glossary, help_search
from otafl.cli.arguments import Plugins, load_plugins
from otafl.cli.kept_reference import reference
from otafl.cli.terminal import print_wrapped, say
from otafl.errors import UnknownName
from otafl.scenario import library

SUBJECTS = {
    "afadmm": "A-FADMM and A-SFADMM: the paper's figures, and other readings of it",
    "gong": "FedADMM of Gong et al.",
    "fedvra": "FedVRA of Wang et al.",
    "song": "FedADMM-InSa of Song et al.",
    "wang": "FedADMM of Wang et al.",
    "channels": "channels: estimated, out of step, in time, with antennas, in a cell",
    "cells": "A-FADMM in a cell, by its weights",
    "carriers": "carrier offsets and motion within an upload, pilots charged",
    "schemes": "schemes of uplinks, one at a time, and federated methods over the air",
    "families": "votes by energy, digital sums, surfaces, neighbours, adapters, workers that fail",
    "comparison": "schemes against each other at their operating points",
    "published": "published figures of learning over the air",
}


def scenarios(
    folder: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[FOLDER]", help="for its studies")] = "",
) -> None:
    """List the starters, and the folders with the number of their studies; or the studies of a folder.

    Each study has a title and its time on two cores. `otafl run NAME` runs it.
    """
    if folder and folder not in SUBJECTS:
        raise UnknownName("folder", folder, SUBJECTS)
    rows = [(name, *library.entries()[name][1:]) for name in library.names(folder)]
    for subject, title in SUBJECTS.items() if not folder else ():
        rows.append((f"otafl list {subject}", title, f"{len(library.names(subject))} studies"))
    print_wrapped(rows)


def methods(plugins: Plugins = ()) -> None:
    """List the methods: their papers, a worker's upload in a round, the uplinks that carry it, and their keys."""
    load_plugins(plugins)
    rows = []
    for entry in reference(anew=bool(plugins)).methods:
        read = ", ".join(key.removeprefix("algorithm.") for key in entry.keys) or "none"
        rows.append((entry.name, f"{entry.source}\n{entry.sends}, over {', '.join(entry.uplinks)}; keys: {read}"))
    print_wrapped(rows)


def explain(
    name: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[NAME]", help="left out: the words there are")
    ] = (),
    plugins: Plugins = (),
) -> None:
    """Explain a word of the field, a scenario key or its choice, a method, a fading model, an uplink or a variable.

    Any other word is looked up in the help of all of these.
    """
    if not name:
        groups = itertools.groupby(glossary.terms(), key=lambda term: term.group)
        print_wrapped((group, ", ".join(term.term for term in terms)) for group, terms in groups)
        return
    load_plugins(plugins)
    say(help_search.explain(reference(anew=bool(plugins)).topics, " ".join(name)))
