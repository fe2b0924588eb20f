"""Figures of the gallery: what ``figures.toml`` of each folder says of them, and how they are drawn."""

import importlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import matplotlib
import xarray as xr
from matplotlib.figure import Figure

from figures.gallery.study import PROJECT, command
from otafl.results import style

FOLDERS = (
    *("afadmm", "gong", "wang", "fedvra", "song", "channels", "cells", "carriers"),
    *("schemes", "comparison", "published", "families", "privacy"),
)
"""Folders of figures, in the order of the gallery."""
LOOKS = {
    "FedAvg@analog full power": style.LOOKS["full_power"],
    "FedAvg@digital 32 bits": 26,
    "FedAvg@digital 8 bits": 27,
    "FedAvg@digital 4 bits": 28,
    "FedAvg@digital 2 bits": 29,
    "FedAvg@digital top-k": 30,
    "A-SFADMM p=1 κ=0.5": 37,
    "A-SFADMM p=1": 40,
    "A-SFADMM-10x": 42,
    "A-SFADMM as published": 43,
}
"""Looks of schemes that stand in several figures."""
style.LOOKS.update(LOOKS)
Results = Mapping[str, xr.Dataset]
"""Results by the name of their study, datasets over swept keys, seed and iteration."""


@dataclass(frozen=True)
class Picture:
    """Figure of the gallery.

    Arguments:
        name: its name, that of the function of its script which draws it.
        folder: its folder.
        title: heading on the folder's page.
        script: module of the folder.
        caption: caption, with the readings that it shows, of at most three sentences.
        studies: names of its studies.
        notes: what else is known of it, as Markdown.
    """

    name: str
    folder: str
    title: str
    script: str
    caption: str
    studies: tuple[str, ...]
    notes: str = ""

    def draw(self, results: Results) -> Figure:
        """Draw the figure.

        Arguments:
            results: results of its studies by name.
        """
        with matplotlib.rc_context(style.STYLE):
            return getattr(importlib.import_module(f"figures.{self.folder}.{self.script}"), self.name)(results)

    @property
    def entry(self) -> str:
        """Its entry on the folder's page, as Markdown."""
        runs = ", ".join(f"`{command(name).removeprefix('otafl run ')}`" for name in self.studies)
        studies = f", from studies of `otafl run`: {runs}" if runs else ""
        drawn = f"Drawn by `python -m figures {self.name}` in a clone{studies}."
        parts = f"### {self.title}", f"![{self.title}]({self.name}.png)", self.caption, self.notes, drawn
        return "\n\n".join(filter(None, map(str.strip, parts))) + "\n"


def page(folder: str) -> dict[str, Any]:
    """Return the tables of a folder's ``figures.toml``.

    Arguments:
        folder: name of the folder.
    """
    return tomllib.loads((PROJECT / folder / "figures.toml").read_text(encoding="utf-8"))


def pictures(folder: str) -> Iterator[Picture]:
    """Yield the figures of a folder, in the order of its page.

    Arguments:
        folder: name of the folder.
    """
    for name, keys in page(folder)["figures"].items():
        yield Picture(name, folder, **{**keys, "studies": tuple(keys.get("studies", [name]))})


def known() -> dict[str, Picture]:
    """Return all figures by name."""
    return {picture.name: picture for folder in FOLDERS for picture in pictures(folder)}
